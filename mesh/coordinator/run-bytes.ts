import type { Digest } from '../../src/proof/job.ts';
import type { Store } from '../../src/store/store.ts';
import type { Span } from '../decide/run.ts';
import type { Reveal } from '../desk.ts';
import type { Asked } from './decisions.ts';
import { type KnownRun, type KnownRuns, readKnown } from './known-runs.ts';
import { KERNELS, type Objects } from './ports.ts';
import { type AcceptedSpan, lastSpan, pendingName, type StoredRun, storedRun } from './run-rows.ts';
import { type Scene, type SceneParts, seenAfter } from './scenes.ts';
import { areBytesOf, liesBesideRows, packSpan, stateOf } from './span-bytes.ts';
import type { NewObject } from './written.ts';

export interface RunBytesParts extends Pick<SceneParts, 'beacons'> {
  readonly store: Store;
  readonly known: KnownRuns;
  readonly objects: Objects;
}

const nothing = new Uint8Array(0);

/** The bytes of runs: those that come with what nodes show, and those that they fetch. */
export class RunBytes {
  readonly #parts: RunBytesParts;

  constructor(parts: RunBytesParts) {
    this.#parts = parts;
  }

  // ---- what is shown -------------------------------------------------------------------------------------

  /** Bytes first, written whole; then the decision that names them. @returns undefined where there is no such run */
  async shown(node: string, reveal: Reveal, scene: Scene): Promise<Asked | undefined> {
    const { run, fence, claim, salt } = reveal;
    const known = await this.#knownTo(node, reveal);
    if (!known) return undefined;
    const isWhole = areBytesOf(known.stored.sheet.runHash, reveal);
    const span = awaited(known.stored, node, reveal);
    const object = isWhole && span ? await this.#keep(reveal) : undefined;
    // A claim whose bytes are not what it says is one that no salt opens.
    const event = { kind: 'reveal', node, fence, claim, salt: isWhole ? salt : nothing } as const;
    const seen = await seenAfter(BigInt(span?.committedNs ?? 0), scene, this.#parts);
    return { run, event, seen, object, isUnkept: isWhole && !object };
  }

  /** What this process knows of the run is enough where it says that the bytes are waited for. */
  async #knownTo(node: string, reveal: Reveal): Promise<KnownRun | undefined> {
    const { store, known } = this.#parts;
    const remembered = known.get(reveal.run);
    if (remembered && awaited(remembered.stored, node, reveal)) return remembered;
    return readKnown(store, reveal.run);
  }

  async #keep(reveal: Reveal): Promise<NewObject> {
    const { objects } = this.#parts;
    const { run, state, fence, claim, rows, result, observed } = reveal;
    const name = pendingName({ fence, from: claim.from });
    const shown = { rows, result, observed };
    if (liesBesideRows(state))
      return { name, bytes: await objects.put(run, packSpan({ ...shown, state }, name)) };
    const [bytes] = await Promise.all([objects.put(run, packSpan(shown, name)), objects.put(run, state)]);
    return { name, bytes };
  }

  // ---- what is fetched -----------------------------------------------------------------------------------

  /** Bytes of work that a node holds. @returns undefined for what is not its to see */
  async fetched(node: string, run: string, sha256: Digest): Promise<Uint8Array | undefined> {
    const { store, objects } = this.#parts;
    const stored = await storedRun(store, run);
    if (!stored || !worksOn(node, stored)) return undefined;
    const { kernel, parameters, start } = stored.sheet;
    if (sha256 === kernel) return objects.get(KERNELS, sha256);
    if (sha256 === parameters || sha256 === start?.state) return objects.get(run, sha256);
    const span = await this.#spanWith(stored, sha256);
    return span && stateOf(objects, run, span);
  }

  /** The span at whose end the state is this. */
  async #spanWith({ machine, pending }: StoredRun, state: Digest): Promise<AcceptedSpan | undefined> {
    const span = machine.spans.find(({ claim }) => claim?.state === state);
    if (span) return { claim: span.claim!, bytes: pending[pendingName(span)] ?? '' };
    const last = await lastSpan(this.#parts.store, machine.id);
    return last?.claim.state === state ? last : undefined;
  }
}

/** Bytes that nobody waits for are not kept: any node could fill the object store with them. */
function awaited({ machine }: StoredRun, node: string, { fence, claim }: Reveal): Span | undefined {
  return machine.spans.find(
    (span) => span.id === node && span.fence === fence && span.from === claim.from && !span.claim,
  );
}

function worksOn(node: string, { machine: { lease, spans } }: StoredRun): boolean {
  const checks = spans.flatMap((span) => span.checks);
  return lease?.id === node || checks.some(({ id, claim }) => id === node && !claim);
}

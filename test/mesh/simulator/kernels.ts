import { sha256 } from '#crypto';
import type { Claim } from '../../../mesh/decide/claim.ts';
import { toHex, utf8 } from '../../../src/proof/bytes.ts';
import type { Digest } from '../../../src/proof/job.ts';

/** A run as only its kernel knows it: it ends with segment `last`. */
export interface SimulatedRun {
  readonly id: string;
  readonly last: number;
  /** Milliseconds that a segment takes on a node of speed 1. */
  readonly segmentMs: number;
}

/** 1 unit = 1 ns of the reference core. */
export const workOf = ({ segmentMs }: SimulatedRun, segments: number): number => segments * segmentMs * 1e6;

/** What a node lies about: everything from a segment on, or one thing beside the digests. */
export type Lie = 'digests' | 'garbage' | 'early' | 'beyond' | 'work' | 'result' | 'bytes';

/** From segment `at` on, under a name: who lies by the same name tells the same lie. */
export interface Told {
  readonly lie: Lie;
  readonly at: number;
  readonly name: string;
}

/** Segments that are made up behind the end. */
const BEYOND = 2;

/** Marks a state that no kernel can go on from. */
const GARBAGE = '#';

/** Many seeds ask for the same hashes. */
const hashes = new Map<string, Digest>();
const MOST_HASHES = 200_000;

/**
 * Kernels, as far as the mesh can see them: the digest of a segment is a hash of the run, the segment and what the run
 * stands on, which is '' for the truth and the lies told so far otherwise. So 10,000 nodes cost no more than hashing.
 */
export class Kernels {
  /** What a state stands on, by its digest. */
  readonly #grounds = new Map<Digest, string>();
  /** The one claim that all who ran a span make. */
  readonly #claims = new Map<string, Claim>();

  hash(text: string): Digest {
    let digest = hashes.get(text);
    if (digest === undefined) {
      if (hashes.size >= MOST_HASHES) hashes.clear();
      digest = toHex(sha256(utf8(text)));
      hashes.set(text, digest);
    }
    return digest;
  }

  /** @returns undefined for a state that nobody has shown */
  groundOf(state: Digest): string | undefined {
    return this.#grounds.get(state);
  }

  #state(run: string, segment: number, ground: string): Digest {
    const state = this.hash(`state ${run} ${segment} ${ground}`);
    this.#grounds.set(state, ground);
    return state;
  }

  #digest(run: string, segment: number, ground: string): Digest {
    return this.hash(`digest ${run} ${segment} ${ground}`);
  }

  /** A kernel goes on neither from garbage nor from its own end. */
  canRun({ last }: SimulatedRun, from: number, ground: string): boolean {
    return !ground.includes(GARBAGE) && (from <= last || ground !== '');
  }

  /** What an honest node claims that began on `ground`; it ends with the run, however far it was asked to go. */
  execute(run: SimulatedRun, from: number, to: number, ground: string): Claim {
    const { id, last } = run;
    const end = Math.max(from, Math.min(to, last));
    if (end < to) return this.execute(run, from, end, ground);
    const name = `${id} ${last} ${run.segmentMs} ${from} ${to} ${ground}`;
    const known = this.#claims.get(name) ?? this.#executed(run, from, to, ground);
    this.#claims.set(name, known);
    return known;
  }

  #executed(run: SimulatedRun, from: number, to: number, ground: string): Claim {
    const { id, last } = run;
    const digests = Array.from({ length: to - from + 1 }, (_, i) => this.#digest(id, from + i, ground));
    return {
      ...{ from, to, digests },
      steps: 100 * (to + 1),
      work: String(workOf(run, to + 1)),
      state: this.#state(id, to, ground),
      rowsRoot: this.hash(`rows ${id} ${from} ${to} ${ground}`),
      rowsHash: this.hash(`rows ${id} ${to} ${ground}`),
      ...(to >= last && { final: { status: 1, result: this.hash(`result ${id} ${ground}`) } }),
    };
  }

  /** What a liar claims; the bytes behind it fit it, unless it lies about these. */
  lie(run: SimulatedRun, from: number, to: number, ground: string, { lie, at, name }: Told): Claim {
    const truth = this.execute(run, from, to, ground);
    if (lie === 'work') return { ...truth, work: String(7 * Number(truth.work)) };
    if (lie === 'bytes') return { ...truth, rowsRoot: this.hash(`no rows ${name}`) };
    if (lie === 'result' && truth.final)
      return { ...truth, final: { ...truth.final, result: this.hash(`no result ${name}`) } };
    if (lie === 'early') return { ...truth, final: { status: 1, result: this.hash(`early ${name}`) } };
    if (lie === 'beyond') return this.#beyond(run, truth, ground, name);
    const sand = `${ground} ${name}${lie === 'garbage' ? GARBAGE : ''}@${at}`;
    const lied = this.execute(run, from, to, sand);
    const digests = [...truth.digests.slice(0, at - from), ...lied.digests.slice(at - from)];
    return { ...lied, digests };
  }

  /** Says nothing of the end of the run, and goes on behind it for a while. */
  #beyond(run: SimulatedRun, { final, ...truth }: Claim, ground: string, name: string): Claim {
    if (!final || truth.from > run.last) return final ? { ...truth, final } : truth;
    const { from, to } = truth;
    const end = to + BEYOND;
    const sand = `${ground} ${name}@${to + 1}`;
    const made = this.execute({ ...run, last: end + 1 }, to + 1, end, sand);
    const rowsRoot = this.hash(`rows ${run.id} ${from} ${end} ${sand}`);
    return { ...made, from, digests: [...truth.digests, ...made.digests], rowsRoot };
  }

  /** What the service finds when it hashes the bytes that came with a claim. */
  areBytesOf({ id }: SimulatedRun, { from, to, digests, state, rowsRoot, rowsHash }: Claim): boolean {
    const ground = this.groundOf(state);
    return (
      ground !== undefined &&
      state === this.#state(id, to, ground) &&
      digests.at(-1) === this.#digest(id, to, ground) &&
      rowsRoot === this.hash(`rows ${id} ${from} ${to} ${ground}`) &&
      rowsHash === this.hash(`rows ${id} ${to} ${ground}`)
    );
  }
}

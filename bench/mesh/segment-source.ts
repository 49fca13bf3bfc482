import { randomBytes } from 'node:crypto';
import { sha256 } from '#crypto';
import { type Claim, commitmentOf } from '../../mesh/decide/claim.ts';
import type { Kept, Work } from '../../mesh/desk.ts';
import { Bus } from '../../mesh/nats/bus.ts';
import { NatsDesk } from '../../mesh/nats/desk.ts';

import { fromHex, toHex } from '../../src/proof/bytes.ts';
import { segmentDigest } from '../../src/proof/digests.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';
import { rateInFlight } from '../store/durable-commits.ts';
import { identity, keys, MEMORY } from './deployment.ts';

// The contributors' side of dispatch.ts, a process of its own: nodes that take segments and show them at once, without
// running anything.

export interface SourceConfig {
  readonly nats: string;
  readonly seeds: readonly number[];
  readonly runHash: string;
  readonly stateBytes: number;
}

/** Runs of so many segments, of which so many are shown together. */
export interface Cut {
  readonly segments: number;
  readonly span: number;
}

/** What is asked of it. `raw`: messages of these sizes into the stream, so many in flight. */
export type Asked =
  | ({ readonly kind: 'begin' } & Cut)
  | {
      readonly kind: 'raw';
      readonly count: number;
      readonly sizes: readonly number[];
      readonly inFlight: number;
    };

const config = JSON.parse(process.argv[2]!) as SourceConfig;
/** Begins with the kernel's counters of work and of steps, as the service expects it of a state. */
function stateAt(segment: number): Uint8Array {
  const state = new Uint8Array(config.stateBytes).fill(7);
  const counters = new DataView(state.buffer);
  counters.setBigUint64(0, BigInt(WORK * (segment + 1)), true);
  counters.setBigUint64(8, BigInt(STEPS * (segment + 1)), true);
  return state;
}
const rowBytes = new Uint8Array(64).fill(9);
const rowsHash = sha256(rowBytes);
const hash = fromHex(config.runHash);
/** Work units that a segment claims. */
const WORK = 1000;
const STEPS = 10;

const digestOf = (segment: number, status: number): string => {
  const [steps, state] = [STEPS * (segment + 1), stateAt(segment)];
  return toHex(segmentDigest(hash, { segment, steps, status, state, rowsHash }));
};

function claimOf(from: number, to: number, state: Uint8Array, isLast: boolean): Claim {
  const stateHash = toHex(sha256(state));
  const count = to - from + 1;
  const final = { status: 1, result: stateHash };
  return {
    ...{ from, to, steps: STEPS * (to + 1), work: String(WORK * (to + 1)), state: stateHash },
    digests: Array.from({ length: count }, (_, i) => digestOf(from + i, isLast && from + i === to ? 1 : 0)),
    rowsRoot: toHex(merkleRoot(Array<Uint8Array>(count).fill(rowsHash))),
    rowsHash: toHex(rowsHash),
    ...(isLast ? { final } : {}),
  };
}

/** Each claim with the commitment behind it, as a contributor shows spans of less than a quarter of a second. */
async function show(
  desk: NatsDesk,
  { run, fence, from: first }: Work,
  { segments, span }: Cut,
): Promise<void> {
  let shown: Promise<Kept> | undefined;
  for (let from = first; from < segments; from += span) {
    const to = Math.min(from + span, segments) - 1;
    const state = stateAt(to);
    const claim = claimOf(from, to, state, to === segments - 1);
    const salt = new Uint8Array(randomBytes(32));
    const commitment = toHex(commitmentOf(claim, salt));
    const said = desk.commit({ run, fence, from, to, commitment });
    await mustBeKept(shown);
    await mustBeKept(said);
    const rows = Array<Uint8Array>(to - from + 1).fill(rowBytes);
    const result = claim.final && { result: state };
    shown = desk.reveal({ run, fence, claim, salt, state, rows, observed: [], ...result });
  }
  await mustBeKept(shown);
}

async function mustBeKept(said: Promise<Kept> | undefined): Promise<void> {
  const kept = await said;
  if (kept !== undefined && kept !== 'kept' && kept !== 'settled') throw new Error(`it was ${kept}`);
}

/** Takes whatever the work queue has, until it has nothing. */
async function drain(desk: NatsDesk, cut: Cut): Promise<void> {
  const shows: Promise<void>[] = [];
  for (;;) {
    const bells = await desk.take(64);
    if (bells.length === 0) break;
    for (const answer of await desk.lease(bells.map(({ run }) => run)))
      if ('lease' in answer) shows.push(show(desk, answer.lease, cut));
    for (const bell of bells) bell.ack();
  }
  await Promise.all(shows);
}

async function raw({ count, sizes, inFlight }: Extract<Asked, { kind: 'raw' }>): Promise<void> {
  const bus = await Bus.connect({ servers: config.nats, identity: keys.service, name: 'raw' });
  const payloads = sizes.map((size) => new Uint8Array(size));
  await rateInFlight(count, inFlight, (n) => bus.persist(`raw.${n}`, payloads[n % payloads.length]!));
  await bus.close();
}

const presence = { engine: 'bench', cores: 1, memory: MEMORY };
const desks = await Promise.all(
  config.seeds.map((seed) =>
    NatsDesk.open({ servers: config.nats, identity: identity(seed), service: keys.service.id, presence }),
  ),
);
const work = (asked: Asked) =>
  asked.kind === 'raw' ? raw(asked) : Promise.all(desks.map((desk) => drain(desk, asked)));
process.on('message', (asked: Asked) => {
  void Promise.resolve(work(asked)).then(() => process.send!('done'));
});
process.on('disconnect', () => process.exit(0));
process.send!('ready');

import { randomBytes } from 'node:crypto';
import { commitmentOf } from '../../mesh/decide/claim.ts';
import type { Kept, Work } from '../../mesh/desk.ts';
import { Bus } from '../../mesh/nats/bus.ts';
import { NatsDesk } from '../../mesh/nats/desk.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { rateInFlight } from '../store/durable-commits.ts';
import { identity, keys, MEMORY } from './deployment.ts';
import { claimOf, rowBytes, stateAt } from './made-up-segment.ts';

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
/** Each claim with the commitment behind it, as a contributor shows spans of less than a quarter of a second. */
async function show(
  desk: NatsDesk,
  { run, fence, from: first }: Work,
  { segments, span }: Cut,
): Promise<void> {
  let shown: Promise<Kept> | undefined;
  for (let from = first; from < segments; from += span) {
    const to = Math.min(from + span, segments) - 1;
    const state = stateAt(to, config.stateBytes);
    const claim = claimOf(config.runHash, { from, to, isLast: to === segments - 1 }, state);
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

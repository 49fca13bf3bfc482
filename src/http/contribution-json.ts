import type { MeshNodeRow } from '../../mesh/records.ts';
import { type Earnings, reasonOfPaid, type UnpaidLine } from '../contribute/earnings.ts';
import type { Admitted } from '../contribute/nodes.ts';
import type { WorkCreditRow } from '../contribute/records.ts';
import type { Standing } from '../contribute/standing.ts';
import { formatCoins } from '../ledger/coins.ts';
import type { ServiceNode } from '../node.ts';
import { decimal, digest, object, orNull, text } from './schemas.ts';

/** What the routes of contributors answer: shapes for the description, and rows as JSON. */

const count = (description: string) => ({ type: 'integer', description });
export const list = (items: object, description?: string) => ({ type: 'array', items, description });
export const modeShape = { type: 'string', enum: ['idle', 'contributing', 'experimenting'] };
const coinsText = text('Coins, cut off after nine decimals: for reading.');
const workUnits = decimal('Work units, exactly; a coin is 3600000000000 of them.');

export const nodeShape = object({
  node: text('Public nkey.'),
  engine: text('WebAssembly engine and processor.'),
  cores: count('Threads that it offers.'),
  memory: count('Bytes of memory that it offers.'),
  mode: modeShape,
  state: { type: 'string', enum: ['admitted', 'left', 'barred'] },
  admitted_ns: decimal('Unix nanoseconds.'),
});
export const standingShape = object({
  mode: { ...modeShape, description: 'What its nodes are told when they are admitted.' },
  bond: object({
    state: { type: 'string', enum: ['bonded', 'not bonded', 'withheld'] },
    coins: count('Envelopes that are marked.'),
    days_remaining: count('Of the term of 30 days, a begun day counted whole; 0 where no bond stands.'),
    bonded_ns: orNull(decimal('Unix nanoseconds.')),
    ends_ns: orNull(decimal('Unix nanoseconds: end of the term.')),
  }),
  verdicts: list(
    object({
      verdict: text('Its id, at /api/svc/challenges or /api/mesh/verdicts.'),
      node: text('The node that was found wrong.'),
      coins: count('Envelopes of the bond that it withheld.'),
      at_ns: decimal('Unix nanoseconds.'),
    }),
    'That found a node of this account wrong, newest first.',
  ),
  nodes: list(nodeShape),
  credits: object({ coins: coinsText, work_units: workUnits }),
});
export const switchedShape = object({
  mode: modeShape,
  nodes: list(text('Public nkey.'), 'Nodes whose mode this changed.'),
});
export const censusShape = object({
  nodes: count('That were admitted and have not left.'),
  present: count('Of them those that gave a sign of life lately.'),
  modes: object({ idle: count('Nodes.'), contributing: count('Nodes.'), experimenting: count('Nodes.') }),
  barred: count('Nodes that a verdict found wrong.'),
  owners: count('Accounts.'),
  bonds: count('That stand.'),
  cores: count('Of the nodes that contribute and are present.'),
  memory: count('Bytes, of the same.'),
  engines: { type: 'object', additionalProperties: count('Nodes.') },
});
export const policyShape = object({
  bond: object({ coins: count('Envelopes.'), required: { type: 'boolean' }, term_days: count('Days.') }),
  coin: object({ work_units: workUnits }),
  free_work: object({ work_units_per_payer_and_day: workUnits }),
  checks: object({ first_rate: { type: 'number' }, least_rate: { type: 'number' } }),
  lease: object({ silent_ticks: count('Ticks without a sign of life that end a lease.') }),
  check: object({ silent_ticks: count('Ticks without a sign of life after which another node is asked.') }),
  admission: object({ self_test_minutes: count('Minutes.'), nodes_per_account: count('Nodes.') }),
  modes: { type: 'object', additionalProperties: { type: 'string' } },
});
export const paperShape = object({
  id: text('Names this paper.'),
  questions: list(
    object({
      probe: text('What it probes.'),
      kernel: digest('Of the kernel.'),
      parameters: text('Base 64.'),
      stepsPerSegment: { type: 'integer' },
      segments: { type: 'integer' },
      memory: { type: 'integer' },
    }),
  ),
});
export const admissionShape = object({
  node: nodeShape,
  mode: modeShape,
  nats: text('URL of the NATS server.'),
  service: text("The service's verifier key."),
  nkey: text('Public nkey of the service: nobody else speaks for it on NATS.'),
  handshake: digest('Key of this node for x-node-handshake; shown here and kept nowhere.'),
});
const line = {
  node: text('Public nkey.'),
  run: text('Of the mesh.'),
  from_segment: decimal('First segment.'),
  work: decimal('Work units that were done.'),
  at_ns: decimal('Unix nanoseconds.'),
};
const total = count('How many there are in all.');
export const earningsShape = object({
  coins: coinsText,
  work_units: workUnits,
  pending: object(
    { coins: coinsText, work_units: workUnits },
    { description: 'Paid, or not, when the jobs are over.' },
  ),
  paid: object({
    total,
    lines: list(
      object({
        ...line,
        to_segment: decimal('Last segment.'),
        kind: { type: 'string', enum: ['segment', 'check'] },
        paid: decimal('Work units that were paid.'),
        taken_back: decimal('Of them taken back, when a verdict found the work wrong.'),
        coins: coinsText,
        reason: orNull(text('Why not all of it was paid.')),
      }),
    ),
  }),
  unpaid: object({ total, lines: list(object({ ...line, reason: text('Why, in a sentence.') })) }),
});

// ---- what goes out ---------------------------------------------------------------------------------------

export const nodeJson = ({ id, engine, cores, memory, mode, state, admitted_ns }: MeshNodeRow) => ({
  node: id,
  ...{ engine, cores: Number(cores), memory: Number(memory), mode, state },
  admitted_ns: String(admitted_ns),
});

const credits = (work: bigint) => ({ coins: formatCoins(work), work_units: String(work) });

export function standingJson({ mode, bond, verdicts, nodes, balance }: Standing) {
  const { state, coins, daysRemaining, bondedNs, endsNs } = bond;
  const times = { bonded_ns: bondedNs?.toString() ?? null, ends_ns: endsNs?.toString() ?? null };
  return {
    mode,
    bond: { state, coins, days_remaining: daysRemaining, ...times },
    verdicts: verdicts.map(({ atNs, ...verdict }) => ({ ...verdict, at_ns: String(atNs) })),
    nodes: nodes.map(nodeJson),
    credits: credits(balance),
  };
}

export const admissionJson = (
  { row, nats, nkey, handshake }: Admitted,
  { vkey }: Pick<ServiceNode, 'vkey'>,
) => ({
  node: nodeJson(row),
  ...{ mode: row.mode, nats, service: vkey, nkey, handshake },
});

const paidJson = (row: WorkCreditRow) => ({
  ...{ node: row.node, run: row.run, kind: row.kind },
  from_segment: String(row.from_segment),
  to_segment: String(row.to_segment),
  work: String(row.work),
  paid: String(row.paid),
  taken_back: String(row.taken_back ?? 0n),
  coins: formatCoins(row.paid - (row.taken_back ?? 0n)),
  at_ns: String(row.at_ns),
  reason: reasonOfPaid(row),
});

const unpaidJson = ({ node, run, from, work, atNs, reason }: UnpaidLine) => ({
  ...{ node, run, reason },
  from_segment: String(from),
  work: String(work),
  at_ns: String(atNs),
});

export const earningsJson = ({ balance, pending, paid, unpaid }: Earnings) => ({
  ...credits(balance),
  pending: credits(pending),
  paid: { total: paid.total, lines: paid.rows.map(paidJson) },
  unpaid: { total: unpaid.total, lines: unpaid.rows.map(unpaidJson) },
});

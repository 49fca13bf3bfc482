import { meshNodes, meshUnpaid, type UnpaidReason } from '../../mesh/records.ts';
import { accountId, accountRow, available } from '../ledger/accounts.ts';
import type { Page, Reader, Store } from '../store/store.ts';
import { ownNode } from './nodes.ts';
import { type WorkCreditRow, workCredits } from './records.ts';

export interface EarningsQuery {
  readonly limit: number;
  readonly offset: number;
  /** One of the account's nodes; absent: all of them, those that have left included. */
  readonly node?: string;
}

/** Work that was done and not accepted. */
export interface UnpaidLine {
  readonly node: string;
  readonly run: string;
  readonly from: bigint;
  readonly work: bigint;
  readonly atNs: bigint;
  /** In a sentence. */
  readonly reason: string;
}

export interface Earnings {
  /** Coins that the account has, in work units. */
  readonly balance: bigint;
  /** Work units that are paid, or not, when the jobs they belong to are over. */
  readonly pending: bigint;
  readonly paid: Page<WorkCreditRow>;
  readonly unpaid: Page<UnpaidLine>;
}

/** Newest first, each kind of line with its real total. @throws Refusal NOT_FOUND for another's node */
export async function earnings(store: Store, owner: string, query: EarningsQuery): Promise<Earnings> {
  const { limit, offset, node } = query;
  if (node !== undefined) await ownNode(store, owner, node);
  const nodes = node === undefined ? await nodeIds(store, owner) : [node];
  const page = { orderBy: { at_ns: 'desc' }, limit, offset } as const;
  const [paid, unpaid, coins, pending] = await Promise.all([
    store.page(workCredits, { where: { owner, ...(node === undefined ? {} : { node }) }, ...page }),
    nodes.length > 0
      ? store.page(meshUnpaid, { where: { node: { in: nodes } }, ...page })
      : { rows: [], total: 0 },
    accountRow(store, accountId('coin', owner)),
    store.sum(workCredits, 'due', { owner, due: { gt: 0n } }),
  ]);
  const lines = unpaid.rows.map(({ from_segment: from, at_ns: atNs, ...row }) => ({
    ...row,
    ...{ from, atNs, reason: reasonOf(row.reason) },
  }));
  return { balance: available(coins), pending, paid, unpaid: { rows: lines, total: unpaid.total } };
}

async function nodeIds(reader: Reader, owner: string): Promise<string[]> {
  return (await reader.find(meshNodes, { where: { owner } })).map(({ id }) => id);
}

const reasons: Readonly<Record<UnpaidReason, string>> = {
  refuted: 'A third execution found another result; the work is not paid, and the bond is withheld.',
  'behind-refuted': 'Work before it was refuted or dropped, so that nothing behind it counts.',
  undecided:
    'Two executions differed and nobody was shown to be wrong, or nobody could run it again: others do it.',
  fenced: 'The lease was over, after silence or standstill: another node went on with the run.',
  'not-committed': 'What was shown was not what was committed to or asked for.',
  returned: 'The node gave it back before it had shown what it had committed to.',
  done: 'The run had ended before.',
  failed: 'The run could be run by nobody, and its job was given up.',
  cancelled: 'The job was cancelled before the work was accepted.',
  rewound: 'The run went back behind it, because the service had lost bytes or planned it anew.',
  'paid-before': 'These segments were run again after a loss, and had been paid for before.',
  contradicted: "The service's own run of these segments found something else.",
  unawaited: 'It was late, or its node silent for too long: nobody waited for the answer any more.',
};

const reasonOf = (word: string): string => reasons[word as UnpaidReason] ?? `Not accepted: ${word}.`;

const TAKEN_BACK =
  'A verdict found this work wrong after it was paid, or its node where nobody else had run it; its coins were taken back.';
const WAITS =
  'Paid when the job is over: by its asker, or, where the job is not charged, by the house within its day.';
const spent = 'what the house pays a day for its asker was spent: see free_work in the policy.';
const shortOf: Readonly<Record<string, string>> = {
  free: `Nobody paid for this work, and ${spent}`,
  uncharged: `The job was not charged for this work (it was cancelled or refused, or needed less), and ${spent}`,
  plan: 'The run was planned with less work than its segments were said to take together.',
};

/** Why a line that was accepted is not, not yet or no longer paid in full; null where it is. */
export function reasonOfPaid({ short, taken_back, due }: WorkCreditRow): string | null {
  if (due !== null) return WAITS;
  if (short === 'refunded')
    return taken_back === null ? null : `A verdict gave the asker the money back, and ${spent}`;
  if (taken_back !== null) return TAKEN_BACK;
  return short === null ? null : (shortOf[short] ?? null);
}

import type { Transaction } from '../../src/store/store.ts';
import type { Claim } from '../decide/claim.ts';
import { forfeited, overlap, type Segments, type VouchedSpan } from '../decide/pay.ts';
import { type MeshSpanRow, meshSpans } from '../records.ts';
import { convicted } from './doubts.ts';
import { paidAfterAll } from './losses.ts';
import type { Credits } from './ports.ts';
import { type StoredRun, termsOf } from './run-rows.ts';

/**
 * Nobody vouches for what nodes did in a run that were found wrong there, but for what somebody else has run too: the
 * pay for the rest is taken back, also for what the run went back behind. Who has run that again is paid for it.
 */
export async function forfeit(
  tx: Transaction,
  stored: StoredRun,
  distrusted: readonly string[],
  { credits, nowNs: atNs }: { readonly credits: Credits; readonly nowNs: bigint },
): Promise<void> {
  const { id: run } = stored.machine;
  const nodes = await convicted(tx, run);
  if (nodes.length === 0) return;
  const rows = await tx.find(meshSpans, { where: { run }, orderBy: { from_segment: 'asc' } });
  const taken: Segments[] = [];
  for (const node of nodes)
    for (const segments of forfeited(node, rows.map(vouched), distrusted))
      taken.push(...(await credits.takeBack(tx, { node, run, ...segments, atNs })));
  const others = rows.filter(({ node }) => !nodes.includes(node));
  for (const row of others)
    if (taken.some((segments) => overlap(vouched(row), segments)))
      await payAgain(tx, stored, row, { credits, atNs });
}

const vouched = ({ node, checked_by: witness, from_segment, to_segment }: MeshSpanRow): VouchedSpan => ({
  ...{ node, witness, from: Number(from_segment), to: Number(to_segment) },
});

async function payAgain(
  tx: Transaction,
  { job, sheet, machine: { id: run, payer } }: StoredRun,
  { node, owner, from_segment, to_segment, work, claim }: MeshSpanRow,
  { credits, atNs }: { readonly credits: Credits; readonly atNs: bigint },
): Promise<void> {
  const [from, to] = [Number(from_segment), Number(to_segment)];
  const counter = BigInt((claim as Claim).work);
  const of = { node, owner, run, payer, ...termsOf(job, sheet), kind: 'segment', fence: 0, atNs } as const;
  const paid = await credits.creditAgain(tx, { ...of, from, to, work, counter });
  if (paid > 0n) await paidAfterAll(tx, run, { node, from, work: paid });
}

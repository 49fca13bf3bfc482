import type { Mode } from '../../mesh/desk.ts';
import { meshNodes } from '../../mesh/records.ts';
import { refuse } from '../errors/refusal.ts';
import type { Transaction } from '../store/store.ts';
import { hasVerdicts } from './bond.ts';
import { ownNode } from './nodes.ts';
import type { ContributePolicy } from './policy.ts';
import { contributors } from './records.ts';

/** A machine sells cycles or runs its owner's experiments or rests: one of the three (CONTRIB-03, CONTRIB-04). */
export const modes: readonly Mode[] = ['idle', 'contributing', 'experimenting'];

export const isMode = (value: unknown): value is Mode => modes.includes(value as Mode);

/**
 * Switches the account and all its nodes, or the one that is named. A mode is one value, so that a node never sells
 * cycles and runs its owner's work at once; what the mode before ran is preempted by whoever is told of the switch.
 * @returns nodes whose mode this changed
 * @throws Refusal NOT_FOUND · CONFLICT where the account may contribute under a bond only and has none
 */
export async function switchMode(
  tx: Transaction,
  { owner, mode, node, nowNs }: { owner: string; mode: Mode; node?: string; nowNs: bigint },
  { bondRequired }: ContributePolicy,
): Promise<string[]> {
  const account = (await tx.get(contributors, { owner }))!;
  if (mode === 'contributing' && account.bond === null && (bondRequired || (await hasVerdicts(tx, owner))))
    refuse('CONFLICT', 'This account contributes only under a bond; POST /api/contribute/bond places one.');
  // A release decides by this row too, so that one of the two sees the other.
  await tx.update(contributors, { owner }, { changed_ns: nowNs, ...(node === undefined ? { mode } : {}) });
  const rows =
    node === undefined ? await tx.find(meshNodes, { where: { owner } }) : [await ownNode(tx, owner, node)];
  if (node !== undefined && rows[0]!.state !== 'admitted')
    refuse('CONFLICT', `This node ${rows[0]!.state === 'left' ? 'has left' : 'is barred'}; it has no mode.`);
  const switched = rows.filter((row) => row.state === 'admitted' && row.mode !== mode).map(({ id }) => id);
  for (const id of switched) await tx.update(meshNodes, { id }, { mode }, { state: 'admitted' });
  return switched;
}

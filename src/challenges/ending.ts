import { settleHold } from '../ledger/charge.ts';
import type { ChallengeVerdict } from '../proof/challenge-verdict.ts';
import { overturns } from '../proof/challenge-verdict.ts';
import type { PendingBatch } from '../spine/node-log.ts';
import { envelopes } from '../spine/records.ts';
import { type LogParts, logVerdict, overturn } from '../spine/revocations.ts';
import type { Transaction } from '../store/store.ts';
import type { Bonds, Party } from './ports.ts';
import { meshRun } from './provenance.ts';
import { type ChallengeRow, type ChallengeState, challenges, openStates } from './records.ts';

// How challenges end. All of an end is in one transaction of the caller: a kill leaves the whole of it or none.

export interface EndingParts extends LogParts {
  readonly bonds: Bonds;
}

/** Somebody else went on with it first. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** The signed verdict takes effect. @returns what is to be told once the transaction is durable */
export async function conclude(
  tx: Transaction,
  parts: EndingParts,
  row: ChallengeRow,
  verdict: ChallengeVerdict,
  { text, note }: { readonly text: string; readonly note: string },
): Promise<PendingBatch | undefined> {
  const atNs = parts.now();
  const { token_id } = row;
  const coin = await tx.get(envelopes, { token_id });
  if (coin?.revoked_ns !== null) {
    await endUndecided(tx, parts, row, 'moot', mootDetail(coin?.locked_by), atNs);
    return undefined;
  }
  const end = { outcome: verdict.outcome, detail: verdict.detail, verdict: note };
  if (!overturns(verdict.outcome)) {
    const batch = await logVerdict(tx, parts, text);
    await ended(tx, parts, row, 'settled', { ...end, verdict_index: BigInt(batch.firstIndex) }, atNs);
    await settleHold(tx, row.id, row.stake_plancks, atNs); // to the house
    return batch;
  }
  const why = { tokenId: token_id, outcome: verdict.outcome, challenge: row.id, verdict: text };
  const { batch, verdictIndex, revocationIndex } = await overturn(tx, parts, why);
  for (const node of verdict.faulty) {
    await parts.bonds.withhold(tx, { node, verdict: row.id, atNs });
    await parts.bonds.takeBack(tx, { node, run: meshRun(row.job, row.run), from: verdict.from, atNs });
  }
  await parts.bonds.jobRefunded(tx, { job: row.job, atNs });
  const leaves = { verdict_index: BigInt(verdictIndex), revocation_index: BigInt(revocationIndex) };
  await ended(tx, parts, row, 'settled', { ...end, ...leaves }, atNs);
  await settleHold(tx, row.id, 0n, atNs); // back to the challenger
  for (const other of await tx.find(challenges, { where: { token_id, state: openStates } }))
    await endUndecided(tx, parts, other, 'moot', mootDetail(`void/${row.id}`), atNs);
  return batch;
}

const mootDetail = (by: string | null | undefined): string =>
  `The result was revoked before this was settled${by?.startsWith('void/') ? `, by ${by.slice(5)}` : ''}; the stake is back.`;

/** The challenger has said nothing in time: its stake goes to the house, and nothing is decided of the result. */
export async function forfeit(
  tx: Transaction,
  parts: EndingParts,
  row: ChallengeRow,
  detail: string,
  atNs: bigint,
): Promise<void> {
  await ended(tx, parts, row, 'forfeited', { detail }, atNs);
  await settleHold(tx, row.id, row.stake_plancks, atNs);
}

/** Nothing is decided, and the stake returns. */
export async function endUndecided(
  tx: Transaction,
  parts: EndingParts,
  row: ChallengeRow,
  state: 'moot' | 'undecided',
  detail: string,
  atNs: bigint,
): Promise<void> {
  await ended(tx, parts, row, state, { detail }, atNs);
  await settleHold(tx, row.id, 0n, atNs);
}

async function ended(
  tx: Transaction,
  { bonds }: EndingParts,
  { id, version, state: before, parties }: ChallengeRow,
  state: ChallengeState,
  changes: Partial<ChallengeRow>,
  atNs: bigint,
): Promise<void> {
  const next = { ...changes, state, version: version + 1n, deadline_tick: null, ended_ns: atNs };
  if (!(await tx.update(challenges, { id }, next, { version, state: before })))
    throw new Overtaken(`challenge ${id} has gone on`);
  for (const owner of ownersOf(parties as readonly Party[]))
    await bonds.challengeClosed(tx, { owner, challenge: id });
}

export const ownersOf = (parties: readonly Party[]): ReadonlySet<string> =>
  new Set(parties.map(({ owner }) => owner));

import { randomBytes } from 'node:crypto';
import { openRuns } from '../../mesh/coordinator/run-rows.ts';
import { meshNodes } from '../../mesh/records.ts';
import { printableWord } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';
import { envelopes } from '../spine/records.ts';
import { DuplicateKey, type Reader, type Store, type Transaction } from '../store/store.ts';
import {
  type BondRow,
  bondChallenges,
  bonds,
  bondVerdicts,
  type ContributorRow,
  contributors,
} from './records.ts';

export const DAY_NS = 86_400_000_000_000n;
/** OPEN-37. */
export const TERM_DAYS = 30n;
const ATTEMPTS = 3;

/** What coins are marked with while a bond stands, and for ever once it is withheld. */
export const markOf = (bond: string): string => `bond/${bond}`;
/** Coins that can be bonded: paid for, hence movable, and not locked by anything (OPEN-55). */
const movable = (owner: string) => ({ owner, funding: 'paid', locked_by: null });

/** Somebody was quicker: what the decision rested on is no longer so. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** The account's row, made on first use: whoever decides by it must be able to write it. */
export async function contributorRow(store: Store, owner: string, nowNs: bigint): Promise<ContributorRow> {
  const known = await store.get(contributors, { owner });
  if (known) return known;
  const row = { owner, mode: 'idle', changed_ns: nowNs };
  await store
    .transaction((tx) => tx.insert(contributors, row))
    .catch((error) => {
      if (!(error instanceof DuplicateKey)) throw error; // another call was quicker
    });
  return (await store.get(contributors, { owner }))!;
}

/**
 * Bonds `coins` coins of the account where they are, the oldest first: marked, not moved, and issued to whom they were
 * (CONTRIB-01, CONTRIB-10). A bond that stands begins its term anew with the same coins.
 * @throws Refusal CONFLICT with how many coins can be bonded where they are too few
 */
export async function placeBond(store: Store, owner: string, coins: number, nowNs: bigint): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { bond } = await contributorRow(store, owner, nowNs);
    const done = bond === null ? markCoins(store, owner, coins, nowNs) : renewTerm(store, owner, bond, nowNs);
    if (await done.then(() => true, rethrownUnlessOvertaken)) return;
  }
  throw new Refusal('CONFLICT', 'Coins of this account are being moved; try again.');
}

function rethrownUnlessOvertaken(error: unknown): false {
  if (error instanceof Overtaken) return false;
  throw error;
}

async function markCoins(store: Store, owner: string, needed: number, nowNs: bigint): Promise<void> {
  const coins = await store.find(envelopes, {
    where: movable(owner),
    orderBy: { sealed_ns: 'asc' },
    limit: needed,
  });
  if (coins.length < needed) await refuseFew(store, owner, needed, coins.length);
  const id = randomBytes(12).toString('hex');
  const tokens = coins.map((coin) => coin.token_id);
  await store.transaction(async (tx) => {
    const changes = { bond: id, changed_ns: nowNs };
    if (!(await tx.update(contributors, { owner }, changes, { bond: null }))) throw new Overtaken();
    for (const token_id of tokens)
      if (!(await tx.update(envelopes, { token_id }, { locked_by: markOf(id) }, movable(owner))))
        throw new Overtaken();
    const ends_ns = nowNs + TERM_DAYS * DAY_NS;
    await tx.insert(bonds, { id, owner, state: 'bonded', tokens, bonded_ns: nowNs, ends_ns });
  });
}

async function refuseFew(reader: Reader, owner: string, needed: number, there: number): Promise<never> {
  const soulbound = await reader.count(envelopes, { owner, funding: 'free' });
  throw new Refusal(
    'CONFLICT',
    `A bond takes ${needed} coins that can move, and this account has ${there}` +
      `${soulbound > 0 ? `, beside ${soulbound} that were minted with given fuel and never move` : ''}.`,
    { needed, movable: there, soulbound },
  );
}

async function renewTerm(store: Store, owner: string, id: string, nowNs: bigint): Promise<void> {
  await store.transaction(async (tx) => {
    const ends_ns = nowNs + TERM_DAYS * DAY_NS;
    const isHeld = await tx.update(contributors, { owner }, { changed_ns: nowNs }, { bond: id });
    if (!isHeld || !(await tx.update(bonds, { id }, { ends_ns }, { state: 'bonded' }))) throw new Overtaken();
  });
}

/**
 * Ends a bond and lets its coins go: a change of state, nothing moves (CONTRIB-02).
 * @throws Refusal CONFLICT where there is none or it is withheld, while a challenge is open and while claims of the
 *  account's nodes wait to be checked (OPEN-37): nobody takes the bond away from under a check
 */
export async function releaseBond(tx: Transaction, owner: string, nowNs: bigint): Promise<void> {
  const bond = await standingBond(tx, owner);
  if (!bond) throw await noBond(tx, owner);
  const [open] = await tx.find(bondChallenges, { where: { owner }, limit: 1 });
  if (open)
    throw new Refusal(
      'CONFLICT',
      `Challenge ${printableWord(open.challenge)} is open against this account; the bond stands until it is decided.`,
      { challenge: open.challenge },
    );
  const unchecked = await uncheckedClaims(tx, owner);
  if (unchecked > 0)
    throw new Refusal(
      'CONFLICT',
      `${unchecked} claims of this account's nodes wait to be checked; the bond stands until they are.`,
      { unchecked },
    );
  await endBond(tx, bond, 'released', nowNs);
  for (const token_id of bond.tokens as string[])
    await tx.update(envelopes, { token_id }, { locked_by: null }, { locked_by: markOf(bond.id) });
}

async function uncheckedClaims(reader: Reader, owner: string): Promise<number> {
  const spans = (await openRuns(reader)).flatMap(({ machine }) => machine.spans);
  return spans.filter((span) => span.owner === owner && span.claim !== undefined && !span.sound).length;
}

async function endBond(tx: Transaction, { id, owner }: BondRow, state: string, nowNs: bigint): Promise<void> {
  await tx.update(contributors, { owner }, { bond: null, changed_ns: nowNs }, { bond: id });
  await tx.update(bonds, { id }, { state, ended_ns: nowNs }, { state: 'bonded' });
}

async function noBond(reader: Reader, owner: string): Promise<Refusal> {
  const [last] = await reader.find(bondVerdicts, { where: { owner }, orderBy: { at_ns: 'desc' }, limit: 1 });
  return last?.bond
    ? new Refusal('CONFLICT', `The bond was withheld by verdict ${printableWord(last.verdict)}.`, {
        verdict: last.verdict,
      })
    : new Refusal('CONFLICT', 'This account is not bonded.');
}

export async function standingBond(reader: Reader, owner: string): Promise<BondRow | undefined> {
  const id = (await reader.get(contributors, { owner }))?.bond;
  return id ? reader.get(bonds, { id }) : undefined;
}

export interface Fault {
  readonly node: string;
  /** Id of the verdict: each has its consequences once. */
  readonly verdict: string;
  readonly atNs: bigint;
}

/**
 * A verdict found a node wrong: the whole bond of its owner is withheld, the node is barred for ever, and the owner's
 * other nodes rest until there is a bond again (CONTRIB-06). Without a bond there is nothing to withhold; the verdict
 * is kept all the same. A repeat does nothing.
 */
export async function withholdBond(tx: Transaction, { node, verdict, atNs }: Fault): Promise<void> {
  const row = await tx.get(meshNodes, { id: node });
  if (!row || (await tx.get(bondVerdicts, { node, verdict }))) return;
  const { owner } = row;
  const bond = await standingBond(tx, owner);
  const coins = BigInt((bond?.tokens as string[] | undefined)?.length ?? 0);
  await tx.insert(bondVerdicts, { node, verdict, owner, bond: bond?.id ?? null, coins, at_ns: atNs });
  if (bond) await endBond(tx, bond, 'withheld', atNs);
  await tx.update(meshNodes, { id: node }, { state: 'barred', mode: 'idle' });
  await restNodes(tx, owner);
}

/** The account and those of its nodes that contribute are idle from now on. @returns ids of the nodes */
export async function restNodes(tx: Transaction, owner: string): Promise<string[]> {
  await tx.update(contributors, { owner }, { mode: 'idle' }, { mode: 'contributing' });
  const rows = await tx.find(meshNodes, { where: { owner } });
  const ids = rows.filter(({ mode }) => mode === 'contributing').map(({ id }) => id);
  for (const id of ids) await tx.update(meshNodes, { id }, { mode: 'idle' }, { mode: 'contributing' });
  return ids;
}

export interface OpenChallenge {
  readonly owner: string;
  readonly challenge: string;
}

/** Keeps the account's bond from being released until `challengeClosed`. A repeat does nothing. */
export async function challengeOpened(
  tx: Transaction,
  { owner, challenge, atNs }: OpenChallenge & { readonly atNs: bigint },
): Promise<void> {
  // A release decides by this row too, so that one of the two sees the other.
  await tx.update(contributors, { owner }, { changed_ns: atNs });
  await tx.put(bondChallenges, { owner, challenge, opened_ns: atNs });
}

export async function challengeClosed(tx: Transaction, { owner, challenge }: OpenChallenge): Promise<void> {
  await tx.delete(bondChallenges, { owner, challenge });
}

/** Whether a node of the account may only contribute under a bond, since a verdict went against one of its nodes. */
export async function hasVerdicts(reader: Reader, owner: string): Promise<boolean> {
  return (await reader.count(bondVerdicts, { owner })) > 0;
}

import type { Mode } from '../../mesh/desk.ts';
import { type MeshNodeRow, meshNodes } from '../../mesh/records.ts';
import { accountId, accountRow, available } from '../ledger/accounts.ts';
import type { Reader, Store } from '../store/store.ts';
import { DAY_NS, standingBond } from './bond.ts';
import { bonds, bondVerdicts, contributors } from './records.ts';

export type BondState = 'bonded' | 'not bonded' | 'withheld';

/** How an account stands (CONTRIB-08). */
export interface Standing {
  readonly mode: Mode;
  readonly bond: {
    readonly state: BondState;
    readonly coins: number;
    /** Days of the term that are left, begun ones counted whole; 0 where no bond stands. */
    readonly daysRemaining: number;
    readonly bondedNs?: bigint;
    readonly endsNs?: bigint;
  };
  /** Verdicts that found a node of the account wrong, newest first. */
  readonly verdicts: readonly Verdict[];
  readonly nodes: readonly MeshNodeRow[];
  /** Coins that the account has, in work units. */
  readonly balance: bigint;
}

export interface Verdict {
  readonly verdict: string;
  readonly node: string;
  /** Coins of the bond that it withheld. */
  readonly coins: number;
  readonly atNs: bigint;
}

const MOST_VERDICTS = 100;

export async function standing(store: Store, owner: string, nowNs: bigint): Promise<Standing> {
  const [account, verdicts, nodes, coins] = await Promise.all([
    store.get(contributors, { owner }),
    verdictsOf(store, owner),
    store.find(meshNodes, { where: { owner }, orderBy: { admitted_ns: 'asc' } }),
    accountRow(store, accountId('coin', owner)),
  ]);
  const bond = await bondOf(store, owner, nowNs);
  return { mode: (account?.mode ?? 'idle') as Mode, bond, verdicts, nodes, balance: available(coins) };
}

async function bondOf(reader: Reader, owner: string, nowNs: bigint): Promise<Standing['bond']> {
  const bond = await standingBond(reader, owner);
  if (bond) {
    const { bonded_ns: bondedNs, ends_ns: endsNs } = bond;
    const coins = (bond.tokens as string[]).length;
    return { state: 'bonded', coins, daysRemaining: daysUntil(endsNs, nowNs), bondedNs, endsNs };
  }
  const [last] = await reader.find(bonds, { where: { owner }, orderBy: { bonded_ns: 'desc' }, limit: 1 });
  const state = last?.state === 'withheld' ? 'withheld' : 'not bonded';
  return { state, coins: state === 'withheld' ? (last!.tokens as string[]).length : 0, daysRemaining: 0 };
}

function daysUntil(endsNs: bigint, nowNs: bigint): number {
  return endsNs > nowNs ? Number((endsNs - nowNs + DAY_NS - 1n) / DAY_NS) : 0;
}

async function verdictsOf(reader: Reader, owner: string): Promise<Verdict[]> {
  const query = { where: { owner }, orderBy: { at_ns: 'desc' }, limit: MOST_VERDICTS } as const;
  const rows = await reader.find(bondVerdicts, query);
  return rows.map(({ verdict, node, coins, at_ns: atNs }) => ({ verdict, node, coins: Number(coins), atNs }));
}

/** Counts, and nobody's name (CONTRIB-09). */
export interface Census {
  readonly nodes: number;
  /** Of them those that gave a sign of life lately. */
  readonly present: number;
  readonly modes: Readonly<Record<Mode, number>>;
  readonly barred: number;
  readonly owners: number;
  readonly bonds: number;
  /** Of the nodes that contribute and are present. */
  readonly cores: number;
  readonly memory: number;
  readonly engines: Readonly<Record<string, number>>;
}

/** `here`: nodes that the transport heard of lately. */
export async function census(store: Store, here: readonly string[]): Promise<Census> {
  const heard = new Set(here);
  const [admitted, barred, standing] = await Promise.all([
    store.find(meshNodes, { where: { state: 'admitted' } }),
    store.count(meshNodes, { state: 'barred' }),
    store.count(bonds, { state: 'bonded' }),
  ]);
  const present = admitted.filter(({ id }) => heard.has(id));
  const working = present.filter(({ mode }) => mode === 'contributing');
  const inMode = (mode: Mode) => admitted.filter((row) => row.mode === mode).length;
  const engines = new Map<string, number>();
  for (const { engine } of admitted) engines.set(engine, (engines.get(engine) ?? 0) + 1);
  return {
    nodes: admitted.length,
    present: present.length,
    modes: {
      idle: inMode('idle'),
      contributing: inMode('contributing'),
      experimenting: inMode('experimenting'),
    },
    barred,
    owners: new Set(admitted.map(({ owner }) => owner)).size,
    bonds: standing,
    cores: working.reduce((sum, { cores }) => sum + Number(cores), 0),
    memory: working.reduce((sum, { memory }) => sum + Number(memory), 0),
    engines: Object.fromEntries(engines),
  };
}

import type { Digest } from '../../src/proof/job.ts';
import type { Reader, Transaction } from '../../src/store/store.ts';
import type { Claim } from '../decide/claim.ts';
import type { PaidThrough } from '../decide/pay.ts';
import type { MeshRun } from '../decide/run.ts';
import type { StartState } from '../desk.ts';
import { type MeshRunRow, type MeshSpanRow, meshRuns, meshSpans } from '../records.ts';
import { type JobClass, jobClasses } from '../subjects.ts';
import type { CreditedWork } from './ports.ts';
import { wakeTick } from './wake.ts';

/** What a run is, apart from how far it has come. */
export interface RunSheet {
  readonly runHash: Digest;
  readonly kernel: Digest;
  readonly parameters: Digest;
  readonly stepsPerSegment: number;
  readonly memory: number;
  readonly work: number;
  readonly class: JobClass;
  /** Where it began on the mesh, when its first segments were run before. */
  readonly start?: StartState & { readonly segment: number; readonly work: string };
}

/** A run as the store has it. */
export interface StoredRun {
  readonly job: string;
  readonly sheet: RunSheet;
  readonly machine: MeshRun;
  /** Objects of claims that wait to be accepted, by `pendingName`. */
  readonly pending: Pending;
  readonly paid: PaidThrough;
  readonly version: bigint;
  readonly createdNs: bigint;
  readonly deadlineNs: bigint;
  /** What can be asked for without reading the machine; null where a version before this one wrote the row. */
  readonly holder: string | null;
  readonly wakeTick: bigint | null;
}

/** What the run was planned with, and the job that pays where one does. */
export const termsOf = (
  job: string,
  { work, class: jobClass }: RunSheet,
): Pick<CreditedWork, 'planned' | 'job'> => ({
  planned: BigInt(Math.ceil(work)),
  ...(jobClass.startsWith('paid') && { job }),
});

export type Pending = Readonly<Record<string, Digest>>;
export const pendingName = ({ fence, from }: { fence: number; from: number }): string => `${fence}/${from}`;

export async function storedRun(reader: Reader, id: string): Promise<StoredRun | undefined> {
  const row = await reader.get(meshRuns, { id });
  return row && readRow(row);
}

function readRow(row: MeshRunRow): StoredRun {
  return {
    job: row.job,
    sheet: row.spec as RunSheet,
    machine: row.machine as MeshRun,
    pending: row.pending as Pending,
    paid: { segment: Number(row.credited), work: row.credited_work ?? undefined },
    version: row.version,
    createdNs: row.created_ns,
    deadlineNs: row.deadline_ns,
    holder: row.holder,
    wakeTick: row.wake_tick,
  };
}

/** Open runs that the passing of time may change, in the order of their classes: all others need nobody's look. */
export async function wakingRuns(reader: Reader, tick: number): Promise<StoredRun[]> {
  const open = { state: 'open' };
  const [due, unknown] = await Promise.all([
    reader.find(meshRuns, { where: { ...open, wake_tick: { lte: BigInt(tick) } } }),
    reader.find(meshRuns, { where: { ...open, wake_tick: null } }), // of a version before this one
  ]);
  const runs = [...due, ...unknown].map(readRow);
  return runs.sort((a, b) => jobClasses.indexOf(a.sheet.class) - jobClasses.indexOf(b.sheet.class));
}

export async function openRuns(reader: Reader): Promise<StoredRun[]> {
  return (await reader.find(meshRuns, { where: { state: 'open' } })).map(readRow);
}

/** `after`: the last version of a run of this name, whose row is gone. */
export async function insertRun(
  tx: Transaction,
  job: string,
  sheet: RunSheet,
  machine: MeshRun,
  more: {
    readonly createdNs: bigint;
    readonly deadlineNs: bigint;
    readonly paid: PaidThrough;
    readonly after: bigint;
  },
): Promise<void> {
  const { holder, wakeTick } = derived(machine, more.deadlineNs);
  await tx.insert(meshRuns, {
    id: machine.id,
    job,
    class: sheet.class,
    state: machine.state,
    version: more.after + 1n,
    machine,
    pending: {},
    spec: sheet,
    credited: BigInt(more.paid.segment),
    credited_work: more.paid.work ?? null,
    holder,
    wake_tick: wakeTick,
    created_ns: more.createdNs,
    deadline_ns: more.deadlineNs,
  });
}

const derived = (machine: MeshRun, deadlineNs: bigint) => ({
  holder: machine.lease?.id ?? '',
  wakeTick: BigInt(wakeTick(machine, deadlineNs)),
});

/** Compare and set. @returns the run as it stands now, or undefined where somebody else was quicker */
export async function saveRun(
  tx: Transaction,
  before: StoredRun,
  changes: Pick<StoredRun, 'machine' | 'pending' | 'paid'> & Partial<Pick<StoredRun, 'sheet'>>,
): Promise<StoredRun | undefined> {
  const { version, deadlineNs } = before;
  const after = { ...before, ...changes, ...derived(changes.machine, deadlineNs), version: version + 1n };
  const { id } = after.machine;
  return (await tx.update(meshRuns, { id }, changedColumns(before, after), { version })) ? after : undefined;
}

/** Only what differs is written: most of a row, and its indexes, stay as they are. */
function changedColumns(before: StoredRun, { sheet, machine, pending, paid, ...after }: StoredRun) {
  const { holder, wakeTick: wake_tick, version } = after;
  return {
    ...{ machine, version },
    ...(machine.state !== before.machine.state && { state: machine.state }),
    ...(sheet !== before.sheet && { spec: sheet }),
    ...(!areSame(pending, before.pending) && { pending }),
    ...(paid !== before.paid && { credited: BigInt(paid.segment), credited_work: paid.work ?? null }),
    ...(holder !== before.holder && { holder }),
    ...(wake_tick !== before.wakeTick && { wake_tick }),
  };
}

function areSame(a: Pending, b: Pending): boolean {
  if (a === b) return true;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** The last accepted span: where the next segment starts. */
export async function lastSpan(reader: Reader, run: string): Promise<AcceptedSpan | undefined> {
  return (await lastSpans(reader, run, 1))[0];
}

/** The last ones, the very last first. */
export async function lastSpans(reader: Reader, run: string, limit: number): Promise<AcceptedSpan[]> {
  const rows = await reader.find(meshSpans, { where: { run }, orderBy: { from_segment: 'desc' }, limit });
  return rows.map(readSpan);
}

const readSpan = ({ claim, bytes }: MeshSpanRow): AcceptedSpan => ({ claim: claim as Claim, bytes });

/** What the run is put together from. */
export interface AcceptedSpan {
  readonly claim: Claim;
  /** Name of its rows, result and observed quantities in the object store. */
  readonly bytes: Digest;
}

export async function acceptedSpans(reader: Reader, run: string, behind: number): Promise<AcceptedSpan[]> {
  const where = { run, from_segment: { gt: BigInt(behind) } };
  const rows = await reader.find(meshSpans, { where, orderBy: { from_segment: 'asc' } });
  return rows.map(readSpan);
}

/** @returns those that went */
export async function dropSpansBehind(
  tx: Transaction,
  run: string,
  segment: number,
): Promise<AcceptedSpan[]> {
  const dropped = await tx.find(meshSpans, { where: { run, from_segment: { gt: BigInt(segment) } } });
  for (const { from_segment } of dropped) await tx.delete(meshSpans, { run, from_segment });
  return dropped.map(readSpan);
}

/** All but the spans through `kept` that nothing has taken the place of: what comes behind them goes on from there. */
export async function forgetRun(tx: Transaction, run: string, kept: number): Promise<void> {
  await dropSpansBehind(tx, run, kept);
  for (const { from_segment, replaced_by } of await tx.find(meshSpans, { where: { run } }))
    if (replaced_by !== null) await tx.delete(meshSpans, { run, from_segment });
  await tx.delete(meshRuns, { id: run });
}

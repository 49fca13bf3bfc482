import type { Digest } from '../../src/proof/job.ts';
import type { Reader, Transaction } from '../../src/store/store.ts';
import type { Claim } from '../decide/claim.ts';
import type { MeshRun } from '../decide/run.ts';
import type { StartState } from '../desk.ts';
import { type MeshRunRow, type MeshSpanRow, meshRuns, meshSpans } from '../records.ts';
import type { JobClass } from '../subjects.ts';
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
  readonly sheet: RunSheet;
  readonly machine: MeshRun;
  /** Objects of claims that wait to be accepted, by `pendingName`. */
  readonly pending: Pending;
  readonly paid: PaidThrough;
  readonly version: bigint;
  readonly deadlineNs: bigint;
}

/** How far a run was paid for: what is run again after a loss is not paid again. */
export interface PaidThrough {
  /** Last segment that was. */
  readonly segment: number;
  /** The work counter at its end; undefined where no version before this one wrote it down. */
  readonly work: bigint | undefined;
}

export type Pending = Readonly<Record<string, Digest>>;
export const pendingName = ({ fence, from }: { fence: number; from: number }): string => `${fence}/${from}`;

export async function storedRun(reader: Reader, id: string): Promise<StoredRun | undefined> {
  const row = await reader.get(meshRuns, { id });
  return row && readRow(row);
}

function readRow(row: MeshRunRow): StoredRun {
  return {
    sheet: row.spec as RunSheet,
    machine: row.machine as MeshRun,
    pending: row.pending as Pending,
    paid: { segment: Number(row.credited), work: row.credited_work ?? undefined },
    version: row.version,
    deadlineNs: row.deadline_ns,
  };
}

/** Open runs that the passing of time may change: all others need nobody's look. */
export async function wakingRuns(reader: Reader, tick: number): Promise<StoredRun[]> {
  const open = { state: 'open' };
  const [due, unknown] = await Promise.all([
    reader.find(meshRuns, { where: { ...open, wake_tick: { lte: BigInt(tick) } } }),
    reader.find(meshRuns, { where: { ...open, wake_tick: null } }), // of a version before this one
  ]);
  return [...due, ...unknown].map(readRow);
}

export async function openRuns(reader: Reader): Promise<StoredRun[]> {
  return (await reader.find(meshRuns, { where: { state: 'open' } })).map(readRow);
}

export async function insertRun(
  tx: Transaction,
  job: string,
  sheet: RunSheet,
  machine: MeshRun,
  more: { readonly createdNs: bigint; readonly deadlineNs: bigint; readonly paid: PaidThrough },
): Promise<void> {
  await tx.insert(meshRuns, {
    id: machine.id,
    job,
    class: sheet.class,
    state: machine.state,
    version: 1n,
    machine,
    pending: {},
    spec: sheet,
    ...paidColumns(more.paid),
    ...machineColumns(machine, more.deadlineNs),
    created_ns: more.createdNs,
    deadline_ns: more.deadlineNs,
  });
}

const paidColumns = ({ segment, work }: PaidThrough) => ({
  credited: BigInt(segment),
  credited_work: work ?? null,
});

/** What is asked for without reading the machine. */
const machineColumns = (machine: MeshRun, deadlineNs: bigint) => ({
  holder: machine.lease?.id ?? '',
  wake_tick: BigInt(wakeTick(machine, deadlineNs)),
});

/** Compare and set. @returns whether nobody else was quicker */
export function saveRun(
  tx: Transaction,
  { version, sheet, deadlineNs }: StoredRun,
  machine: MeshRun,
  { pending, paid }: Pick<StoredRun, 'pending' | 'paid'>,
): Promise<boolean> {
  const next = {
    spec: sheet,
    machine,
    state: machine.state,
    version: version + 1n,
    pending,
    ...paidColumns(paid),
    ...machineColumns(machine, deadlineNs),
  };
  return tx.update(meshRuns, { id: machine.id }, next, { version });
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

export async function forgetRun(tx: Transaction, run: string): Promise<void> {
  await dropSpansBehind(tx, run, -2);
  await tx.delete(meshRuns, { id: run });
}

import { sha256 } from '#crypto';
import { printable } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { type Answer, type BytesEntry, blobDigest, type PartEntry, type RunEntry } from '../proof/answer.ts';
import { fromBase64, toHex } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import type { Digest } from '../proof/job.ts';
import { blobsIn, readInput } from '../solvers/input.ts';
import type { Continuation, EarlierRun, Solver } from '../solvers/solver.ts';
import { blobBytes } from '../store/blobs.ts';
import type { Reader } from '../store/store.ts';
import { sealedAnswerFaults } from './answer-audit.ts';
import { envelopes, type JobRow, jobs } from './records.ts';
import { revokedBy } from './revocations.ts';

type Request = Readonly<Record<string, unknown>>;

/** Whose jobs can be continued, and with which kernels. */
export interface ContinuingMeans {
  readonly store: Reader;
  readonly account: string | undefined;
  /** Digest of the kernel of this name. */
  readonly kernel: (name: string) => Digest;
}

const FIELD = 'initialState.continue';

/** The job that a request continues, if it continues one. */
export function continuedJob(request: Request): string | undefined {
  const state = request.initialState as { continue?: unknown } | undefined;
  return typeof state?.continue === 'string' ? state.continue : undefined;
}

/**
 * The input of a request that continues `id`: the first job's with the new end and the states of the job before
 * (docs/protocol.md, 'Continuing').
 * @throws Refusal NOT_FOUND · CONFLICT · INVALID_INPUT · UNSUPPORTED
 */
export async function continuedInput(
  solver: Solver,
  sent: { readonly input: unknown; readonly request: Request },
  id: string,
  means: ContinuingMeans,
): Promise<unknown> {
  const { continuation } = solver;
  if (!continuation) refuse('UNSUPPORTED', `${solver.id} does not continue jobs.`, { field: FIELD });
  const row = await finishedJob(solver, id, means);
  const firstRow = await firstJob(row, means);
  const first = await inputOf(solver, firstRow, means.store);
  refuseOtherFields(id, sent.request, requestOf(firstRow), pathsOf(continuation, sent.input));
  const runs = await runsOf(row, continuation, means);
  await mustBeWhole(row, means.store);
  return continuation.join(sent.input, { id, first, firstHash: sha256(firstRow.request), runs });
}

// ---- jobs ----------------------------------------------------------------------------------------------

async function finishedJob(solver: Solver, id: string, means: ContinuingMeans): Promise<JobRow> {
  const row = await jobOf(id, means);
  if (row.solver !== solver.id)
    refuse('INVALID_INPUT', `Job ${id} is one of ${row.solver}; ${solver.id} cannot continue it.`, {
      field: FIELD,
      accepts: `a job of ${solver.id}`,
    });
  if (row.state !== 'done')
    refuse('CONFLICT', `Job ${id} is ${row.state}: only a job that is done and sealed can be continued.`, {
      field: FIELD,
      job: id,
      state: row.state,
    });
  const challenge = (await revokedBy(means.store, row.token_id ? [row.token_id] : [])).get(
    row.token_id ?? '',
  );
  if (challenge !== undefined)
    refuse('CONFLICT', `Job ${id} was revoked by the verdict of ${challenge}: nothing goes on from it.`, {
      ...{ field: FIELD, job: id, challenge },
    });
  return row;
}

/** A job of another account is as good as none. */
async function jobOf(id: string, { store, account }: ContinuingMeans): Promise<JobRow> {
  const row = await store.get(jobs, { id });
  if (row === undefined || row.account !== account)
    refuse('NOT_FOUND', `There is no job ${printable(id)} of this account.`, { field: FIELD });
  if (toHex(sha256(row.request)) !== row.request_hash)
    refuseDamaged(id, 'its request is not the one of its hash');
  return row;
}

/** Nothing goes on from what is not what was sealed: a disk may give back other bytes than it was given. */
async function mustBeWhole(row: JobRow, store: Reader): Promise<void> {
  const envelope = await store.get(envelopes, { token_id: row.token_id! });
  const faults = envelope
    ? await sealedAnswerFaults(store, { ...row, answer: row.answer! }, envelope, { vkeys: [] })
    : ['its envelope is gone'];
  if (faults.length > 0) refuseDamaged(row.id, faults[0]!);
}

function refuseDamaged(id: string, why: string): never {
  refuse('CONFLICT', `What is kept of job ${id} is damaged, and nothing goes on from it: ${why}.`, {
    field: FIELD,
    job: id,
  });
}

/** Back along the chain to the job that started. */
async function firstJob(row: JobRow, means: ContinuingMeans): Promise<JobRow> {
  let first = row;
  for (let id = continuedJob(requestOf(first)); id !== undefined; id = continuedJob(requestOf(first)))
    first = await jobOf(id, means);
  return first;
}

const requestOf = (row: JobRow): Request => JSON.parse(new TextDecoder().decode(row.request));

async function inputOf(solver: Solver, row: JobRow, store: Reader): Promise<unknown> {
  const request = requestOf(row);
  const blobs = new Map<string, Uint8Array>();
  for (const digest of blobsIn(request)) blobs.set(digest, await storedBlob(store, digest));
  const { input } = readInput(solver.input, request, (digest) => blobs.get(digest));
  return solver.canonical?.(input) ?? input;
}

// ---- what may differ -----------------------------------------------------------------------------------

interface Paths {
  readonly end: string;
  readonly beside: readonly string[];
  readonly start: readonly string[];
}

function pathsOf(continuation: Continuation, input: unknown): Paths {
  const { start, beside = [] } = continuation;
  const fields = typeof start === 'function' ? start(input) : start;
  return { end: continuation.end(input), beside, start: ['initialState', ...fields] };
}

/** Everything but start and end is as the first job had it; a start is not given again. */
function refuseOtherFields(id: string, sent: Request, first: Request, { end, beside, start }: Paths): void {
  const { initialState, ...rest } = sent;
  const others = Object.keys(initialState as object).filter((name) => name !== 'continue');
  const again = others[0] === undefined ? startIn(rest, start) : `initialState.${others[0]}`;
  if (again !== undefined)
    refuse('INVALID_INPUT', `${again}: job ${id} has its start already.`, {
      field: again,
      accepts: 'initialState {continue} alone',
    });
  const field = firstDifference(rest, first, '', new Set([end, ...beside, ...start]));
  if (field !== undefined)
    refuse(
      'INVALID_INPUT',
      `${field} is not what it was in the first job; only ${[end, ...beside].join(' and ')} may differ.`,
      {
        field,
        accepts: valueAt(first, field) ?? 'nothing: the first job does not have it',
      },
    );
}

const startIn = (request: Request, start: readonly string[]) =>
  start.find((path) => valueAt(request, path) !== undefined);

function valueAt(request: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), request);
}

const isRecord = (value: unknown): value is Request =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Path of the first field that differs, apart from those in `free`. */
function firstDifference(a: Request, b: Request, at: string, free: ReadonlySet<string>): string | undefined {
  for (const name of new Set([...Object.keys(b), ...Object.keys(a)])) {
    const path = at + name;
    const [own, other] = [a[name], b[name]];
    if (free.has(path)) continue;
    if (isRecord(own) && isRecord(other)) {
      const inner = firstDifference(own, other, `${path}.`, free);
      if (inner !== undefined) return inner;
    } else if (own === undefined || other === undefined || canonicalText(own) !== canonicalText(other)) {
      return path;
    }
  }
  return undefined;
}

// ---- what its runs gave --------------------------------------------------------------------------------

async function runsOf(
  row: JobRow,
  { results, literals = [] }: Continuation,
  { store, kernel }: ContinuingMeans,
): Promise<EarlierRun[]> {
  const { runs } = JSON.parse(new TextDecoder().decode(row.answer!)) as Answer;
  const digest = blobDigest(runs);
  const entries = (
    digest === undefined ? runs : JSON.parse(new TextDecoder().decode(await storedBlob(store, digest)))
  ) as readonly RunEntry[];
  const wanted = entries.filter(({ name }) => results.includes(name) || literals.includes(name));
  const made: EarlierRun[] = [];
  for (const entry of wanted) {
    refuseOtherKernel(row.id, entry, kernel);
    made.push({
      kernel: entry.name,
      ...(results.includes(entry.name) && { result: await bytesOf(store, entry.result!) }),
      ...(literals.includes(entry.name) && { literals: await literalsOf(store, entry.parts) }),
    });
  }
  return made;
}

/** Another kernel may lay its state out otherwise, and would not give the same bits. */
function refuseOtherKernel(id: string, run: RunEntry, kernel: ContinuingMeans['kernel']): void {
  if (run.kernel === kernel(run.name)) return;
  throw new Refusal('CONFLICT', `Job ${id} was computed by another version of kernel ${run.name}.`, {
    field: FIELD,
    kernel: run.kernel,
    accepts: 'its final state as initialState',
  });
}

async function literalsOf(store: Reader, parts: readonly PartEntry[]): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (const part of parts) {
    if ('bytes' in part) found.push(fromBase64(part.bytes));
    else if ('blob' in part) found.push(await storedBlob(store, part.blob));
  }
  return found;
}

async function bytesOf(store: Reader, entry: BytesEntry): Promise<Uint8Array> {
  return typeof entry === 'string' ? fromBase64(entry) : storedBlob(store, blobDigest(entry)!);
}

async function storedBlob(store: Reader, digest: Digest): Promise<Uint8Array> {
  const bytes = await blobBytes(store, digest);
  return bytes ?? refuse('NOT_FOUND', `There is no blob sha256:${digest} here any more.`, { field: FIELD });
}

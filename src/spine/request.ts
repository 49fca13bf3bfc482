import { setImmediate } from 'node:timers/promises';
import { sha256 } from '#crypto';
import { Refusal } from '../errors/refusal.ts';
import { toHex, utf8 } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import { fromTheStart } from '../solvers/continuation.ts';
import { blobsIn, readInput } from '../solvers/input.ts';
import { expectedWork } from '../solvers/quote.ts';
import { solverOf } from '../solvers/registry.ts';
import type { Quote, Solver } from '../solvers/solver.ts';
import { blobBytes, blobLength } from '../store/blobs.ts';
import type { Store } from '../store/store.ts';
import { type ContinuingMeans, continuedInput, continuedJob } from './continued.ts';
import { mayReadBlob } from './job-blobs.ts';
import { outOfRange, type RoundsContext } from './rounds.ts';

/** A request that was read: what is computed, what is hashed, and what it will cost. */
export interface Prepared {
  readonly solver: Solver;
  /** What is planned: the request as it was read, or the whole of the job that it continues to a new end. */
  readonly input: unknown;
  /** Canonical request, and its text, bytes and SHA-256. */
  readonly request: Record<string, unknown>;
  readonly requestText: string;
  readonly requestBytes: Uint8Array;
  readonly requestHash: string;
  readonly context: RoundsContext;
  readonly quote: Quote;
}

/** Where a request's blobs, and the job that it continues, come from. */
export interface RequestSources {
  /** The blobs that the body names, as far as they may be read. */
  readonly loaded: ReadonlyMap<string, Uint8Array>;
  readonly blob: RoundsContext['blob'];
  /** The input of a request that continues this job. */
  readonly continued: (sent: Continuing, job: string) => Promise<unknown>;
}

type Continuing = Parameters<typeof continuedInput>[1];

/**
 * Reads a body by its solver's schema and prices it. Nothing is computed, held or written.
 * @throws Refusal for what the schema or the plan refuses
 */
export async function prepare(
  store: Store,
  solverId: string,
  body: unknown,
  means: Omit<ContinuingMeans, 'store'>,
): Promise<Prepared> {
  const solver = solverOf(solverId);
  const loaded = await loadBlobs(store, body, means.account);
  return prepareFrom(solver, body, {
    loaded,
    blob: (digest) => blobOf(store, loaded, digest),
    continued: (sent, job) => continuedInput(solver, sent, job, { ...means, store }),
  });
}

/** The same without a store. */
export async function prepareFrom(
  solver: Solver,
  body: unknown,
  { loaded, blob, continued }: RequestSources,
): Promise<Prepared> {
  // Millions of numbers take tens of milliseconds to read and as many to lay out: others are served in between.
  const others = (): unknown => (loaded.size > 0 ? setImmediate() : undefined);
  await others();
  const read = readInput(solver.input, body, (digest) => loaded.get(digest));
  const sent = solver.canonical?.(read.input) ?? read.input;
  const request = solver.canonical ? (sent as Record<string, unknown>) : read.request;
  await others();
  const before = continuedJob(request);
  const input = before === undefined ? sent : await continued({ input: sent, request }, before);
  const requestText = canonicalText(request);
  const requestBytes = utf8(requestText);
  const hash = sha256(requestBytes);
  const context: RoundsContext = { requestHash: hash, blob };
  const quote = quoteOf(solver, input, context);
  if (![quote.work, expectedWork(quote), quote.memory].every(isCounted))
    throw outOfRange(farthestFrom1(request)?.path);
  const requestHash = toHex(hash);
  return { solver, input, request, requestText, requestBytes, requestHash, context, quote };
}

/** @throws Refusal whose advice can be followed, also of a job that goes on */
function quoteOf(solver: Solver, input: unknown, context: RoundsContext): Quote {
  try {
    return solver.quote(input, context);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.code, error.message, fromTheStart(solver, input, error.details));
  }
}

interface FarNumber {
  readonly path: string;
  /** |x| or 1/|x|, whichever is above 1. */
  readonly size: number;
}

/** The number of a request that is the likeliest to have left the range; a quantity is its value. */
function farthestFrom1(value: unknown, path = ''): FarNumber | undefined {
  if (typeof value === 'number')
    return {
      path: path.replace(/\.value$/, ''),
      size: value === 0 ? 1 : Math.max(Math.abs(value), 1 / Math.abs(value)),
    };
  if (typeof value !== 'object' || value === null) return undefined;
  const far = Object.entries(value).map(([name, member]) =>
    farthestFrom1(member, path === '' ? name : `${path}.${name}`),
  );
  return far.reduce((a, b) => (a && (!b || a.size >= b.size) ? a : b), undefined);
}

/** Neither NaN nor infinite, which is what comes of numbers at the ends of the range. */
const isCounted = (figure: number): boolean => Number.isInteger(figure) && figure >= 0;

/** Bytes of all blobs that a request may name: its numbers are in memory at once, and read in one go. */
const MAX_BLOB_BYTES = 32 * 2 ** 20;
const MAX_BLOBS = 32;

/** The blobs that a body names and its account may read; another's is as if it were not there. */
async function loadBlobs(
  store: Store,
  body: unknown,
  account: string | undefined,
): Promise<Map<string, Uint8Array>> {
  const loaded = new Map<string, Uint8Array>();
  const named = blobsIn(body);
  if (named.length === 0 || account === undefined) return loaded;
  if (named.length > MAX_BLOBS) refuseBlobs(`names ${named.length} blobs`, `at most ${MAX_BLOBS}`);
  let total = 0;
  for (const digest of named) {
    const length = (await mayReadBlob(store, account, digest)) ? await blobLength(store, digest) : undefined;
    total += length ?? 0;
    if (total > MAX_BLOB_BYTES)
      refuseBlobs(`names more than ${MAX_BLOB_BYTES} bytes of blobs`, `at most ${MAX_BLOB_BYTES} bytes`);
    const bytes = length === undefined ? undefined : await blobBytes(store, digest);
    if (bytes) loaded.set(digest, bytes);
  }
  return loaded;
}

function refuseBlobs(what: string, accepts: string): never {
  throw new Refusal('LIMIT_EXCEEDED', `The request ${what}; ${accepts}.`, { accepts });
}

async function blobOf(
  store: Store,
  loaded: ReadonlyMap<string, Uint8Array>,
  digest: string,
): Promise<Uint8Array> {
  const bytes = loaded.get(digest) ?? (await blobBytes(store, digest));
  return bytes ?? Promise.reject(new Refusal('NOT_FOUND', `There is no blob sha256:${digest} here.`));
}

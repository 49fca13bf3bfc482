import { refuse } from '../errors/refusal.ts';
import {
  type Answer,
  type BytesEntry,
  blobDigest,
  isBlobReference,
  MAX_DIGESTS,
  type PartEntry,
  type RunEntry,
} from './answer.ts';
import { fromBase64, textOf } from './bytes.ts';
import { readCanonical } from './canonical.ts';
import type { Digest, Part } from './job.ts';
import { MAX_FILE_BYTES, refuseBeyondLimits } from './limits.ts';
import {
  anything,
  base64,
  bits,
  boolean,
  count,
  decimal,
  dictionary,
  digest,
  either,
  isRecord,
  list,
  nullable,
  number,
  record,
  type Shape,
  string,
  unreadable,
  word,
} from './shape.ts';
import { parseStrictJson } from './strict-json.ts';
import { kindNames } from './verdict-bytes.ts';

const blobReference = record({ $blob: string, length: count });
const orBlob = (shape: Shape): Shape =>
  either([isBlobReference, blobReference], [(value) => blobDigest(value) === undefined, shape]);

const envelope = record(
  {
    generation: word('v3', 'v1', 'pre_genesis'),
    node: string,
    operators: list(string),
    solver: string,
    requestHash: digest,
    jobRoot: digest,
    value: number,
    valueBits: bits,
    unit: nullable(string),
    masterSum: number,
    R: number,
    phase: number,
    tick: count,
    t_ns: decimal,
    precisionBound: number,
    precisionActual: number,
    gateKinds: list(word(...kindNames)),
    engine_version: string,
    work: decimal,
    price_plancks: decimal,
    from_bond_plancks: decimal,
    from_fuel_plancks: decimal,
    token_id: nullable(string),
    proof: nullable(digest),
  },
  { optional: { shownHash: digest } },
);

const tickAveraged = record({
  value: number,
  unit: nullable(string),
  periodNs: decimal,
  check: record({ samples: count, everyNs: count, sineSum: number, mean: number }),
});

const receipt = record({
  pulse: number,
  tick_period_ns: count,
  hmac: record({ algorithm: nullable(string), generation: string, verified: boolean, detail: string }),
  tick_averaged: tickAveraged,
  continuum: dictionary(/^[A-Za-z]+$/, number),
  masterEquation: anything,
  functionalEquation: anything,
  spectralPropagator: anything,
  log: record({ index: count, path: list(base64), checkpoint: string }),
});

const slice = { run: count, of: word('result', 'rows'), from: count, length: count };
const has = (key: string) => (value: unknown) => isRecord(value) && key in value;

const part = either(
  [has('bytes'), record({ bytes: base64 })],
  [has('blob'), record({ blob: digest, length: count })],
  [has('run'), record(slice)],
);

const atMost =
  (limit: number, shape: Shape): Shape =>
  (value, at) => {
    if (Array.isArray(value) && value.length > limit) unreadable(at, `a list of at most ${limit}`);
    shape(value, at);
  };
const digestList = atMost(MAX_DIGESTS, list(digest));

const run = record(
  {
    kernel: digest,
    name: string,
    label: string,
    parts: list(part),
    runHash: digest,
    stepsPerSegment: count,
    steps: count,
    segments: count,
    status: count,
    digests: either([Array.isArray, digestList], [isRecord, record({ level: count, nodes: digestList })]),
    root: digest,
    resultHash: digest,
    work: decimal,
  },
  { optional: { result: orBlob(base64), rows: orBlob(base64) } },
);

const gate = record({
  index: count,
  name: string,
  kind: word(...kindNames),
  quantity: string,
  source: string,
  measured: number,
  reference: number,
  relError: number,
  bound: number,
});

const field = record({
  name: string,
  unit: nullable(string),
  shape: list(count),
  source: record(slice),
  sealed: boolean,
  values: orBlob(list(number)),
});

const answerShape = record(
  {
    format: word('svc-answer-1'),
    value: number,
    unit: nullable(string),
    envelope,
    receipt,
    charges: record({
      work: decimal,
      price_plancks: decimal,
      from_bond_plancks: decimal,
      from_fuel_plancks: decimal,
    }),
    tick_receipt: record({
      tick: count,
      t_ns: decimal,
      tick_period_ns: count,
      pulse: number,
      phase: number,
      masterSum: number,
      R: number,
    }),
    tick_averaged: tickAveraged,
    request: orBlob(anything),
    gates: list(gate),
    verdict: base64,
    runs: orBlob(list(run)),
    fields: list(field),
    plots: list(anything),
    assumed: list(anything),
    warnings: list(string),
    unsealed: list(string),
  },
  { open: true },
);

const byDigest = dictionary(/^[0-9a-f]{64}$/, base64);
const bundleShape = record({
  format: word('svc-bundle-1'),
  answer: answerShape,
  blobs: byDigest,
  kernels: byDigest,
});

/** An answer with the bytes that came with it. Their digests are not checked yet: verify and rerun do that. */
export interface AnswerFile {
  readonly answer: Answer;
  /** Whether this is a bundle, which holds every blob that its answer names. */
  readonly isBundle: boolean;
  readonly runs: readonly RunEntry[];
  /** The request itself; undefined where it is a blob that is not in the file. */
  readonly request: unknown;
  /** Bytes by digest, blobs and kernels. */
  blob(digest: Digest): Uint8Array | undefined;
  kernel(digest: Digest): Uint8Array | undefined;
  readonly blobDigests: readonly Digest[];
  readonly kernelDigests: readonly Digest[];
}

/**
 * Reads an answer or a bundle: text, bytes, or parsed JSON. `more` gives blobs that the file names and does not hold.
 * Throws a Refusal INVALID_INPUT with a sentence for what cannot be read (exit code 2): it never guesses.
 */
export function readAnswer(
  file: unknown,
  more: (digest: Digest) => Uint8Array | undefined = () => undefined,
): AnswerFile {
  const json = typeof file === 'string' || file instanceof Uint8Array ? parse(file) : file;
  if (isRecord(json) && json.envelope === null) {
    refuse('INVALID_INPUT', 'This result was not sealed: it has no envelope and no receipt to verify.', {
      field: '/envelope',
      accepts: 'a sealed answer',
    });
  }
  const isBundle = isRecord(json) && json.format === 'svc-bundle-1';
  (isBundle ? bundleShape : answerShape)(json, '');
  const held = json as { answer: Answer; blobs: Record<Digest, string>; kernels: Record<Digest, string> };
  const bundle = isBundle ? held : { answer: json as Answer, blobs: {}, kernels: {} };
  const blob = (digest: Digest) => lookUp(bundle.blobs, digest, '/blobs') ?? more(digest);
  return {
    answer: bundle.answer,
    isBundle,
    runs: readRuns(bundle.answer, blob),
    request: readRequest(bundle.answer.request, blob),
    blob,
    kernel: (digest) => lookUp(bundle.kernels, digest, '/kernels'),
    blobDigests: Object.keys(bundle.blobs),
    kernelDigests: Object.keys(bundle.kernels),
  };
}

function parse(file: string | Uint8Array): unknown {
  if (file.length > MAX_FILE_BYTES)
    refuse('INVALID_INPUT', `The file is longer than ${MAX_FILE_BYTES} bytes.`, {
      accepts: 'a shorter file',
    });
  try {
    return parseStrictJson(typeof file === 'string' ? file : textOf(file));
  } catch (error) {
    return refuse('INVALID_INPUT', `The file is not JSON: ${(error as Error).message}`, {
      accepts: 'an answer (svc-answer-1) or a bundle (svc-bundle-1)',
    });
  }
}

function lookUp(table: Record<Digest, string>, digest: Digest, at: string): Uint8Array | undefined {
  return Object.hasOwn(table, digest) ? bytesAt(table[digest]!, `${at}/${digest}`) : undefined;
}

/** Base 64 at a place; refuses stray bits and wrong padding with the place. */
export function bytesAt(text: string, at: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch {
    return unreadable(at, 'base 64 (RFC 4648, padded, no stray bits)');
  }
}

function readRequest(request: unknown, blob: (digest: Digest) => Uint8Array | undefined): unknown {
  const digest = blobDigest(request);
  if (digest === undefined) return request;
  const bytes = blob(digest);
  return bytes && canonicalAt(bytes, digest, 'the canonical JSON of a request');
}

function canonicalAt(bytes: Uint8Array, digest: Digest, accepts: string): unknown {
  try {
    return readCanonical(bytes);
  } catch {
    return unreadable(`/blobs/${digest}`, accepts);
  }
}

function readRuns(answer: Answer, blob: (digest: Digest) => Uint8Array | undefined): readonly RunEntry[] {
  if (!isBlobReference(answer.runs)) return inOrder(answer.runs);
  const digest = blobDigest(answer.runs)!;
  const bytes = blob(digest);
  if (!bytes) {
    refuse('INVALID_INPUT', `The answer names its runs as blob ${digest}, which is not in the file.`, {
      field: '/runs',
      blob: digest,
      accepts: 'a bundle: svc bundle FILE',
    });
  }
  const runs = canonicalAt(bytes, digest, 'the canonical JSON of a list of runs');
  list(run)(runs, '/runs');
  return inOrder(runs as RunEntry[]);
}

/** At least one run, within the limits, and none takes from itself or from a later one. */
function inOrder(runs: readonly RunEntry[]): readonly RunEntry[] {
  if (runs.length === 0) unreadable('/runs', 'at least one run');
  refuseBeyondLimits(runs);
  for (const [i, { parts }] of runs.entries()) {
    const wrong = parts.findIndex((part) => 'run' in part && part.run >= i);
    if (wrong >= 0) unreadable(`/runs/${i}/parts/${wrong}/run`, 'a run before this one');
  }
  return runs;
}

/** Bytes that stand in the answer or beside it; undefined when they are not in the file. */
export function entryBytes(
  file: AnswerFile,
  entry: BytesEntry | undefined,
  at: string,
): Uint8Array | undefined {
  if (entry === undefined) return undefined;
  return typeof entry === 'string' ? bytesAt(entry, at) : file.blob(blobDigest(entry)!);
}

/** The parameter parts of a run with their bytes, as a re-execution needs them. */
export function partsOf(run: RunEntry, at: string): Part[] {
  return run.parts.map(
    (entry: PartEntry, i): Part =>
      'bytes' in entry ? { bytes: bytesAt(entry.bytes, `${at}/parts/${i}/bytes`) } : entry,
  );
}

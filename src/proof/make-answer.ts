import { sha256 } from '#crypto';
import {
  type Answer,
  answerKeys,
  type BlobReference,
  type BytesEntry,
  type DigestNodes,
  type FieldEntry,
  type GateEntry,
  isBlobReference,
  MAX_DIGESTS,
  MAX_FIELD_NUMBERS,
  MAX_INLINE_BYTES,
  type PartEntry,
  type RunEntry,
} from './answer.ts';
import { concat, doublesOf, toBase64, toHex, utf8 } from './bytes.ts';
import { canonicalBytes, memberText } from './canonical.ts';
import { digestsOfRun, type RunDigests } from './digests.ts';
import type { Envelope } from './envelope.ts';
import type { Digest, FinishedRun, Part, RunPlan } from './job.ts';
import { leafHash, nodeLevel } from './merkle.ts';
import { type Diagnostics, type Receipt, tickReceipt } from './receipt.ts';
import { hashOfShown, shownTexts } from './shown-hash.ts';
import { type Sealed, unsealedPointers } from './traceable.ts';
import { readVerdictBytes } from './verdict-bytes.ts';

/** What an answer is made of, apart from its seal. The shapes of presentation are those of src/solvers/solver.ts. */
export interface JobToShow {
  /** What requestHash is the digest of. */
  readonly request: unknown;
  /** Its canonical text, where it is at hand. */
  readonly requestText?: string;
  /** Digests of the finished runs, where they are at hand. */
  readonly digests?: readonly RunDigests[];
  readonly plans: readonly Pick<RunPlan, 'kernel' | 'parts' | 'label'>[];
  readonly finished: readonly FinishedRun[];
  /** Labels of the verdict's rows, in their order. */
  readonly gates: readonly { readonly name: string; readonly quantity: string; readonly source: string }[];
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Whether no gate looks at an output, by its dotted path without places in lists; none: all are held. */
  readonly isUnsealed?: ((path: string) => boolean) | undefined;
  readonly fields: readonly Omit<FieldEntry, 'values'>[];
  readonly plots: readonly unknown[];
  readonly assumed: readonly unknown[];
  readonly warnings: readonly string[];
  readonly diagnostics: Diagnostics;
}

type Seal = 'value' | 'unit' | 'envelope' | 'receipt' | 'charges' | 'tick_receipt' | 'tick_averaged';

/** An answer but for its seal: everything that does not wait for envelope and log. */
export type AnswerBody = Omit<Answer, Seal>;

export interface LaidOutAnswer {
  readonly body: AnswerBody;
  /** JSON of `body.request` and `body.runs`, which had to be measured, and of all that is shown, which is hashed. */
  readonly texts: BodyTexts;
  /** What the answer names by digest; it is complete only with them. */
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
  /** Digest of what the body and the diagnostics show, for the envelope. */
  readonly shownHash: Digest;
}

export interface BodyTexts {
  readonly request: string;
  readonly runs: string;
  readonly shown: ReadonlyMap<string, string>;
}

/** Lays out a finished job. Computes digests, and no number. */
export function layOutAnswer(job: JobToShow): LaidOutAnswer {
  const blobs = new BlobShelf();
  const verdict = job.finished[job.finished.length - 1]!.result;
  const taken = takenFrom(job);
  const runs = job.finished.map((run, i) => runEntry(job, run, i, taken, blobs));
  const request = blobs.jsonOrBlob(job.request, job.requestText);
  const list = blobs.jsonOrBlob(runs, `[${runs.map(runText).join(',')}]`);
  const body: AnswerBody = {
    format: 'svc-answer-1',
    request: request.value,
    gates: gateEntries(verdict, job.gates),
    verdict: toBase64(verdict),
    runs: list.value,
    fields: job.fields.map((field) => fieldEntry(field, job.finished, runs, blobs)),
    plots: job.plots,
    assumed: job.assumed,
    warnings: job.warnings,
    unsealed: [],
  };
  const shown: AnswerBody & { unsealed: readonly string[] } = { ...outputs(job), ...body };
  const alone = runs.map((_, i) => standsAlone(runs, i));
  const atHand = isBlobReference(body.request) ? undefined : body.request;
  const sealed = { request: atHand, runs, isBound: (run: number) => alone[run]! };
  const covered = [verdict, ...coveredBytes(job, sealed)];
  const receipt = job.diagnostics;
  shown.unsealed = unsealedPointers({ ...shown, receipt }, sealed, covered, job.isUnsealed);
  const texts = { request: request.text, runs: list.text, shown: shownTexts({ ...shown, receipt }, runs) };
  return { body: shown, texts, blobs: blobs.held, shownHash: hashOfShown(texts.shown) };
}

/** The bytes that vouch for shown numbers, as they are: results and literal parameters that stand in the answer. */
function coveredBytes(job: JobToShow, { runs, isBound }: Sealed): Uint8Array[] {
  const literals = ({ parts }: RunEntry, i: number) =>
    parts.flatMap((part, p) => {
      const planned = job.plans[i]!.parts[p]!;
      return 'bytes' in part && 'bytes' in planned ? [planned.bytes] : [];
    });
  return runs.flatMap((run, i) => [
    ...(typeof run.result === 'string' ? [job.finished[i]!.result] : []),
    ...(isBound(i) ? literals(run, i) : []),
  ]);
}

/** Whether the answer alone, without its blobs, is enough to recompute the run hash. */
function standsAlone(runs: readonly RunEntry[], index: number): boolean {
  return runs[index]!.parts.every(
    (part) => 'bytes' in part || ('run' in part && typeof runs[part.run]?.[part.of] === 'string'),
  );
}

/** Outputs stand at the top of the answer, beside the members that every answer has. */
function outputs(job: JobToShow): JobToShow['outputs'] {
  const taken = Object.keys(job.outputs).find((name) => answerKeys.has(name));
  if (taken !== undefined) throw new RangeError(`an output cannot be called ${taken}`);
  return job.outputs;
}

/** Puts the seal to what was laid out. */
export function sealAnswer(body: AnswerBody, envelope: Envelope, receipt: Receipt): Answer {
  const { format, ...rest } = body;
  const { value, unit, ...seal } = sealOf(envelope, receipt);
  return { format, value, unit, ...rest, ...seal };
}

function sealOf(envelope: Envelope, receipt: Receipt): Pick<Answer, Seal> {
  const { value, unit, work, price_plancks, from_bond_plancks, from_fuel_plancks } = envelope;
  return {
    value,
    unit,
    envelope,
    receipt,
    charges: { work, price_plancks, from_bond_plancks, from_fuel_plancks },
    tick_receipt: tickReceipt(envelope),
    tick_averaged: receipt.tick_averaged,
  };
}

/**
 * The JSON text of a sealed answer's body: what `sealAnswer` would put between `unit` and `envelope`, without braces.
 * What was written for a digest or to be measured, which is nearly all of it, is not written a second time.
 */
export function bodyText({ body, texts }: Pick<LaidOutAnswer, 'body' | 'texts'>): string {
  const shown = (name: string) => memberText(texts.shown, name);
  return [
    ...Object.keys(body)
      .filter((name) => !answerKeys.has(name) && texts.shown.has(name))
      .map(shown),
    `"request":${texts.request}`,
    shown('gates'),
    `"verdict":"${body.verdict}"`,
    `"runs":${texts.runs}`,
    ...['fields', 'plots', 'assumed', 'warnings', 'unsealed'].map(shown),
  ].join(',');
}

/** The JSON text of a sealed answer. `envelopeText` is the leaf of the log, whose members stand in the same order. */
export function sealedText(body: string, envelope: Envelope, envelopeText: string, receipt: Receipt): string {
  const { envelope: _, ...seal } = sealOf(envelope, receipt);
  const head = membersText({ format: 'svc-answer-1', value: seal.value, unit: seal.unit });
  const { value, unit, ...tail } = seal;
  return `{${head},${body},"envelope":${envelopeText},${membersText(tail)}}`;
}

/** JSON of an object without its braces. */
function membersText(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}

/** Collects what is too long to stand in the answer. */
class BlobShelf {
  readonly held = new Map<Digest, Uint8Array>();

  put(bytes: Uint8Array): Digest {
    const digest = toHex(sha256(bytes));
    this.held.set(digest, bytes);
    return digest;
  }

  reference(bytes: Uint8Array): BlobReference {
    return { $blob: `sha256:${this.put(bytes)}`, length: bytes.length };
  }

  bytesOrBlob(bytes: Uint8Array): BytesEntry {
    return bytes.length <= MAX_INLINE_BYTES ? toBase64(bytes) : this.reference(bytes);
  }

  /** The value, or where its text is too long a reference to it; and the JSON text of either. */
  jsonOrBlob<T>(value: T, text = JSON.stringify(value)): { value: T | BlobReference; text: string } {
    // Canonical text is the same text in another order, so its length is known without sorting it.
    if (fitsInline(text)) return { value, text };
    const reference = this.reference(canonicalBytes(value));
    return { value: reference, text: JSON.stringify(reference) };
  }
}

/** A UTF-16 unit takes at most three bytes of UTF-8. */
function fitsInline(text: string): boolean {
  return 3 * text.length <= MAX_INLINE_BYTES || utf8(text).length <= MAX_INLINE_BYTES;
}

/** Runs whose result or rows a later run or a field takes from. */
interface Taken {
  readonly result: ReadonlySet<number>;
  readonly rows: ReadonlySet<number>;
}

function takenFrom({ plans, fields }: JobToShow): Taken {
  const taken = { result: new Set<number>(), rows: new Set<number>() };
  for (const { parts } of plans) for (const part of parts) if ('run' in part) taken[part.of].add(part.run);
  for (const { source } of fields) taken[source.of].add(source.run);
  return taken;
}

function runEntry(job: JobToShow, run: FinishedRun, index: number, taken: Taken, blobs: BlobShelf): RunEntry {
  const plan = job.plans[index]!;
  const isLast = index === job.finished.length - 1;
  const { root, resultHash } = job.digests?.[index] ?? digestsOfRun(run);
  return {
    kernel: run.kernel,
    name: plan.kernel,
    label: plan.label,
    parts: plan.parts.map((part) => partEntry(part, blobs)),
    runHash: run.runHash,
    stepsPerSegment: run.stepsPerSegment,
    steps: run.steps,
    segments: run.digests.length - 1,
    status: run.status,
    digests: digestEntry(run.digests),
    root: toHex(root),
    resultHash: toHex(resultHash),
    work: String(run.work),
    ...(!isLast && taken.result.has(index) ? { result: blobs.bytesOrBlob(run.result) } : {}),
    ...(taken.rows.has(index) ? { rows: blobs.bytesOrBlob(concat(run.rows)) } : {}),
  };
}

/** JSON of a run. Base 64 has nothing to escape, so it need not be searched for that. */
function runText({ result, rows, ...entry }: RunEntry): string {
  const members = [membersText(entry)];
  if (result !== undefined) members.push(`"result":${bytesText(result)}`);
  if (rows !== undefined) members.push(`"rows":${bytesText(rows)}`);
  return `{${members.join(',')}}`;
}

function bytesText(bytes: BytesEntry): string {
  return typeof bytes === 'string' ? `"${bytes}"` : JSON.stringify(bytes);
}

function partEntry(part: Part, blobs: BlobShelf): PartEntry {
  if (!('bytes' in part)) return part;
  if (part.bytes.length <= MAX_INLINE_BYTES) return { bytes: toBase64(part.bytes) };
  return { blob: blobs.put(part.bytes), length: part.bytes.length };
}

function digestEntry(digests: readonly Uint8Array[]): readonly Digest[] | DigestNodes {
  if (digests.length <= MAX_DIGESTS) return digests.map(toHex);
  let level = 0;
  while (Math.ceil(digests.length / 2 ** level) > MAX_DIGESTS) level++;
  return { level, nodes: nodeLevel(digests.map(leafHash), level).map(toHex) };
}

function gateEntries(verdict: Uint8Array, labels: JobToShow['gates']): GateEntry[] {
  return readVerdictBytes(verdict).rows.map(({ index, kind, ...numbers }, i) => {
    const { name, quantity, source } = labels[i]!;
    return { index, name, kind, quantity, source, ...numbers };
  });
}

function fieldEntry(
  field: JobToShow['fields'][number],
  finished: readonly FinishedRun[],
  runs: readonly RunEntry[],
  blobs: BlobShelf,
): FieldEntry {
  const { run, of, from, length } = field.source;
  const isVerdict = run === runs.length - 1 && of === 'result';
  // Numbers that are said to be sealed stand in the answer only with the bytes that seal them.
  const isVouched = !field.sealed || isVerdict || typeof runs[run]![of] === 'string';
  const whole = of === 'result' ? finished[run]!.result : concat(finished[run]!.rows);
  const bytes = whole.subarray(from, from + length);
  const isInline = isVouched && length / 8 <= MAX_FIELD_NUMBERS;
  const values = isInline ? Array.from(doublesOf(bytes)) : blobs.reference(bytes.slice());
  return { ...field, values };
}

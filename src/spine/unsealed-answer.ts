import { type Answer, type BytesEntry, blobDigest, type FieldEntry, type RunEntry } from '../proof/answer.ts';
import { doublesOf, textOf, toBase64, utf8 } from '../proof/bytes.ts';
import type { Digest } from '../proof/job.ts';
import type { AnswerBody } from '../proof/make-answer.ts';
import type { DraftAnswer } from './answers.ts';
import type { Prepared } from './request.ts';
import type { ExecutedJob } from './rounds.ts';

/** Bytes that may stand in an answer because no store has them: a million numbers. */
const MOST_INLINE = 8 * 2 ** 20;

interface Unsealed {
  readonly why: string;
  /** Whether the store keeps the job and what its answer names; else the answer names nothing that was made for it. */
  readonly isKept: boolean;
}

/** The value without a seal: what goes back, free of charge, when sealing failed (CMP-11). */
export function unsealedBytes(
  draft: DraftAnswer,
  prepared: Prepared,
  job: ExecutedJob,
  { why, isKept }: Unsealed,
): Uint8Array {
  const { solver, input } = prepared;
  const { body, missing } = isKept ? { body: draft.body, missing: [] } : standingAlone(draft);
  const leftOut = missing.length > 0 ? ` Left out, as too large to stand here: ${missing.join(', ')}.` : '';
  return utf8(
    JSON.stringify({
      ...body,
      value: job.verdict.value,
      unit: solver.unit(input),
      envelope: null,
      receipt: null,
      charges: { work: '0', price_plancks: '0', from_bond_plancks: '0', from_fuel_plancks: '0' },
      warnings: [
        ...body.warnings,
        `This result is not sealed: ${why.replace(/\.$/, '')}. Nothing was charged.${leftOut}`,
      ],
    }),
  );
}

/** The body with what it names instead of the names, as far as that is not too much, and what was left out. */
function standingAlone({ body, blobs }: DraftAnswer): { body: AnswerBody; missing: string[] } {
  const shelf = new Shelf(blobs);
  const fields = body.fields.map((field) => fieldAlone(field, shelf));
  const gone = body.fields.filter((_, i) => fields[i] === undefined).map(({ name }) => `field ${name}`);
  const runs = runsAlone(body.runs, shelf);
  const request = shelf.json(body.request);
  const missing = [...gone, ...(runs ? [] : ['runs']), ...(request === undefined ? ['request'] : [])];
  const shown = { fields: fields.filter((field) => field !== undefined), runs: runs ?? [] };
  return { body: { ...body, ...shown, request: request ?? null }, missing };
}

function fieldAlone(field: FieldEntry, shelf: Shelf): FieldEntry | undefined {
  const digest = shelf.madeFor(field.values);
  if (digest === undefined) return field;
  const bytes = shelf.take(digest);
  return bytes && { ...field, values: Array.from(doublesOf(bytes)) };
}

/** All of them or none: each takes from those before it. */
function runsAlone(listed: Answer['runs'], shelf: Shelf): RunEntry[] | undefined {
  const runs = shelf.json(listed) as readonly RunEntry[] | undefined;
  const whole = runs?.map((run) => runAlone(run, shelf));
  return whole?.every((run) => run !== undefined) ? whole : undefined;
}

function runAlone({ result, rows, ...run }: RunEntry, shelf: Shelf): RunEntry | undefined {
  const parts = run.parts.map((part) => {
    if (!('blob' in part) || !shelf.has(part.blob)) return part;
    const bytes = shelf.take(part.blob);
    return bytes && { bytes: toBase64(bytes) };
  });
  const [ownResult, ownRows] = [result, rows].map((entry) => entry && shelf.entry(entry));
  const isWhole =
    parts.every((part) => part !== undefined) &&
    (result === undefined || ownResult !== undefined) &&
    (rows === undefined || ownRows !== undefined);
  if (!isWhole) return undefined;
  return {
    ...{ ...run, parts: parts.filter((part) => part !== undefined) },
    ...(ownResult === undefined ? {} : { result: ownResult }),
    ...(ownRows === undefined ? {} : { rows: ownRows }),
  };
}

/** What was made for an answer, and how much more of it may stand there. */
class Shelf {
  readonly #blobs: ReadonlyMap<Digest, Uint8Array>;
  #left = MOST_INLINE;

  constructor(blobs: ReadonlyMap<Digest, Uint8Array>) {
    this.#blobs = blobs;
  }

  has(digest: Digest): boolean {
    return this.#blobs.has(digest);
  }

  /** The digest of a reference to what was made; a reference to an upload of the account leads somewhere. */
  madeFor(value: unknown): Digest | undefined {
    const digest = blobDigest(value);
    return digest !== undefined && this.has(digest) ? digest : undefined;
  }

  take(digest: Digest): Uint8Array | undefined {
    const bytes = this.#blobs.get(digest)!;
    if (bytes.length > this.#left) return undefined;
    this.#left -= bytes.length;
    return bytes;
  }

  entry(entry: BytesEntry): BytesEntry | undefined {
    const digest = this.madeFor(entry);
    if (digest === undefined) return entry;
    const bytes = this.take(digest);
    return bytes && toBase64(bytes);
  }

  /** A value that stands there or is a blob of JSON; undefined: it is too large. */
  json(value: unknown): unknown {
    const digest = this.madeFor(value);
    if (digest === undefined) return value;
    const bytes = this.take(digest);
    return bytes && JSON.parse(textOf(bytes));
  }
}

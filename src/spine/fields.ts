import { Refusal } from '../errors/refusal.ts';
import { type Answer, blobDigest } from '../proof/answer.ts';
import { blobBytes } from '../store/blobs.ts';
import type { Reader } from '../store/store.ts';
import type { JobRow } from './records.ts';

export interface FieldBytes {
  /** Row-major. */
  readonly shape: readonly number[];
  readonly unit: string | null;
  /** Little-endian f64. */
  readonly bytes: Uint8Array;
}

/** A field of a finished job, whole. @throws Refusal NOT_FOUND naming the fields that there are */
export async function fieldBytes(reader: Reader, job: JobRow, name: string): Promise<FieldBytes> {
  if (!job.answer) throw new Refusal('CONFLICT', `Job ${job.id} is ${job.state}: it has no fields.`);
  const { fields } = JSON.parse(new TextDecoder().decode(job.answer)) as Answer;
  const field = fields.find((candidate) => candidate.name === name);
  if (!field)
    throw new Refusal('NOT_FOUND', 'The answer has no field of this name.', {
      accepts: fields.map((candidate) => candidate.name),
    });
  const { shape, unit, values } = field;
  const digest = blobDigest(values);
  if (digest === undefined) return { shape, unit, bytes: littleEndian(values as readonly number[]) };
  const bytes = await blobBytes(reader, digest);
  if (!bytes) throw new Refusal('NOT_FOUND', `The bytes of field ${name} are not here any more.`);
  return { shape, unit, bytes };
}

function littleEndian(values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, i) => {
    view.setFloat64(8 * i, value, true);
  });
  return new Uint8Array(view.buffer);
}

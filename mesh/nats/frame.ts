import { sha256 } from '#crypto';
import { concat, split, textOf, toHex, u32le, utf8 } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';

/**
 * A message of the mesh:
 *
 *     u32 header length ‖ header, JSON ‖ attachments, one after the other
 *
 * The header's `lengths` says how long each attachment is. Where they are too much for one message, it has `parts`
 * instead: the SHA-256 of pieces that lie in the stream of parts and are, one after the other, the attachments.
 *
 * Everything here reads what strangers wrote: it answers `undefined`, allocates nothing that a number in a message asks
 * for, and never throws.
 */
export interface Frame {
  /** As JSON gave it: to be held to a schema by whoever reads it. `lengths` and `parts` are taken out. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly lengths: readonly number[];
  /** Empty where the attachments are in the message. */
  readonly parts: readonly Digest[];
  readonly body: Uint8Array;
}

/** A message that is ready to go: the pieces first, then the frame that names them. */
export interface Packed {
  readonly frame: Uint8Array;
  readonly parts: readonly { readonly sha256: Digest; readonly bytes: Uint8Array }[];
}

/** Attachments of more bytes than this go in parts. */
export const INLINE_BYTES = 256 * 1024;
export const PART_BYTES = 512 * 1024;
/** Largest message on a subject of the mesh, with room for its headers. */
export const MESSAGE_BYTES = 1024 * 1024;
const HEADER_BYTES = 256 * 1024;
const MOST_LENGTHS = 20_000;
/** Parts of a message: 512 MiB. */
const MOST_PARTS = 1024;

/** @throws RangeError for a message that nobody would take */
export function pack(header: object, attachments: readonly Uint8Array[] = []): Packed {
  const lengths = attachments.map(({ length }) => length);
  if (lengths.length > MOST_LENGTHS) throw new RangeError(`more than ${MOST_LENGTHS} attachments`);
  const whole = concat(attachments);
  if (whole.length <= INLINE_BYTES) return { frame: framed({ ...header, lengths }, whole), parts: [] };
  const parts = piecesOf(whole).map((bytes) => ({ sha256: toHex(sha256(bytes)), bytes }));
  if (parts.length > MOST_PARTS) throw new RangeError(`more than ${MOST_PARTS} parts`);
  const named = { ...header, lengths, parts: parts.map((part) => part.sha256) };
  return { frame: framed(named, new Uint8Array(0)), parts };
}

/** A message that is sure to fit: header and attachments in one. */
export function packWhole(header: object, attachments: readonly Uint8Array[] = []): Uint8Array {
  return framed({ ...header, lengths: attachments.map(({ length }) => length) }, concat(attachments));
}

function piecesOf(whole: Uint8Array): Uint8Array[] {
  const count = Math.ceil(whole.length / PART_BYTES);
  return Array.from({ length: count }, (_, i) => whole.subarray(i * PART_BYTES, (i + 1) * PART_BYTES));
}

function framed(header: object, body: Uint8Array): Uint8Array {
  const text = utf8(JSON.stringify(header));
  if (text.length > HEADER_BYTES) throw new RangeError(`a header of more than ${HEADER_BYTES} bytes`);
  return concat([u32le(text.length), text, body]);
}

/** @returns undefined for what is no message */
export function unpack(bytes: Uint8Array): Frame | undefined {
  if (bytes.length < 4 || bytes.length > MESSAGE_BYTES) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length > HEADER_BYTES || length > bytes.length - 4) return undefined;
  const header = jsonObject(bytes.subarray(4, 4 + length));
  if (!header) return undefined;
  const { lengths, parts = [], ...rest } = header;
  if (!areLengths(lengths) || !areDigests(parts)) return undefined;
  const frame = { header: rest, lengths, parts, body: bytes.subarray(4 + length) };
  return parts.length > 0
    ? frame.body.length === 0
      ? frame
      : undefined
    : isWhole(frame)
      ? frame
      : undefined;
}

const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);
const isWhole = ({ lengths, body }: Frame): boolean => sum(lengths) === body.length;

/** The attachments of a message, its parts fetched. @returns undefined where they are not what it says */
export function attachmentsOf(frame: Frame, parts: readonly Uint8Array[] = []): Uint8Array[] | undefined {
  if (frame.parts.length === 0) return split(frame.body, frame.lengths);
  const total = parts.reduce((length, part) => length + part.length, 0);
  if (parts.length !== frame.parts.length || total !== sum(frame.lengths)) return undefined;
  if (parts.some((part, i) => toHex(sha256(part)) !== frame.parts[i])) return undefined;
  return split(concat(parts), frame.lengths);
}

function jsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(textOf(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function areLengths(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length <= MOST_LENGTHS &&
    value.every((length) => Number.isInteger(length) && length >= 0 && length <= MOST_PARTS * PART_BYTES)
  );
}

function areDigests(value: unknown): value is Digest[] {
  return (
    Array.isArray(value) &&
    value.length <= MOST_PARTS &&
    value.every((digest) => typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest))
  );
}

import { accepts } from './accepts.ts';
import { isRecord, type Node } from './schema.ts';
import { Wrong } from './wrong.ts';

const widths = { f64: 8, i32: 4, u8: 1 } as const;

/** The digest in {"$blob": "sha256:<64 hex digits>"}; undefined for anything else. */
export function blobReference(value: unknown): string | undefined {
  if (!isRecord(value) || typeof value.$blob !== 'string' || Object.keys(value).length !== 1)
    return undefined;
  return /^sha256:([0-9a-f]{64})$/.exec(value.$blob)?.[1];
}

/** Points or vectors of one blob: four times what any solver takes, and they are lists of their own. */
const MOST_POINTS = 2 ** 18;

/** Checks and converts one number of a blob, the index of which counts through all of them. */
export type TakeNumber = (value: number, index: number) => number;

/**
 * The numbers of a blob, little endian and row-major, as `take` gives them, nested as the schema's fixed inner
 * lengths say. All in one go and without a call for each row: 16 MiB must not hold up whoever else is served.
 */
export function blobArray(
  digest: string,
  node: Node,
  blobs: ((digest: string) => Uint8Array | undefined) | undefined,
  take: TakeNumber,
): unknown[] {
  const bytes = blobs?.(digest);
  if (!bytes)
    throw new Wrong(`names a blob that is not here (sha256:${digest})`, 'a blob that was put before');
  const inner = innerLengths(node);
  const row = inner.reduce((product, length) => product * length, widths[node.blob!]);
  if (bytes.length % row !== 0) {
    throw new Wrong(`is a blob of ${bytes.length} bytes, no multiple of ${row}`, accepts(node));
  }
  const rows = bytes.length / row;
  const { minItems = 0, maxItems = inner.length > 0 ? MOST_POINTS : Number.POSITIVE_INFINITY } = node;
  if (rows < minItems || rows > maxItems) throw new Wrong(`is a blob of ${rows} items`, accepts(node));
  return nested(numbersOf(bytes, node.blob!, take), inner);
}

/** Where the number of this index stands in the rows, outermost first. */
export function placeOf(index: number, node: Node): number[] {
  const place: number[] = [];
  let rest = index;
  for (const length of innerLengths(node).toReversed()) {
    place.unshift(rest % length);
    rest = Math.floor(rest / length);
  }
  return [rest, ...place];
}

/** The schema of one number of a list that may be a blob. */
export function leafOf(node: Node): Node {
  const items = node.items as Node;
  return items.type === 'array' ? leafOf(items) : items;
}

function innerLengths(node: Node): number[] {
  const items = node.items as Node | undefined;
  if (items?.type !== 'array') return [];
  if (items.minItems === undefined || items.minItems !== items.maxItems) {
    throw new Wrong('is a blob where the shape is free', accepts({ ...node, blob: undefined } as Node));
  }
  return [items.minItems, ...innerLengths(items)];
}

function numbersOf(bytes: Uint8Array, kind: keyof typeof widths, take: TakeNumber): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length / widths[kind];
  const result = new Array<number>(count);
  if (kind === 'f64') for (let i = 0; i < count; i++) result[i] = take(view.getFloat64(8 * i, true), i);
  else if (kind === 'i32') for (let i = 0; i < count; i++) result[i] = take(view.getInt32(4 * i, true), i);
  else for (let i = 0; i < count; i++) result[i] = take(view.getUint8(i), i);
  return result;
}

function nested(flat: unknown[], inner: readonly number[]): unknown[] {
  let result = flat;
  for (const length of inner.toReversed()) {
    const rows = new Array<unknown[]>(result.length / length);
    for (let k = 0, i = 0; k < rows.length; k++, i += length)
      rows[k] = length === 3 ? [result[i], result[i + 1], result[i + 2]] : result.slice(i, i + length); // triples four times faster
    result = rows;
  }
  return result;
}

/** Digests of the blobs a body names, so that they can be fetched before it is read. */
export function blobsIn(body: unknown): string[] {
  const found = new Set<string>();
  const pending = [{ value: body, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null || depth > 8) continue;
    const digest = blobReference(value);
    if (digest !== undefined) found.add(digest);
    if (Array.isArray(value) && typeof value[0] !== 'object') continue;
    for (const inner of Object.values(value))
      if (typeof inner === 'object') pending.push({ value: inner, depth: depth + 1 });
  }
  return [...found];
}

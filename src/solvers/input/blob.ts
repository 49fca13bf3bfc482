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

/** The numbers of a blob, little endian and row-major, nested as the schema's fixed inner lengths say. */
export function blobArray(
  digest: string,
  node: Node,
  blobs: ((digest: string) => Uint8Array | undefined) | undefined,
): unknown[] {
  const bytes = blobs?.(digest);
  if (!bytes)
    throw new Wrong(`names a blob that is not here (sha256:${digest})`, 'a blob that was put before');
  const inner = innerLengths(node);
  const width = widths[node.blob!];
  const row = inner.reduce((product, length) => product * length, width);
  if (bytes.length % row !== 0) {
    throw new Wrong(`is a blob of ${bytes.length} bytes, no multiple of ${row}`, accepts(node));
  }
  if (bytes.length / row > (node.maxItems ?? Number.POSITIVE_INFINITY)) {
    throw new Wrong(`is a blob of ${bytes.length / row} items`, accepts(node));
  }
  return nested(numbersOf(bytes, node.blob!), inner);
}

function innerLengths(node: Node): number[] {
  const items = node.items as Node | undefined;
  if (items?.type !== 'array') return [];
  if (items.minItems === undefined || items.minItems !== items.maxItems) {
    throw new Wrong('is a blob where the shape is free', accepts({ ...node, blob: undefined } as Node));
  }
  return [items.minItems, ...innerLengths(items)];
}

function numbersOf(bytes: Uint8Array, kind: keyof typeof widths): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = {
    f64: (i: number) => view.getFloat64(8 * i, true),
    i32: (i: number) => view.getInt32(4 * i, true),
    u8: (i: number) => view.getUint8(i),
  }[kind];
  const count = bytes.length / widths[kind];
  const result = new Array<number>(count);
  for (let i = 0; i < count; i++) result[i] = at(i);
  return result;
}

function nested(flat: unknown[], inner: readonly number[]): unknown[] {
  let result = flat;
  for (const length of inner.toReversed()) {
    const rows: unknown[] = [];
    for (let i = 0; i < result.length; i += length) rows.push(result.slice(i, i + length));
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

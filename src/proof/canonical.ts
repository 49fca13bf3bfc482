import canonicalize from 'canonicalize';
import { textOf, utf8 } from './bytes.ts';

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Canonical JSON (RFC 8785). Members that are undefined are left out. Throws a TypeError for what JSON cannot hold:
 * NaN, infinities, BigInt, functions, holes, lone surrogates, cycles.
 */
export function canonicalText(value: unknown): string {
  refuseUnholdable(value);
  try {
    return canonicalize(value)!;
  } catch (error) {
    throw new TypeError(`not canonical JSON: ${(error as Error).message}`);
  }
}

/** The same as UTF-8. */
export function canonicalBytes(value: unknown): Uint8Array {
  return utf8(canonicalText(value));
}

/**
 * The same for a flat object of finite numbers and text whose members already stand in canonical order: there
 * JSON.stringify writes what RFC 8785 asks for, in a third of the time. Only lone surrogates are another matter.
 */
export function sortedText(record: object): string {
  const text = JSON.stringify(record);
  return text.includes('\\ud') ? canonicalText(record) : text;
}

/** Reads canonical JSON and refuses any other spelling of the same value. */
export function readCanonical(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  const value: unknown = JSON.parse(text);
  if (canonicalText(value) !== text) throw new TypeError('JSON, but not canonical (RFC 8785)');
  return value;
}

// canonicalize writes these as `undefined` or as null; better none of it.
const unholdable = new Set(['function', 'symbol', 'undefined', 'bigint']);

function refuseUnholdable(value: unknown): void {
  if (unholdable.has(typeof value)) throw new TypeError(`canonical JSON cannot hold a ${typeof value}`);
  if (Array.isArray(value)) for (const item of value) refuseUnholdable(item);
  else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) if (member !== undefined) refuseUnholdable(member);
  }
}

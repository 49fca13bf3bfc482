import canonicalize from 'canonicalize';
import { textOf, utf8 } from './bytes.ts';

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A number that is not finite, which JSON cannot hold. */
export class NotFinite extends TypeError {}

/**
 * Canonical JSON (RFC 8785). Members that are undefined are left out. Throws a TypeError for what JSON cannot hold:
 * NaN, infinities, BigInt, functions, holes, lone surrogates, cycles.
 */
export function canonicalText(value: unknown): string {
  try {
    const text = plainText(value);
    if (text !== undefined) return text;
    refuseUnholdable(value);
    return canonicalize(value)!;
  } catch (error) {
    const Fault = error instanceof NotFinite ? NotFinite : TypeError;
    throw new Fault(`not canonical JSON: ${(error as Error).message}`);
  }
}

/**
 * The same for plain data, which is nearly all: JSON.stringify writes numbers and texts as RFC 8785 asks for, so only
 * members have to be put in order, which takes a third of the time. Undefined for what has to be looked at closer.
 */
function plainText(value: unknown): string | undefined {
  const ordered = inOrder(value);
  const text = ordered === closer ? undefined : JSON.stringify(ordered);
  return text?.includes('\\ud') ? undefined : text; // perhaps a lone surrogate
}

const closer = Symbol('to be looked at closer');
/** JavaScript puts these names before all others. */
const index = /^[0-9]/;

function inOrder(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : closer;
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return listInOrder(value);
  if (typeof value !== 'object') return closer;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null
    ? recordInOrder(value as Record<string, unknown>)
    : closer;
}

function listInOrder(list: readonly unknown[]): unknown {
  let ordered: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = inOrder(list[i]);
    if (item === closer) return closer;
    if (item !== list[i]) ordered ??= list.slice();
    if (ordered) ordered[i] = item;
  }
  return ordered ?? list;
}

/** The record itself where it is in order all the way down, so that a list of such is written as it stands. */
function recordInOrder(record: Readonly<Record<string, unknown>>): unknown {
  if ('toJSON' in record) return closer;
  const keys = Object.keys(record);
  let isInOrder = true;
  for (let i = 1; i < keys.length && isInOrder; i++) isInOrder = keys[i - 1]! < keys[i]!;
  if (!isInOrder) keys.sort();
  const ordered: Record<string, unknown> = {};
  for (const key of keys) {
    if (index.test(key) || key === '__proto__') return closer;
    const sent = record[key];
    const member = sent === undefined ? undefined : inOrder(sent);
    if (member === closer) return closer;
    isInOrder &&= member === sent;
    ordered[key] = member;
  }
  return isInOrder ? record : ordered;
}

/** The canonical text of a record whose members' texts are at hand. */
export function recordText(members: ReadonlyMap<string, string>): string {
  const names = [...members.keys()].sort();
  return `{${names.map((name) => memberText(members, name)).join(',')}}`;
}

/** A member of such a record as it stands there. */
export function memberText(members: ReadonlyMap<string, string>, name: string): string {
  return `${canonicalText(name)}:${members.get(name)!}`;
}

/** The same as UTF-8. */
export function canonicalBytes(value: unknown): Uint8Array {
  return utf8(canonicalText(value));
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
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NotFinite(`${value} is not allowed`);
  if (Array.isArray(value)) for (const item of value) refuseUnholdable(item);
  else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) if (member !== undefined) refuseUnholdable(member);
  }
}

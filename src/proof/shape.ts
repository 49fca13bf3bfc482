import { refuse } from '../errors/refusal.ts';

/**
 * Small readers of JSON: each takes a value and its JSON pointer, and refuses (INVALID_INPUT) with a sentence that
 * names the place and what is accepted there. A value that passes is read as it stands, nothing is converted.
 */
export type Shape = (value: unknown, at: string) => void;

export function unreadable(at: string, accepts: string): never {
  refuse('INVALID_INPUT', `${at || 'the file'}: ${accepts} is needed here.`, { field: at, accepts });
}

const matching =
  (accepts: string, fits: (value: unknown) => boolean): Shape =>
  (value, at) => {
    if (!fits(value)) unreadable(at, accepts);
  };

const text = (accepts: string, pattern: RegExp): Shape =>
  matching(accepts, (value) => typeof value === 'string' && pattern.test(value));

export const anything: Shape = (value, at) => {
  if (value === undefined) unreadable(at, 'a value');
};
export const string = text('text', /^/);
export const boolean = matching('true or false', (value) => typeof value === 'boolean');
/** JSON reads 1e999 as infinity. */
export const number = matching(
  'a finite number',
  (value) => typeof value === 'number' && Number.isFinite(value),
);
export const count = matching(
  'an integer from 0 to 2^53 − 1',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const digest = text('64 lower-case hexadecimal digits', /^[0-9a-f]{64}$/);
export const bits = text('16 lower-case hexadecimal digits', /^[0-9a-f]{16}$/);
export const decimal = text('a decimal integer as text', /^(?:0|[1-9][0-9]{0,39})$/);
const base64Alphabet = /^[A-Za-z0-9+/]*={0,2}$/;
/** The last digits of a text whose unused bits are zero. */
const base64End = /(?:[AQgw]==|[AEIMQUYcgkosw048]=|[^=])$/;
/** What fromBase64 takes (bytes.ts), told without decoding it. */
export const base64 = matching(
  'base 64 (RFC 4648, padded, no stray bits)',
  (value) =>
    typeof value === 'string' &&
    value.length % 4 === 0 &&
    base64Alphabet.test(value) &&
    (value === '' || base64End.test(value)),
);
export const word = (...words: readonly unknown[]) =>
  matching(words.join(' or '), (value) => words.includes(value));
export const nullable =
  (shape: Shape): Shape =>
  (value, at) => {
    if (value !== null) shape(value, at);
  };

export const list =
  (items: Shape): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) unreadable(at, 'a list');
    value.forEach((item, i) => {
      items(item, `${at}/${i}`);
    });
  };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with these members and, unless `open`, no others. */
export const record =
  (
    members: Readonly<Record<string, Shape>>,
    { optional = {}, open = false }: { optional?: Readonly<Record<string, Shape>>; open?: boolean } = {},
  ): Shape =>
  (value, at) => {
    if (!isRecord(value)) unreadable(at, 'an object');
    for (const [key, shape] of Object.entries(members)) shape(value[key], `${at}/${key}`);
    for (const [key, shape] of Object.entries(optional)) {
      if (value[key] !== undefined) shape(value[key], `${at}/${key}`);
    }
    for (const key of Object.keys(value)) {
      if (!open && !Object.hasOwn(members, key) && !Object.hasOwn(optional, key)) {
        unreadable(`${at}/${key}`, 'no member of this name');
      }
    }
  };

export const dictionary =
  (keys: RegExp, values: Shape): Shape =>
  (value, at) => {
    if (!isRecord(value)) unreadable(at, 'an object');
    for (const [key, member] of Object.entries(value)) {
      if (!keys.test(key)) unreadable(`${at}/${key}`, `a name like ${keys.source}`);
      values(member, `${at}/${key}`);
    }
  };

/** The first shape whose test holds. */
export const either =
  (...cases: readonly (readonly [test: (value: unknown) => boolean, shape: Shape])[]): Shape =>
  (value, at) => {
    const found = cases.find(([test]) => test(value));
    if (!found) unreadable(at, 'another kind of value');
    found[1](value, at);
  };

import { canonicalText } from './canonical.ts';

/** One thing that was recomputed and compared. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What follows when it holds; when it does not, what was found and what was expected. */
  readonly detail: string;
  /** JSON pointer into the answer. */
  readonly where: string;
}

/** What a file leaves open: shown or used, but not provable from the bytes that are there. */
export interface Unchecked {
  readonly where: string;
  readonly detail: string;
}

export class Checks {
  readonly made: Check[] = [];
  readonly open: Unchecked[] = [];

  that(name: string, where: string, ok: boolean, detail: string, otherwise = detail): boolean {
    this.made.push({ name, ok, detail: ok ? detail : otherwise, where });
    return ok;
  }

  /** Compares member by member; JSON has no −0, so it equals 0. */
  equal(name: string, where: string, found: unknown, expected: unknown): boolean {
    const difference = firstDifference(found, expected, where);
    return this.that(
      name,
      difference ?? where,
      difference === undefined,
      'follows',
      `not ${shown(expected)}`,
    );
  }

  leave(where: string, detail: string): void {
    this.open.push({ where, detail });
  }
}

function shown(value: unknown): string {
  const text = canonicalText(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** JSON pointer of the first place where two values differ. */
export function firstDifference(found: unknown, expected: unknown, at: string): string | undefined {
  if (isObject(found) && isObject(expected) && Array.isArray(found) === Array.isArray(expected)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const inside = firstDifference(own(found, key), own(expected, key), `${at}/${key}`);
      if (inside !== undefined) return inside;
    }
    return undefined;
  }
  return found === expected ? undefined : at;
}

/** Not what the prototype has under the name. */
const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

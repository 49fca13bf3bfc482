/** Where a value stands in a request: `inputs.m`, `supports[0].load`. */
export type Path = readonly (string | number)[];
type Body = Readonly<Record<string, unknown>>;

/** The path that a text spells; undefined for one that spells none. */
export function pathOf(text: string): Path | undefined {
  const path: (string | number)[] = [];
  const pattern = /(?:^|\.)([^.[\]]+)|\[(\d{1,9})\]/gy;
  let end = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, name, index] = match;
    if (name === '__proto__' || (path.length === 0 && index !== undefined)) return undefined;
    path.push(name ?? Number(index));
    end = pattern.lastIndex;
  }
  return path.length > 0 && end === text.length ? path : undefined;
}

const isContainer = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null;

/** What stands there; undefined where nothing does. */
export function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (isContainer(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    body,
  );
}

/** A copy of the body with the value there; only what lies on the path is copied. */
export function withValue(body: Body, path: Path, value: unknown): Record<string, unknown> {
  return replaced(body, path, value) as Record<string, unknown>;
}

function replaced(at: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = copied(at, key);
  copy[key] = replaced(Object.hasOwn(copy, key) ? copy[key] : undefined, rest, value);
  return copy;
}

function copied(at: unknown, key: string | number): Record<string | number, unknown> {
  if (Array.isArray(at)) return [...at] as unknown as Record<number, unknown>;
  if (isContainer(at)) return { ...at };
  return (typeof key === 'number' ? [] : {}) as Record<string | number, unknown>;
}

/** A copy without the value there; a list keeps its length, with null in that place. */
export function without(body: Body, path: Path): Record<string, unknown> {
  return removed(body, path) as Record<string, unknown>;
}

function removed(at: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined || !isContainer(at) || !Object.hasOwn(at, key)) return at;
  const copy = copied(at, key);
  if (rest.length > 0) copy[key] = removed(copy[key], rest);
  else if (Array.isArray(copy)) copy[key] = null;
  else delete copy[key];
  return copy;
}

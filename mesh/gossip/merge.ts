/**
 * How what nodes heard comes together: pure functions of sets of events. Of two events about one subject the earlier
 * tick wins, and of one tick the smaller id; of more subjects than there is room for, those stay that come first in
 * the same order. Both are smallest elements of one total order, so merging is commutative, associative and
 * idempotent: nodes that heard the same events, in any order and any number of times, hold the same.
 */
export interface Told {
  readonly kind: string;
  readonly subject: string;
  readonly tick: number;
  /** SHA-256 of the event, 64 hexadecimal digits. */
  readonly id: string;
}

/** What a node holds: one event for each kind and subject. */
export type Held<E extends Told = Told> = ReadonlyMap<string, E>;

/** Subjects that a node holds at once; an event has at most 8 KiB, so this bounds the memory. */
export const MOST_HELD = 8192;

const keyOf = ({ kind, subject }: Told): string => `${kind} ${subject}`;

/** The order of all events: by tick, then by id. */
export function precedes(a: Told, b: Told): boolean {
  return a.tick < b.tick || (a.tick === b.tick && a.id < b.id);
}

/** Takes one event into `held`. @returns whether it stays there */
export function absorb<E extends Told>(held: Map<string, E>, event: E, most: number = MOST_HELD): boolean {
  const key = keyOf(event);
  const known = held.get(key);
  if (known && !precedes(event, known)) return known.id === event.id;
  held.set(key, event);
  if (held.size <= most) return true;
  const last = lastOf(held.values());
  held.delete(keyOf(last));
  return last !== event;
}

function lastOf<E extends Told>(events: Iterable<E>): E {
  let last: E | undefined;
  for (const event of events) if (!last || precedes(last, event)) last = event;
  return last!;
}

/** What a node holds that heard all that two others hold. */
export function merge<E extends Told>(a: Held<E>, b: Held<E>, most: number = MOST_HELD): Held<E> {
  const merged = new Map<string, E>();
  for (const held of [a, b]) for (const event of held.values()) absorb(merged, event, most);
  return merged;
}

/** Forgets what is older. */
export function forget<E extends Told>(held: Map<string, E>, beforeTick: number): void {
  for (const [key, { tick }] of held) if (tick < beforeTick) held.delete(key);
}

/** A node that was not heard for so long is `unknown`. Nothing that is heard, or not heard, makes a node dead. */
export const PRESENT_TICKS = 120;

export const presence = (heardTick: number, nowTick: number): 'present' | 'unknown' =>
  nowTick - heardTick <= PRESENT_TICKS ? 'present' : 'unknown';

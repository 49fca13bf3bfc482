import {
  bits,
  count,
  digest,
  list,
  nullable,
  record,
  type Shape,
  unreadable,
  word,
} from '../../src/proof/shape.ts';
import { isToken, jobClasses } from '../subjects.ts';
import { BUCKETS } from './coherence.ts';
import type { Sender } from './sender.ts';

/** What can be gossiped: one row a kind. Bodies take no other members than these. */
export interface GossipKind {
  readonly shape: Shape;
  /** `service`: only service nodes say it. */
  readonly from: 'anybody' | 'service';
  /** What the event is about: of two events with one subject the earlier tick wins. */
  subject(body: Readonly<Record<string, unknown>>, sender: string, tick: number): string;
}

const textOf =
  (accepts: string, pattern: RegExp): Shape =>
  (value, at) => {
    if (typeof value !== 'string' || !pattern.test(value)) unreadable(at, accepts);
  };

const token: Shape = (value, at) => {
  if (typeof value !== 'string' || !isToken(value))
    unreadable(at, 'a name of 1 to 128 letters, digits, _ and -');
};

const within =
  (least: number, most: number): Shape =>
  (value, at) => {
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
      unreadable(at, `an integer from ${least} to ${most}`);
  };

/** A node says of itself who it is anew in each of these spans: what it said before is then another subject. */
export const DISCOVERY_TICKS = 60;

export const modes = ['idle', 'contributing', 'experimenting'] as const;

const kinds: Readonly<Record<string, GossipKind>> = {
  /** A node says that it is there. Its subject is itself, so nobody is announced by another. */
  'node-discovery': {
    from: 'anybody',
    shape: record({
      role: word('service', 'contributor'),
      /** WebAssembly engine and processor. */
      engine: textOf('up to 100 printable ASCII characters', /^[ -~]{1,100}$/),
      cores: within(1, 65_536),
      /** Bytes. */
      memory: count,
      /** null for a service node. */
      mode: nullable(word(...modes)),
    }),
    subject: (_, sender, tick) => `${sender}@${Math.floor(tick / DISCOVERY_TICKS)}`,
  },
  /** A service node says which node a shard of a run was given to. A new lease has a new fence. */
  'shard-placement': {
    from: 'service',
    shape: record({ run: token, shard: count, fence: count, node: token }),
    subject: ({ run, shard, fence }) => `${run}/${shard}/${fence}`,
  },
  /** A service node says that there is a run to work on. */
  'job-broadcast': {
    from: 'service',
    shape: record({ run: token, class: word(...jobClasses), kernel: digest, work: count }),
    subject: ({ run }) => String(run),
  },
  /** A service node says what it has heard, as digests: what coherence is measured by. */
  'held-digests': {
    from: 'service',
    shape: record({
      /** The last tick of the events that are counted. */
      through: count,
      buckets: list(record({ bucket: within(0, BUCKETS - 1), count: within(1, 1e6), digest: bits })),
    }),
    subject: ({ through }, sender) => `${sender}@${through}`,
  },
};

export const kindNames: readonly string[] = Object.keys(kinds);

export const kindOf = (name: unknown): GossipKind | undefined =>
  typeof name === 'string' && Object.hasOwn(kinds, name) ? kinds[name] : undefined;

/** Whether this sender may say this: contributors speak of themselves only, and everybody in its own role. */
export function mayTell(
  kind: GossipKind,
  { role }: Sender,
  body: Readonly<Record<string, unknown>>,
): boolean {
  if (kind.from === 'service') return role === 'service';
  return body.role === role && (role === 'service') === (body.mode === null);
}

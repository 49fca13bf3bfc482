import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Refused } from '../decide/effects.ts';
import type { AliveAnswer, CheckWork, Holding, Kept, LeaseAnswer } from '../desk.ts';
import type { Presence } from '../front.ts';

/**
 * What the headers of messages look like (frame.ts): everything that a stranger sends is held to one of these, to the
 * last field, before anybody looks at it.
 */
const exact = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });
const word = <T extends string>(...words: readonly T[]) =>
  Type.Unsafe<T>(Type.Union(words.map((each) => Type.Literal(each))));
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const token = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' });
const text = (most: number) => Type.String({ maxLength: most });

/** Of what a node asks and says in one message. */
export const MOST_RUNS = 64;
export const MOST_HOLDINGS = 256;
/** Of what the service has kept, in one message. */
export const MOST_TOLD = 128;
/** Longest span, in segments: a node goes on past it only after it was kept. */
export const MOST_SEGMENTS = 16_384;

const holding = exact({ run: token, fence: count, from: Type.Optional(count) });
const final = exact({ status: count, result: digest });
/** A claim without its digests, which are the first attachment, 32 bytes each. */
const claim = exact({
  from: count,
  to: count,
  steps: count,
  work: Type.String({ pattern: '^(0|[1-9][0-9]{0,19})$' }),
  state: digest,
  rowsRoot: digest,
  rowsHash: digest,
  final: Type.Optional(final),
});

/** Node to service, durable: svc.results.<run>.<node>. */
const result = Type.Union([
  exact({
    result: word('commit'),
    id: token,
    run: token,
    fence: count,
    from: count,
    to: count,
    commitment: digest,
  }),
  exact({ result: word('reveal'), id: token, run: token, fence: count, claim }),
  exact({ result: word('checked'), id: token, run: token, fence: count, claim }),
]);

/** Node to service, durable: svc.results.~.<node>. Its attachments are so many of the messages above. */
const parcel = exact({ parcel: Type.Integer({ minimum: 1, maximum: 1024 }) });

/** Each time that a question is asked is another attempt; `at` is when, in Unix ms by the node's clock. */
const asked = { id: token, attempt: count, at: count };
/** Node to service, answered at once: svc.node.<node>.ask. */
const ask = Type.Union([
  exact({ ask: word('lease'), ...asked, runs: Type.Array(token, { minItems: 1, maxItems: MOST_RUNS }) }),
  exact({ ask: word('alive'), ...asked, holding: Type.Array(holding, { maxItems: MOST_HOLDINGS }) }),
  exact({ ask: word('release'), ...asked, holding, failed: Type.Boolean() }),
  exact({ ask: word('bytes'), ...asked, run: token, sha256: digest, offset: count }),
]);

const start = exact({ digest, steps: count, state: digest, rowsHash: digest });
const work = {
  run: token,
  fence: count,
  kernel: digest,
  parameters: digest,
  stepsPerSegment: count,
  memory: count,
  work: Type.Number(),
  from: count,
  start: Type.Optional(start),
};
/** A table, so that none can be forgotten. */
const isReason: Readonly<Record<Refused, true>> = {
  ...{ ended: true, complete: true, waiting: true, leased: true, own: true, excluded: true, lapsed: true },
  ...{
    'house-only': true,
    busy: true,
    fenced: true,
    'out-of-order': true,
    settled: true,
    'not-committed': true,
  },
};
const reasons = Object.keys(isReason) as Refused[];
const refused = word<Refused>(...reasons);
const mode = word('idle', 'contributing', 'experimenting');

const leaseAnswer = Type.Union([
  exact({ lease: exact(work) }),
  exact({ run: token, refused: word<Refused | 'unknown'>(...reasons, 'unknown') }),
]);

/** The service's answer to each of these. `bytes` come as the attachment; `busy`: ask again. */
const answer = Type.Union([
  exact({ answer: word('lease'), leases: Type.Array(leaseAnswer, { maxItems: MOST_RUNS }) }),
  exact({ answer: word('alive'), mode, lost: Type.Array(holding, { maxItems: MOST_HOLDINGS }) }),
  exact({ answer: word('release') }),
  exact({ answer: word('bytes'), total: count }),
  exact({ answer: word('none') }),
  exact({ answer: word('busy') }),
  /** Asked before, or at another time than `now`, in Unix ms by the service's clock. */
  exact({ answer: word('late'), now: count }),
  exact({ answer: word('unreadable') }),
]);

/** Service to node: svc.to.<node>. */
const told = Type.Union([
  /** Of all that came in one turn from this node: one signature under many words. */
  exact({
    told: word('kept'),
    all: Type.Array(exact({ id: token, kept: word<Refused | 'kept'>(...reasons, 'kept') }), {
      minItems: 1,
      maxItems: MOST_TOLD,
    }),
  }),
  /** Its parts are gone: say it again, with them. */
  exact({ told: word('again'), id: token }),
  exact({ told: word('unreadable'), id: token }),
  exact({
    told: word('check'),
    work: exact({ ...work, kind: word('second', 'third', 'confirm'), through: count }),
  }),
  exact({ told: word('lost'), holding, reason: refused }),
  exact({ told: word('mode'), mode }),
]);

const presence = exact({ engine: text(128), cores: count, memory: count });

export type ResultHeader = Static<typeof result>;
export type ClaimHeader = Static<typeof claim>;
export type Ask = Static<typeof ask>;
export type Answer =
  | { readonly answer: 'lease'; readonly leases: readonly LeaseAnswer[] }
  | ({ readonly answer: 'alive' } & AliveAnswer)
  | { readonly answer: 'bytes'; readonly total: number }
  | { readonly answer: 'late'; readonly now: number }
  | { readonly answer: 'release' | 'none' | 'busy' | 'unreadable' };
export type Told =
  | { readonly told: 'kept'; readonly all: readonly { readonly id: string; readonly kept: Kept }[] }
  | { readonly told: 'again' | 'unreadable'; readonly id: string }
  | { readonly told: 'check'; readonly work: CheckWork }
  | { readonly told: 'lost'; readonly holding: Holding; readonly reason: Refused }
  | { readonly told: 'mode'; readonly mode: AliveAnswer['mode'] };

/** @returns undefined for what is not exactly such a header */
function reader<T>(schema: TSchema): (header: unknown) => T | undefined {
  const validator = Compile(schema);
  return (header) => (validator.Check(header) ? (header as T) : undefined);
}

export const readResult = reader<ResultHeader>(result);
export const readParcel = reader<Static<typeof parcel>>(parcel);
export const readAsk = reader<Ask>(ask);
export const readAnswer = reader<Answer>(answer);
export const readTold = reader<Told>(told);
export const readPresence = reader<Presence>(presence);

/** The id in a header that is otherwise unreadable, so that its sender hears of it. */
export function idIn(header: Readonly<Record<string, unknown>>): string | undefined {
  const { id } = header;
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(id) ? id : undefined;
}

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { EXCHANGE_TICKS } from '../../challenges/challenges.ts';
import type { ServiceNode } from '../../node.ts';
import { revocationsSince } from '../../spine/revocations.ts';
import { withKey } from '../openapi.ts';
import { decimal, digest, errors, json, object, orNull, text } from '../schemas.ts';
import { type App, typed } from '../typed.ts';

const tags = ['Proof'];
const SMALL_BODY = 32_768;
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hexadecimal.' });
const index = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

const children = object({ left: digest('Node of the tree.'), right: digest('Node of the tree.') });
const integer = { type: 'integer' };
const claim = {
  segments: integer,
  root: digest('Root over D_0 … D_n.'),
  resultHash: digest('Of the result.'),
  work: decimal('Work units.'),
};
const properties = {
  challenge: text('Its id.'),
  token_id: text('The coin of the result.'),
  node: text('Who sealed the result and settles the challenge.'),
  run: integer,
  state: {
    type: 'string',
    enum: ['bisecting', 'executing', 'settled', 'forfeited', 'moot', 'undecided'],
    description:
      '`bisecting`: the challenger is to show children; `executing`: the service runs the segment.',
  },
  sealed: object({ ...claim, level: integer }),
  claim: object(claim),
  dispute: object(
    { from: integer, count: integer, sealed: digest('As sealed.'), claimed: digest('As claimed.') },
    {
      description:
        'The node on which the two digest trees differ; with the sealed `children` while it goes on.',
    },
  ),
  exchanges: integer,
  deadline_tick: orNull(integer),
  stake_plancks: decimal('Held of the challenger.'),
  outcome: orNull({ type: 'string', enum: ['contributor_wrong', 'challenger_wrong', 'not_reproducible'] }),
  detail: orNull(text('How it ended, in a sentence.')),
  verdict: orNull(text('Signed statement svc-verdict-1.')),
  verdict_index: orNull({ ...integer, description: 'Its leaf in the log.' }),
  revocation_index: orNull({ ...integer, description: 'The leaf that revokes the result.' }),
  opened_ns: decimal('Unix nanoseconds.'),
  ended_ns: orNull(decimal('Unix nanoseconds.')),
};
const challenge = object(properties);
const whole = object({
  ...properties,
  shown: {
    type: 'array',
    items: object({ from: integer, count: integer, sealed: children, claimed: children }),
    description: 'What both sides showed in each exchange.',
  },
});

const claimBody = Type.Object({
  envelope: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'The whole envelope of the result: it shows that one holds the receipt.',
  }),
  run: index('Which run of the answer, from 0 on.'),
  root: sha256,
  resultHash: sha256,
  segments: index('The segment with which the run ended; one more than were sealed where it would go on.'),
  work: Type.String({ pattern: '^(0|[1-9][0-9]{0,19})$', description: 'Work units of the run.' }),
});

/** Contesting a sealed result, and the results that were taken back (CONTRIB-06, CONTRIB-07). */
export function challengeRoutes(plain: FastifyInstance, node: ServiceNode): void {
  const app = typed(plain);
  for (const add of [openRoute, childrenRoute, challengeRoute, challengesRoute, revocationsRoute])
    add(app, node);
}

function openRoute(app: App, node: ServiceNode): void {
  app.post(
    '/api/svc/challenges',
    {
      config: { key: true },
      bodyLimit: SMALL_BODY,
      schema: {
        operationId: 'challenge',
        summary: 'Contest a run of a sealed result; a stake is held',
        description:
          'Who holds the receipt and got other digests claims its own root over D_0 … D_n, of as many entries as ' +
          'were sealed (shorter lists are filled up with zero bytes), result and work. The stake is twice the work ' +
          'of the run, and goes to the house if the segment comes out as it was sealed. A repeat is the same challenge.',
        tags,
        security: withKey,
        body: claimBody,
        response: {
          200: json(challenge, 'As it stands; `svc challenge` goes on from here.'),
          ...errors(
            [
              ...(['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_BALANCE', 'OVERLOADED'] as const),
              ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
            ],
            { key: true },
          ),
        },
      },
    },
    (request) => node.challenges.open(request.zid, request.body),
  );
}

function childrenRoute(app: App, node: ServiceNode): void {
  app.post(
    '/api/svc/challenges/:id/children',
    {
      config: { key: true },
      bodyLimit: SMALL_BODY,
      schema: {
        operationId: 'challenge_children',
        summary: 'Show the children of the node at hand, as the challenger has them',
        description: `Within ${EXCHANGE_TICKS} ticks (1000 s) of the exchange before; who is silent longer loses its stake.`,
        tags,
        security: withKey,
        params,
        body: Type.Object({
          from: index('First leaf under the node.'),
          count: index('Leaves under it.'),
          left: sha256,
          right: sha256,
        }),
        response: {
          200: json(challenge, 'The next node, or that the segment is found.'),
          ...errors(
            [
              ...(['INVALID_INPUT', 'NOT_FOUND', 'FORBIDDEN', 'CONFLICT'] as const),
              ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
            ],
            { key: true },
          ),
        },
      },
    },
    (request) => node.challenges.exchange(request.zid, request.params.id, request.body),
  );
}

function challengeRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/challenges/:id',
    {
      schema: {
        operationId: 'challenge_shown',
        summary: 'A challenge as it stands: digests and states, no inputs and no values',
        tags,
        params,
        response: {
          200: json(whole, 'With the signed verdict at its end.'),
          ...errors(['NOT_FOUND', 'INVALID_INPUT']),
        },
      },
    },
    (request) => node.challenges.view(request.params.id),
  );
}

function challengesRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/challenges',
    {
      schema: {
        operationId: 'challenges',
        summary: 'Challenges, newest first',
        tags,
        querystring: Type.Object({
          job: Type.Optional(
            Type.String({
              pattern: '^[\\x21-\\x7e]{1,200}$',
              description: 'Of this job, or this coin, only.',
            }),
          ),
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
          offset: Type.Integer({ minimum: 0, maximum: 1e9, default: 0 }),
        }),
        response: {
          200: json(object({ challenges: { type: 'array', items: challenge }, total: integer }), 'One page.'),
          ...errors(['INVALID_INPUT']),
        },
      },
    },
    ({ query: { job, ...page } }) => node.challenges.list(job, page),
  );
}

function revocationsRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/revocations',
    {
      schema: {
        operationId: 'revocations',
        summary: 'Results that were taken back, in the order of the log, each with its proof',
        tags,
        querystring: Type.Object({
          since: Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            default: 0,
            description: 'Leaves from here on: the size of a checkpoint.',
          }),
        }),
        response: {
          200: json(
            object({
              node: text('Whose log.'),
              since: integer,
              checkpoint: orNull(text('Signed head of the log, which the proofs are against.')),
              revocations: {
                type: 'array',
                items: object({
                  index: integer,
                  leaf: text('Text of the leaf, svc-revocation-1.'),
                  path: { type: 'array', items: { type: 'string' }, description: 'Inclusion path, base 64.' },
                }),
              },
              next: orNull({ ...integer, description: '`since` of the next page.' }),
            }),
            'One page.',
          ),
          ...errors(['INVALID_INPUT']),
        },
      },
    },
    ({ query }) => revocationsSince(node.store, { log: node.log, node: node.name }, query.since),
  );
}

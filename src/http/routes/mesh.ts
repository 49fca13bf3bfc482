import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { HANDSHAKE_HEADER, readHandshake } from '../../../mesh/gossip/handshake.ts';
import { segmentVerdict, segmentVerdicts } from '../../challenges/segment-verdicts.ts';
import type { ServiceNode } from '../../node.ts';
import { decimal, digest, errors, json, object, orNull, text } from '../schemas.ts';
import { typed } from '../typed.ts';

const tags = ['Mesh'];
const integer = (description: string) => ({ type: 'integer', minimum: 0, description });
const heard = object({
  id: digest('SHA-256 of the event; what its sender signed.'),
  kind: text('Of the event.'),
  subject: text('What it is about.'),
  tick: integer('When it was said.'),
  holds: {
    type: 'boolean',
    description: 'False where another event about the subject has the earlier tick.',
  },
});
const status = object({
  coherenceScore: orNull({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description:
      'Share of gossip subjects on which the peers of the last 120 ticks agree; null until measured.',
  }),
  peersCompared: integer('Service nodes whose reports were compared.'),
  recentGossipCount: integer('Events of others within the last 120 ticks.'),
  lastGossipTick: orNull(integer('Tick of the last event of others; null while nothing was heard.')),
  nodes: object({
    service: integer('Service nodes that were heard in the last 120 ticks.'),
    idle: integer('Contributors in this mode.'),
    contributing: integer('Contributors in this mode.'),
    experimenting: integer('Contributors in this mode.'),
    unknown: integer('Nodes that were heard before, but not in the last 120 ticks.'),
  }),
});
const beacons = object({
  vkey: text('Verifier key of the node that signed them.'),
  beacons: {
    type: 'array',
    items: object({
      t_ns: decimal('Unix nanoseconds.'),
      checkpoint: text('Signed head of the log when it was made; empty while the log was.'),
      signature: text('Ed25519 over SHA-256("SVC-BEACON-1\\0" ‖ u64 t_ns ‖ checkpoint), base 64.'),
      beacon: digest('SHA-256 of the signature.'),
    }),
  },
});
const verdict = object({
  verdict: text('Its id.'),
  run: text('Job and index of the run in it.'),
  segment: integer('The first segment on which two executions differed.'),
  outcome: { type: 'string', enum: ['contributor_wrong', 'challenger_wrong', 'not_reproducible'] },
  faulty: { type: 'array', items: text('A node.'), description: 'Whose bond is withheld.' },
  node: text('Who signed it.'),
  leaf_index: integer('Its leaf in the log of that node.'),
  note: text('Signed statement svc-segment-verdict-1; `svc verdict` runs the segment again.'),
  decided_ns: decimal('Unix nanoseconds.'),
});
const params = Type.Object({ id: Type.String({ maxLength: 200 }) });

/** The event is checked as bytes, so the description says its form and nothing else reads it. */
const event = Type.Object(
  {
    kind: Type.String({ description: 'node-discovery, shard-placement, job-broadcast or held-digests.' }),
    sender: Type.String({ description: 'Public nkey of a contributor, or verifier key of a service node.' }),
    tick: Type.Integer({ minimum: 0, description: 'When it was said.' }),
    body: Type.Object({}, { additionalProperties: true, description: 'As the kind asks for.' }),
    signature: Type.String({ description: 'Ed25519 over the id, base 64.' }),
  },
  { additionalProperties: false },
);

/** Gossip between nodes, the beacons by which work is drawn for checking, and what checks came to (MESH-01 to MESH-08). */
export function meshRoutes(app: FastifyInstance, node: ServiceNode): void {
  app.register(async (scope) => gossipRoute(scope, node));
  verdictRoutes(app, node);

  app.get(
    '/api/mesh/status',
    {
      schema: {
        operationId: 'mesh_status',
        summary: 'What this node hears of the mesh, and how far its peers agree',
        tags,
        response: { 200: json(status, 'Now.'), ...errors([]) },
      },
    },
    () => node.gossip.status(),
  );

  typed(app).get(
    '/api/mesh/beacons',
    {
      schema: {
        operationId: 'mesh_beacons',
        summary: 'Beacons that drew something, the newest first',
        tags,
        querystring: Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }) }),
        response: { 200: json(beacons, 'Each with what it is made from.'), ...errors(['INVALID_INPUT']) },
      },
    },
    async (request) => ({
      vkey: node.vkey,
      beacons: await node.beacons.latest(request.query.limit),
    }),
  );
}

/** What disputes within runs came to: for everybody, like the verdicts of challenges. */
function verdictRoutes(plain: FastifyInstance, { store }: ServiceNode): void {
  const app = typed(plain);
  app.get(
    '/api/mesh/verdicts',
    {
      schema: {
        operationId: 'mesh_verdicts',
        summary: 'Verdicts within runs, newest first',
        tags,
        querystring: Type.Object({
          run: Type.Optional(
            Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$', description: 'Of this run only.' }),
          ),
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
          offset: Type.Integer({ minimum: 0, maximum: 1e9, default: 0 }),
        }),
        response: {
          200: json(
            object({ verdicts: { type: 'array', items: verdict }, total: integer('In all.') }),
            'One page.',
          ),
          ...errors(['INVALID_INPUT']),
        },
      },
    },
    ({ query: { run, ...page } }) => segmentVerdicts(store, run, page),
  );
  app.get(
    '/api/mesh/verdicts/:id',
    {
      schema: {
        operationId: 'mesh_verdict',
        summary: 'A verdict within a run',
        tags,
        params,
        response: { 200: json(verdict, 'It.'), ...errors(['INVALID_INPUT', 'NOT_FOUND']) },
      },
    },
    ({ params: { id } }) => segmentVerdict(store, id),
  );
}

/** In a scope of its own, where a body stays the bytes that the handshake and the signature are about. */
function gossipRoute(scope: FastifyInstance, node: ServiceNode): void {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  scope.post<{ Body: Buffer }>(
    '/api/mesh/gossip',
    {
      // Who has no handshake at all is told so before its body is read.
      onRequest: async (request) => {
        node.gossip.refuseClosed();
        readHandshake(handshakeOf(request));
      },
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'mesh_gossip',
        summary: 'Tell this node an event of the gossip',
        description:
          `Needs the header \`${HANDSHAKE_HEADER}\`: \`v1 <sender> <tick> <SHA-256 of the body> <HMAC-SHA256>\`. ` +
          'The body is canonical JSON of at most 8 KiB; docs/mesh.md says what each kind holds.',
        tags,
        body: event,
        response: {
          200: json(heard, 'It was taken in.'),
          ...errors([
            ...(['MISSING_HANDSHAKE', 'BAD_HANDSHAKE', 'STALE_HANDSHAKE', 'HANDSHAKE_MISUSED'] as const),
            ...(['UNKNOWN_SENDER', 'BAD_SIGNATURE', 'FORBIDDEN', 'GOSSIP_REPLAYED'] as const),
            ...(['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'NO_MESH_SECRET'] as const),
          ]),
        },
      },
    },
    async (request) => {
      const { event, holds } = await node.gossip.receive(request.body, handshakeOf(request));
      const { id, kind, subject, tick } = event;
      return { id, kind, subject, tick, holds };
    },
  );
}

function handshakeOf({ headers }: FastifyRequest): string | undefined {
  const header = headers[HANDSHAKE_HEADER];
  return Array.isArray(header) ? header[0] : header;
}

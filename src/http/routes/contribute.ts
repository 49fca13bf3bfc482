import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Contributions } from '../../contribute/contributions.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { ServiceNode } from '../../node.ts';
import {
  admissionJson,
  admissionShape,
  censusShape,
  earningsJson,
  earningsShape,
  list,
  modeShape,
  nodeJson,
  nodeShape,
  paperShape,
  policyShape,
  standingJson,
  standingShape,
  switchedShape,
} from '../contribution-json.ts';
import { withKey } from '../openapi.ts';
import { decimal, errors, json, object, text } from '../schemas.ts';
import { typed } from '../typed.ts';

const nodeId = Type.String({
  pattern: '^U[A-Z2-7]{55}$',
  description: "Public nkey of one of the account's nodes.",
});
const route = (operationId: string, summary: string, response: Record<number, unknown>) => ({
  operationId,
  summary,
  tags: ['Contribute'],
  response,
});
/** What may go wrong with a key, beside what always may. */
const failures = (...codes: ErrorCode[]) => errors(codes, { key: true });
const posted = ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;
const standing = json(standingShape, 'How the account stands.');

/** Selling cycles: who contributes, at what stake, and what it earned (docs/mesh.md, 'Selling cycles'). */
export function contributeRoutes(app: FastifyInstance, node: ServiceNode): void {
  openRoutes(app, node.contributions);
  nodeRoutes(app, node);
  modeRoutes(app, node.contributions);
  bondRoutes(app, node.contributions);
}

function openRoutes(app: FastifyInstance, contributions: Contributions): void {
  app.get(
    '/api/contribute/policy',
    {
      schema: route('contribute_policy', 'The rules for contributors', {
        200: json(policyShape, 'What holds on this node.'),
        ...errors([]),
      }),
    },
    () => contributions.rules(),
  );
  app.get(
    '/api/contribute/census',
    {
      schema: route('contribute_census', 'How many contribute, without names', {
        200: json(censusShape, 'Counts, made at most once a tick.'),
        ...errors([]),
      }),
    },
    () => contributions.census(),
  );
}

const admissionBody = Type.Object({
  node: nodeId,
  engine: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._+ -]{0,63}$',
    description: 'Such as `v8-11.3 x64`.',
  }),
  cores: Type.Integer({ minimum: 1, maximum: 4096 }),
  memory: Type.Integer({ minimum: 1, maximum: 2 ** 50, description: 'Bytes.' }),
  selfTest: Type.Object({
    id: Type.String({ maxLength: 100 }),
    answers: Type.Array(
      Type.Object({
        probe: Type.String({ maxLength: 200 }),
        kernel: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        leaf: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      }),
      { maxItems: 2000 },
    ),
  }),
  proof: Type.String({
    maxLength: 100,
    description: `Ed25519 signature of the node's key, base 64, over SHA-256("SVC-ADMIT-1\\0" ‖ id ‖ 0x00 ‖ node).`,
  }),
});

function nodeRoutes(plain: FastifyInstance, node: ServiceNode): void {
  const { contributions } = node;
  const app = typed(plain);
  app.get(
    '/api/contribute/self-test',
    {
      config: { key: true },
      schema: {
        ...route('contribute_self_test', 'Questions that a node answers before it is admitted', {
          200: json(paperShape, 'Every kernel, rounding, denormals and NaN.'),
          ...failures('UNSUPPORTED'),
        }),
        security: withKey,
      },
    },
    (request) => contributions.selfTest(request.zid),
  );
  app.post(
    '/api/contribute/nodes',
    {
      config: { key: true },
      schema: {
        ...route('contribute_admit', 'Admits a node that computes as the reference does', {
          201: json(admissionShape, 'What the node connects with.'),
          ...failures(...posted, 'UNSUPPORTED', 'FORBIDDEN', 'LIMIT_EXCEEDED'),
        }),
        security: withKey,
        body: admissionBody,
      },
    },
    async (request, reply) => {
      const admitted = await contributions.admit(request.zid, request.body);
      return reply.code(201).send(admissionJson(admitted, node));
    },
  );
  app.get(
    '/api/contribute/nodes',
    {
      config: { key: true },
      schema: {
        ...route('contribute_nodes', 'Nodes of this account, those that have left included', {
          200: json(object({ nodes: list(nodeShape) }), 'In the order in which they were admitted.'),
          ...failures(),
        }),
        security: withKey,
      },
    },
    async (request) => ({ nodes: (await contributions.nodes(request.zid)).map(nodeJson) }),
  );
  app.delete(
    '/api/contribute/nodes/:node',
    {
      config: { key: true },
      schema: {
        ...route('contribute_leave', 'A node leaves; its id stays with the account', {
          200: json(
            object({ node: text('Public nkey.'), state: { const: 'left' } }),
            'It takes nothing more.',
          ),
          ...failures('INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'),
        }),
        security: withKey,
        params: Type.Object({ node: nodeId }),
      },
    },
    async (request) => {
      await contributions.leave(request.zid, request.params.node);
      return { node: request.params.node, state: 'left' };
    },
  );
}

function modeRoutes(plain: FastifyInstance, contributions: Contributions): void {
  const app = typed(plain);
  app.post(
    '/api/contribute/mode',
    {
      config: { key: true },
      schema: {
        ...route('contribute_mode', 'Switches the account and its nodes, or one node', {
          200: json(switchedShape, 'The mode that holds; what ran under another one is preempted.'),
          ...failures(...posted, 'NOT_FOUND', 'CONFLICT'),
        }),
        security: withKey,
        body: Type.Object(
          {
            mode: Type.String({ description: 'idle, contributing or experimenting.' }),
            node: Type.Optional(nodeId),
          },
          { examples: [{ mode: 'contributing' }] },
        ),
      },
    },
    (request) => contributions.switchMode(request.zid, request.body.mode, request.body.node),
  );
  app.post(
    '/api/contribute/heartbeat',
    {
      config: { key: true },
      schema: {
        ...route('contribute_heartbeat', 'A sign of life; says the mode and cannot change it', {
          200: json(
            object({ mode: modeShape, heard_ns: decimal('Unix nanoseconds.') }),
            'The mode that holds.',
          ),
          ...failures(...posted, 'NOT_FOUND'),
        }),
        security: withKey,
        body: Type.Object({ node: Type.Optional(nodeId) }, { examples: [{}] }),
      },
    },
    async (request) => {
      const { mode, heardNs } = await contributions.heartbeat(request.zid, request.body.node);
      return { mode, heard_ns: String(heardNs) };
    },
  );
}

function bondRoutes(plain: FastifyInstance, contributions: Contributions): void {
  const app = typed(plain);
  const standingOf = async (zid: string) => standingJson(await contributions.standing(zid));
  const changes = { ...failures('CONFLICT', ...posted), 200: standing };
  app.get(
    '/api/contribute/status',
    {
      config: { key: true },
      schema: {
        ...route('contribute_status', 'Bond, days remaining, mode, nodes and credits', {
          200: standing,
          ...failures(),
        }),
        security: withKey,
      },
    },
    (request) => standingOf(request.zid),
  );
  app.post(
    '/api/contribute/bond',
    {
      config: { key: true },
      schema: {
        ...route('contribute_bond', 'Marks 1,000 envelopes of this account immovable, for 30 days', changes),
        security: withKey,
      },
    },
    async (request) => {
      await contributions.bond(request.zid);
      return standingOf(request.zid);
    },
  );
  app.post(
    '/api/contribute/release',
    {
      config: { key: true },
      schema: { ...route('contribute_release', 'Ends the bond: nothing moves', changes), security: withKey },
    },
    async (request) => {
      await contributions.release(request.zid);
      return standingOf(request.zid);
    },
  );
  app.get(
    '/api/contribute/earnings',
    {
      config: { key: true },
      schema: {
        ...route('contribute_earnings', 'What was paid and what was not, line by line', {
          200: json(earningsShape, 'One page of each kind of line, newest first.'),
          ...failures('INVALID_INPUT', 'NOT_FOUND'),
        }),
        security: withKey,
        querystring: Type.Object({
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
          offset: Type.Integer({ minimum: 0, maximum: 1e9, default: 0 }),
          node: Type.Optional(nodeId),
        }),
      },
    },
    async (request) => earningsJson(await contributions.earnings(request.zid, request.query)),
  );
}

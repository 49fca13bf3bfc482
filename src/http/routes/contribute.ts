import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { MeshNodeRow } from '../../../mesh/records.ts';
import type { Contributions } from '../../contribute/contributions.ts';
import { CAPPED, type UnpaidLine } from '../../contribute/earnings.ts';
import type { Admitted } from '../../contribute/nodes.ts';
import type { WorkCreditRow } from '../../contribute/records.ts';
import type { Standing } from '../../contribute/standing.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { formatCoins } from '../../ledger/coins.ts';
import type { ServiceNode } from '../../node.ts';
import { withKey } from '../openapi.ts';
import { decimal, digest, errors, json, object, orNull, text } from '../schemas.ts';

// ---- shapes ----------------------------------------------------------------------------------------------

const count = (description: string) => ({ type: 'integer', description });
const list = (items: object, description?: string) => ({ type: 'array', items, description });
const mode = { type: 'string', enum: ['idle', 'contributing', 'experimenting'] };
const coinsText = text('Coins, cut off after nine decimals: for reading.');
const workUnits = decimal('Work units, exactly; a coin is 3600000000000 of them.');

const nodeShape = object({
  node: text('Public nkey.'),
  engine: text('WebAssembly engine and processor.'),
  cores: count('Threads that it offers.'),
  memory: count('Bytes of memory that it offers.'),
  mode,
  state: { type: 'string', enum: ['admitted', 'left', 'barred'] },
  admitted_ns: decimal('Unix nanoseconds.'),
});
const standingShape = object({
  mode: { ...mode, description: 'What its nodes are told when they are admitted.' },
  bond: object({
    state: { type: 'string', enum: ['bonded', 'not bonded', 'withheld'] },
    coins: count('Envelopes that are marked.'),
    days_remaining: count('Of the term of 30 days, a begun day counted whole; 0 where no bond stands.'),
    bonded_ns: orNull(decimal('Unix nanoseconds.')),
    ends_ns: orNull(decimal('Unix nanoseconds: end of the term.')),
  }),
  verdicts: list(
    object({
      verdict: text('Its id.'),
      node: text('The node that was found wrong.'),
      coins: count('Envelopes of the bond that it withheld.'),
      at_ns: decimal('Unix nanoseconds.'),
    }),
    'That found a node of this account wrong, newest first.',
  ),
  nodes: list(nodeShape),
  credits: object({ coins: coinsText, work_units: workUnits }),
});
const switchedShape = object({ mode, nodes: list(text('Public nkey.'), 'Nodes whose mode this changed.') });
const censusShape = object({
  nodes: count('That were admitted and have not left.'),
  present: count('Of them those that gave a sign of life lately.'),
  modes: object({ idle: count('Nodes.'), contributing: count('Nodes.'), experimenting: count('Nodes.') }),
  barred: count('Nodes that a verdict found wrong.'),
  owners: count('Accounts.'),
  bonds: count('That stand.'),
  cores: count('Of the nodes that contribute and are present.'),
  memory: count('Bytes, of the same.'),
  engines: { type: 'object', additionalProperties: count('Nodes.') },
});
const policyShape = object({
  bond: object({ coins: count('Envelopes.'), required: { type: 'boolean' }, term_days: count('Days.') }),
  coin: object({ work_units: workUnits }),
  free_work: object({ work_units_per_payer_and_day: workUnits }),
  checks: object({ first_rate: { type: 'number' }, least_rate: { type: 'number' } }),
  lease: object({ silent_ticks: count('Ticks without a sign of life that end a lease.') }),
  check: object({ silent_ticks: count('Ticks without a sign of life after which another node is asked.') }),
  admission: object({ self_test_minutes: count('Minutes.'), nodes_per_account: count('Nodes.') }),
  modes: { type: 'object', additionalProperties: { type: 'string' } },
});
const paperShape = object({
  id: text('Names this paper.'),
  questions: list(
    object({
      probe: text('What it probes.'),
      kernel: digest('Of the kernel.'),
      parameters: text('Base 64.'),
      stepsPerSegment: { type: 'integer' },
      segments: { type: 'integer' },
      memory: { type: 'integer' },
    }),
  ),
});
const admissionShape = object({
  node: nodeShape,
  mode,
  nats: text('URL of the NATS server.'),
  service: text("The service's verifier key."),
  handshake: digest('Key of this node for x-node-handshake; shown here and kept nowhere.'),
});
const line = {
  node: text('Public nkey.'),
  run: text('Of the mesh.'),
  from_segment: decimal('First segment.'),
  work: decimal('Work units that were done.'),
  at_ns: decimal('Unix nanoseconds.'),
};
const total = count('How many there are in all.');
const earningsShape = object({
  coins: coinsText,
  work_units: workUnits,
  paid: object({
    total,
    lines: list(
      object({
        ...line,
        to_segment: decimal('Last segment.'),
        kind: { type: 'string', enum: ['segment', 'check'] },
        paid: decimal('Work units that were paid.'),
        coins: coinsText,
        reason: orNull(text('Why not all of it was paid.')),
      }),
    ),
  }),
  unpaid: object({ total, lines: list(object({ ...line, reason: text('Why, in a sentence.') })) }),
});

// ---- what goes out ---------------------------------------------------------------------------------------

const nodeJson = ({ id, engine, cores, memory, mode, state, admitted_ns }: MeshNodeRow) => ({
  node: id,
  ...{ engine, cores: Number(cores), memory: Number(memory), mode, state },
  admitted_ns: String(admitted_ns),
});

const credits = (work: bigint) => ({ coins: formatCoins(work), work_units: String(work) });

function standingJson({ mode, bond, verdicts, nodes, balance }: Standing) {
  const { state, coins, daysRemaining, bondedNs, endsNs } = bond;
  const times = { bonded_ns: bondedNs?.toString() ?? null, ends_ns: endsNs?.toString() ?? null };
  return {
    mode,
    bond: { state, coins, days_remaining: daysRemaining, ...times },
    verdicts: verdicts.map(({ atNs, ...verdict }) => ({ ...verdict, at_ns: String(atNs) })),
    nodes: nodes.map(nodeJson),
    credits: credits(balance),
  };
}

const admissionJson = ({ row, nats, handshake }: Admitted, service: string) => ({
  node: nodeJson(row),
  ...{ mode: row.mode, nats, service, handshake },
});

const paidJson = ({ node, run, kind, work, paid, ...row }: WorkCreditRow) => ({
  ...{ node, run, kind },
  from_segment: String(row.from_segment),
  to_segment: String(row.to_segment),
  work: String(work),
  paid: String(paid),
  coins: formatCoins(paid),
  at_ns: String(row.at_ns),
  reason: paid < work ? CAPPED : null,
});

const unpaidJson = ({ node, run, from, work, atNs, reason }: UnpaidLine) => ({
  ...{ node, run, reason },
  from_segment: String(from),
  work: String(work),
  at_ns: String(atNs),
});

// ---- routes ----------------------------------------------------------------------------------------------

const nodeId = Type.String({ maxLength: 64, description: 'Public nkey of one of the account’s nodes.' });
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
    description:
      'Ed25519 signature of the node’s key, base 64, over SHA-256("SVC-ADMIT-1\\0" ‖ id ‖ 0x00 ‖ node).',
  }),
});

function nodeRoutes(plain: FastifyInstance, { contributions, vkey }: ServiceNode): void {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
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
      return reply.code(201).send(admissionJson(admitted, vkey));
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
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
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
        body: Type.Object({
          mode: Type.String({ description: 'idle, contributing or experimenting.' }),
          node: Type.Optional(nodeId),
        }),
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
          200: json(object({ mode, heard_ns: decimal('Unix nanoseconds.') }), 'The mode that holds.'),
          ...failures(...posted, 'NOT_FOUND'),
        }),
        security: withKey,
        body: Type.Object({ node: Type.Optional(nodeId) }),
      },
    },
    async (request) => {
      const { mode, heardNs } = await contributions.heartbeat(request.zid, request.body.node);
      return { mode, heard_ns: String(heardNs) };
    },
  );
}

function bondRoutes(plain: FastifyInstance, contributions: Contributions): void {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
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
    async (request) => {
      const { balance, paid, unpaid } = await contributions.earnings(request.zid, request.query);
      return {
        ...credits(balance),
        paid: { total: paid.total, lines: paid.rows.map(paidJson) },
        unpaid: { total: unpaid.total, lines: unpaid.rows.map(unpaidJson) },
      };
    },
  );
}

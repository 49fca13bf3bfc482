import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Replication, replications } from '../../../workers/executor.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { publishedSchema } from '../../solvers/input.ts';
import { solvers } from '../../solvers/registry.ts';
import type { Solver } from '../../solvers/solver.ts';
import type { Outcome, SpineJob } from '../../spine/past-jobs.ts';
import type { JobRow } from '../../spine/records.ts';
import { revokedBy } from '../../spine/revocations.ts';
import { isLong } from '../long-jobs.ts';
import { withKey } from '../openapi.ts';
import { REQUEST_BODY } from '../options.ts';
import { component, computingErrors, errors, json, planningErrors, text } from '../schemas.ts';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;
/** The spine reads the body by the solver's own schema; the published one only describes it. */
const readBySpine = { validatorCompiler: () => () => true };

/** POST /api/svc/{solver} and POST /api/svc/{solver}/quote, for each declared solver. */
export function solverRoutes(app: FastifyInstance, node: ServiceNode): void {
  for (const solver of solvers) {
    const route = { ...readBySpine, config: { key: true }, bodyLimit: REQUEST_BODY };
    const quoteRoute = `/api/svc/${solver.id}/quote`;
    app.post(`/api/svc/${solver.id}`, { ...route, schema: computeSchema(solver) }, (request, reply) =>
      compute(node, solver, request, reply),
    );
    app.post(quoteRoute, { ...route, schema: quoteSchema(solver) }, (request) =>
      node.spine.quote(solver.id, request.body ?? {}, request.zid),
    );
  }
}

function commonSchema(solver: Solver, examples = solver.examples) {
  return {
    security: withKey,
    description: describe(solver),
    body: { ...publishedSchema(solver.input), examples: examples.map(({ body }) => body) },
  };
}

const computeHeaders = {
  type: 'object',
  properties: {
    prefer: text('`respond-async`: answer 202 at once; the job is at `Location`.'),
    replication: text(
      'On a mesh: how much of the long runs is run a second time by another node. Default: as the node is set.',
      { enum: [...replications] },
    ),
    'idempotency-key': text('A repeat with the same key and request is the same job.', {
      pattern: '^[\\x21-\\x7e]{1,200}$',
    }),
  },
};

function computeSchema(solver: Solver) {
  const done = solver.missingInputIs200
    ? json(
        { anyOf: [{ $ref: 'Answer#' }, { $ref: 'MissingInput#' }] },
        'The sealed result, or what is missing.',
      )
    : component('Answer', 'The sealed result.');
  return {
    ...commonSchema(solver),
    operationId: solver.id,
    summary: solver.title,
    tags: ['Solvers'],
    headers: computeHeaders,
    response: {
      200: done,
      202: component('Accepted', 'It goes on in the background.'),
      ...errors(computingErrors, { key: true }),
    },
  };
}

function quoteSchema(solver: Solver) {
  const priced = solver.examples.filter(({ expect }) => !('inputError' in expect)); // what lacks an input has no price
  return {
    ...commonSchema(solver, priced),
    operationId: `${solver.id}_quote`,
    summary: `${solver.title}: price`,
    tags: ['Jobs'],
    response: { 200: component('Quote', 'The price.'), ...errors(planningErrors, { key: true }) },
  };
}

function describe(solver: Solver): string {
  return `${solver.summary}\n\n$$${solver.equation}$$\n\n${solver.references.join('; ')}`;
}

async function compute(
  node: ServiceNode,
  solver: Solver,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    return await answered(node, solver, request, reply);
  } catch (error) {
    if (!solver.missingInputIs200 || !(error instanceof Refusal) || error.code !== 'MISSING_INPUT')
      throw error;
    const { inputError, trace } = error.details;
    return reply.send({ value: null, unit: null, inputError, trace }); // CMP-04
  }
}

async function answered(
  node: ServiceNode,
  solver: Solver,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const prefersAsync = /\brespond-async\b/.test(String(request.headers.prefer ?? ''));
  const job = await node.spine.submit({
    account: request.zid,
    solver: solver.id,
    body: request.body ?? {},
    idempotencyKey: idempotencyKey(request),
    background: prefersAsync,
    replication: replicationOf(request),
  });
  if (prefersAsync || (await isLong(job))) return accepted(reply, job);
  const outcome = await job.outcome;
  // Only a repeated request can meet a result that was taken back.
  const before = request.headers['idempotency-key'] && (await node.spine.records.row(outcome.job));
  if (before) reply.headers(await revocationHeader(node, before));
  // Of a small job that could not be sealed nothing was kept.
  if (outcome.sealed || job.recorded) reply.header('x-svc-job', outcome.job);
  return sendAnswer(reply, outcome);
}

function accepted(reply: FastifyReply, job: SpineJob): FastifyReply {
  const location = `/api/svc/jobs/${job.id}`;
  return reply.code(202).header('location', location).send({ job: job.id, state: job.state, location });
}

/** What was sealed stays as it is, for it is sound as of its checkpoint; that it was taken back is said beside it. */
export async function revocationHeader(
  { store }: ServiceNode,
  { token_id: coin }: Pick<JobRow, 'token_id'>,
): Promise<Record<string, string>> {
  const challenge = coin === null ? undefined : (await revokedBy(store, [coin])).get(coin);
  return challenge === undefined ? {} : { 'x-svc-revoked-by': challenge };
}

export function sendAnswer(reply: FastifyReply, { answer }: Pick<Outcome, 'answer'>): FastifyReply {
  return reply
    .type('application/json; charset=utf-8')
    .send(Buffer.from(answer.buffer, answer.byteOffset, answer.length));
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new Refusal('INVALID_INPUT', 'Idempotency-Key is 1 to 200 printable ASCII characters.', {
    field: 'Idempotency-Key',
  });
}

function replicationOf({ headers: { replication } }: FastifyRequest): Replication | undefined {
  const known = replications.find((each) => each === replication);
  if (replication === undefined || known) return known;
  throw new Refusal('INVALID_INPUT', 'Replication is none, sampled or full.', {
    field: 'Replication',
    accepts: replications,
  });
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { publishedSchema } from '../../solvers/input.ts';
import { solvers } from '../../solvers/registry.ts';
import type { Solver } from '../../solvers/solver.ts';
import type { Outcome, SpineJob } from '../../spine/pipeline.ts';
import { withKey } from '../openapi.ts';
import { ASYNC_PLANCKS, LARGE_BODY } from '../options.ts';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;
/** The spine reads the body by the solver's own schema; the published one only describes it. */
const readBySpine = { validatorCompiler: () => () => true };

/** POST /api/svc/{solver} and POST /api/svc/{solver}/quote, for each declared solver. */
export function solverRoutes(app: FastifyInstance, node: ServiceNode): void {
  for (const solver of solvers) {
    const body = publishedSchema(solver.input);
    const common = { security: withKey, description: describe(solver), body };
    app.post(
      `/api/svc/${solver.id}`,
      {
        ...readBySpine,
        config: { key: true },
        bodyLimit: LARGE_BODY,
        schema: { ...common, operationId: solver.id, summary: solver.title, tags: ['Solvers'] },
      },
      (request, reply) => compute(node, solver, request, reply),
    );
    app.post(
      `/api/svc/${solver.id}/quote`,
      {
        ...readBySpine,
        config: { key: true },
        bodyLimit: LARGE_BODY,
        schema: {
          ...common,
          operationId: `${solver.id}_quote`,
          summary: `${solver.title}: price`,
          tags: ['Jobs'],
        },
      },
      (request) => node.spine.quote(solver.id, request.body ?? {}),
    );
  }
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
  const prefersAsync = /\brespond-async\b/.test(String(request.headers.prefer ?? ''));
  const job = await node.spine.submit({
    account: request.zid,
    solver: solver.id,
    body: request.body ?? {},
    idempotencyKey: idempotencyKey(request),
    background: prefersAsync,
  });
  if (prefersAsync || BigInt(job.expected) > ASYNC_PLANCKS) return accepted(reply, job);
  return sendAnswer(reply.header('x-svc-job', job.id), await job.outcome);
}

function accepted(reply: FastifyReply, job: SpineJob): FastifyReply {
  const location = `/api/svc/jobs/${job.id}`;
  return reply.code(202).header('location', location).send({ job: job.id, state: job.state, location });
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

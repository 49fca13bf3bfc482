import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { errors, json, object } from '../schemas.ts';

const tags = ['Node'];
/** What waits for the operator to look, and not for the store. */
const looksOf: ReadonlySet<string> = new Set(['LOG_NOT_CONTINUED', 'CLOCK_IN_DOUBT']);
const unlimited = { rateLimit: false };

/** Liveness says that the process answers; readiness that the store does and takes writes, that the log in it is that of the node, that the node knows the time, and that the node is not draining. */
export function healthRoutes(app: FastifyInstance, node: ServiceNode, isDraining: () => boolean): void {
  app.get(
    '/health/live',
    {
      config: unlimited,
      schema: {
        operationId: 'live',
        summary: 'The process answers',
        tags,
        response: { 200: json(object({ live: { type: 'boolean' } }), 'It does.') },
      },
    },
    () => ({ live: true }),
  );
  app.get(
    '/health/ready',
    {
      config: unlimited,
      schema: {
        operationId: 'ready',
        summary: 'The node takes work',
        tags,
        response: {
          200: json(object({ ready: { type: 'boolean' } }), 'It does.'),
          ...errors(['SHUTTING_DOWN', 'STORE_UNAVAILABLE', 'LOG_NOT_CONTINUED', 'CLOCK_IN_DOUBT'], {
            isLimited: false,
          }),
        },
      },
    },
    async () => {
      if (isDraining()) throw new Refusal('SHUTTING_DOWN', 'This node is draining.');
      await node.mustBeAbleToSeal().catch((cause) => {
        if (cause instanceof Refusal && looksOf.has(cause.code)) throw cause;
        throw new Refusal('STORE_UNAVAILABLE', 'The store does not answer, or takes no writes.', {
          cause: cause?.code,
        });
      });
      return { ready: true };
    },
  );
}

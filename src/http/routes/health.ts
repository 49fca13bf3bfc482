import type { FastifyInstance } from 'fastify';
import type { ServiceNode } from '../../node.ts';

/** Liveness says that the process answers; readiness that the store does and the node is not draining. */
export function healthRoutes(app: FastifyInstance, node: ServiceNode, isDraining: () => boolean): void {
  const tags = ['Node'];
  app.get('/health/live', { schema: { summary: 'The process answers', tags } }, () => ({ live: true }));
  app.get('/health/ready', { schema: { summary: 'The node takes work', tags } }, async (_, reply) => {
    if (isDraining()) return reply.code(503).send({ ready: false, reason: 'draining' });
    await node.log.checkpoint(node.store);
    return { ready: true };
  });
}

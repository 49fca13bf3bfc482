import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import { fastifySSE } from '@fastify/sse';
import Fastify, { type FastifyInstance } from 'fastify';
import { Refusal } from '../errors/refusal.ts';
import type { ServiceNode } from '../node.ts';
import { registerAuth } from './auth.ts';
import { registerErrors } from './errors.ts';
import { registerMetrics } from './metrics.ts';
import { registerOpenapi } from './openapi.ts';
import { BODY, type HttpOptions } from './options.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { proofRoutes } from './routes/proof.ts';
import { solverRoutes } from './routes/solvers.ts';

const SSE_HEARTBEAT_MS = 25_000;

/** What must never be in a log, wherever it stands. */
const redact = {
  paths: ['req.headers.authorization', 'req.headers.cookie', '*.key', '*.token', '*.sig', '*.pin'],
  censor: '[redacted]',
};

/** The HTTP surface of a node: plugins and routes, nothing decided here. */
export async function buildApp(node: ServiceNode, options: HttpOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: { level: options.logLevel, redact, serializers: { req: requestForLog } },
    bodyLimit: BODY,
    requestIdHeader: false,
    genReqId: () => crypto.randomUUID(),
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
  });
  let draining = false;
  app.addHook('preClose', async () => {
    draining = true;
  });
  app.addHook('onSend', async (request, reply) => void reply.header('x-request-id', request.id));
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_, body, done) =>
    done(null, body),
  );
  registerErrors(app);
  await app.register(helmet, { contentSecurityPolicy: false });
  await app.register(cors, {
    origin: true,
    credentials: false,
    exposedHeaders: ['x-request-id', 'location'],
  });
  if (options.requestsPerMinute > 0) await app.register(rateLimit, limits(options.requestsPerMinute));
  await app.register(fastifySSE, { heartbeatInterval: SSE_HEARTBEAT_MS });
  registerAuth(app, node.accounts);
  await registerOpenapi(app);
  registerMetrics(app, node);
  await app.register(async (routes) => {
    healthRoutes(routes, node, () => draining);
    proofRoutes(routes, node);
    solverRoutes(routes, node);
    jobRoutes(routes, node);
  });
  return app;
}

function limits(max: number) {
  return {
    max,
    timeWindow: '1 minute',
    errorResponseBuilder: (_: unknown, context: { ttl: number; max: number }) => {
      const retryAfter = Math.ceil(context.ttl / 1000);
      return new Refusal(
        'RATE_LIMITED',
        `More than ${context.max} requests a minute; try again in ${retryAfter} s.`,
        {
          retryAfter,
        },
      );
    },
  };
}

/** Method and path without the query, which may hold a signature. */
function requestForLog(request: { method: string; url: string; ip?: string }) {
  return { method: request.method, path: request.url.split('?', 1)[0], remote: request.ip };
}

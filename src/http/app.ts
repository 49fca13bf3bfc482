import { writeSync } from 'node:fs';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import { fastifySSE } from '@fastify/sse';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Refusal } from '../errors/refusal.ts';
import type { ServiceNode } from '../node.ts';
import { registerAuth } from './auth.ts';
import { refusalOf, registerErrors, registerNotFound, sendRefusal } from './errors.ts';
import { HEARTBEAT_MS } from './event-streams.ts';
import { registerJsonBodies } from './json-bodies.ts';
import { registerLargeBodies } from './large-bodies.ts';
import { answerMalformed, registerEncodingRule, registerExpectRule, registerHostRule } from './malformed.ts';
import { registerMetrics } from './metrics.ts';
import { registerOpenapi } from './openapi.ts';
import { BODY, type HttpOptions, REQUEST_TIMEOUT_MS } from './options.ts';
import { pathForLog } from './path-for-log.ts';
import { analyzeRoutes } from './routes/analyze.ts';
import { attestRoutes } from './routes/attest.ts';
import { blobRoutes } from './routes/blobs.ts';
import { challengeRoutes } from './routes/challenges.ts';
import { conformanceRoutes } from './routes/conformance.ts';
import { constantRoutes } from './routes/constants.ts';
import { contributeRoutes } from './routes/contribute.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { meshRoutes } from './routes/mesh.ts';
import { nodeRoutes } from './routes/node.ts';
import { operatorRoutes } from './routes/operators.ts';
import { pageRoutes } from './routes/pages.ts';
import { proofRoutes } from './routes/proof.ts';
import { reverifyRoutes } from './routes/reverify.ts';
import { solverRoutes } from './routes/solvers.ts';
import { registerSecurityHeaders } from './security.ts';

/** What must never be in a log, wherever it stands. */
const redact = {
  paths: [
    ...['*.headers.authorization', '*.headers.cookie', '*.headers["x-node-handshake"]'],
    ...['*.key', '*.token', '*.sig', '*.pin'],
  ],
  censor: '[redacted]',
};

/** Standard error. A line that it does not take is lost: a full disk ends no node, and is tried again. */
const lines = {
  write(line: string): void {
    if (!process.stderr.destroyed) return void process.stderr.write(line);
    try {
      writeSync(process.stderr.fd, line); // Node's own stream takes no more after an error
    } catch {
      // There is nowhere to say it.
    }
  },
};

/** The HTTP surface of a node: plugins and routes, nothing decided here. */
export async function buildApp(node: ServiceNode, options: HttpOptions): Promise<FastifyInstance> {
  let security: Record<string, string> = {};
  const app = Fastify({
    logger: {
      level: options.logLevel,
      stream: options.logTo ?? lines,
      redact,
      serializers: { req: requestForLog },
    },
    bodyLimit: BODY,
    clientErrorHandler: answerMalformed,
    frameworkErrors: (error, request, reply) =>
      sendRefusal(request, reply.headers({ ...security, 'x-request-id': request.id }), refusalOf(error)), // before any hook
    http: { requireHostHeader: false }, // Node's own answer has no body; ours is in malformed.ts
    requestTimeout: REQUEST_TIMEOUT_MS,
    requestIdHeader: false,
    genReqId: () => crypto.randomUUID(),
    forceCloseConnections: 'idle',
    // While it drains, routes answer for themselves: readiness says so, jobs are refused, answers can be fetched.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
  });
  // What a route gives is what is sent; its schema describes it. A serializer compiled from each schema would take
  // most of the start, and conformance of answers is for the tests.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  let draining = false;
  // Small jobs end and their clients get the answer; recorded ones are left to the next start, and whoever waits
  // for them is told so. Only then does the server stop listening.
  app.addHook('preClose', async () => {
    draining = true;
    node.reverifier.stop();
    await Promise.all([node.spine.drain(), node.challenges.stop()]);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_, body, done) =>
    done(null, body),
  );
  registerErrors(app);
  registerJsonBodies(app);
  security = await registerSecurityHeaders(app);
  registerHostRule(app);
  registerExpectRule(app);
  registerEncodingRule(app);
  await app.register(cors, {
    origin: true,
    credentials: false,
    strictPreflight: false, // an OPTIONS that is no preflight asks what is allowed, and is told
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: [
      ...['x-request-id', 'x-svc-job', 'x-svc-shape', 'x-svc-unit', 'x-svc-revoked-by'],
      ...['location', 'retry-after'],
    ],
  });
  registerAuth(app, node.accounts); // before the limit, which counts by account
  registerLargeBodies(app);
  const isLimited = options.requestsPerMinute > 0;
  if (isLimited) await app.register(rateLimit, limits(options.requestsPerMinute));
  registerNotFound(app, isLimited);
  await app.register(fastifySSE, { heartbeatInterval: HEARTBEAT_MS });
  await registerOpenapi(app);
  registerMetrics(app, node, options.metricsToken);
  await app.register(async (routes) => {
    healthRoutes(routes, node, () => draining);
    proofRoutes(routes, node);
    solverRoutes(routes, node);
    operatorRoutes(routes);
    constantRoutes(routes);
    conformanceRoutes(routes);
    attestRoutes(routes, node);
    reverifyRoutes(routes, node);
    analyzeRoutes(routes);
    nodeRoutes(routes, node, options);
    jobRoutes(routes, node);
    blobRoutes(routes, node);
    challengeRoutes(routes, node);
    contributeRoutes(routes, node);
    meshRoutes(routes, node);
    pageRoutes(routes);
  });
  return app;
}

/** So many requests a minute for each account, or for each address where there is no key. */
function limits(max: number) {
  return {
    max,
    timeWindow: '1 minute',
    keyGenerator: (request: FastifyRequest) => (request.zid ? `account ${request.zid}` : request.ip),
    errorResponseBuilder: (_: unknown, context: { ttl: number; max: number }) => {
      const retryAfter = Math.ceil(context.ttl / 1000);
      const message = `More than ${context.max} requests a minute; try again in ${retryAfter} s.`;
      return new Refusal('RATE_LIMITED', message, { retryAfter });
    },
  };
}

function requestForLog(request: { method: string; url: string; ip?: string }) {
  return { method: request.method, path: pathForLog(request.url), remote: request.ip };
}

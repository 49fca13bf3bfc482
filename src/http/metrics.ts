import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Refusal } from '../errors/refusal.ts';
import type { ServiceNode } from '../node.ts';
import { errors, plainText } from './schemas.ts';

/**
 * Prometheus metrics of this process at GET /metrics: names of routes, never paths, keys or inputs. They say how busy
 * the node is and with what, so they are for its operator: whoever has the token, or, where none is set, this machine.
 */
export function registerMetrics(app: FastifyInstance, node: ServiceNode, token: string | undefined): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'svc_refusals_total',
    help: 'Answers with an error status, by status',
    labelNames: ['status'],
    registers: [registry],
  });
  new Gauge({
    name: 'svc_jobs_live',
    help: 'Jobs that run or wait in this process',
    registers: [registry],
    collect() {
      this.set(node.spine.liveJobs.size);
    },
  });
  new Gauge({
    name: 'svc_clock_ahead_seconds',
    help: "By how much the machine's clock is ahead where that is not believed, and nothing is sealed; else 0",
    registers: [registry],
    collect() {
      this.set(Number(node.clockAheadNs) / 1e9);
    },
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const status = String(reply.statusCode);
    requests.observe({ method: request.method, route, status }, reply.elapsedTime / 1000);
    if (reply.statusCode >= 400) refusals.inc({ status });
    done();
  });
  app.get(
    '/metrics',
    {
      config: { rateLimit: false },
      schema: {
        operationId: 'metrics',
        summary: 'Prometheus metrics of this process',
        tags: ['Node'],
        description: 'With the bearer token of SVC_METRICS_TOKEN; without one only from this machine.',
        response: {
          200: plainText('Prometheus text format.'),
          ...errors(['NOT_FOUND'], { isLimited: false }),
        },
      },
    },
    async (request, reply) => {
      if (!(token === undefined ? isLocal(request) : hasToken(request, token)))
        throw new Refusal('NOT_FOUND', 'There is no GET "/metrics" here.'); // as if it were not there
      return reply.type(registry.contentType).send(await registry.metrics());
    },
  );
}

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;
/** A proxy on this machine speaks for somebody else. */
const PROXIED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

function isLocal({ raw, headers }: FastifyRequest): boolean {
  return LOOPBACK.test(raw.socket.remoteAddress ?? '') && !PROXIED.some((name) => name in headers);
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  return timingSafeEqual(sha256(headers.authorization ?? ''), sha256(`Bearer ${token}`));
}

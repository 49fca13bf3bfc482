import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ServiceNode } from '../node.ts';
import { plainText } from './schemas.ts';

/** Prometheus metrics of this process at GET /metrics: names of routes, never paths, keys or inputs. */
export function registerMetrics(app: FastifyInstance, node: ServiceNode): void {
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
        response: { 200: plainText('Prometheus text format.') },
      },
    },
    (_, reply) => registry.metrics().then((text) => reply.type(registry.contentType).send(text)),
  );
}

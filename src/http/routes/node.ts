import type { FastifyInstance } from 'fastify';
import { clockReading } from '../../clock/reading.ts';
import { accountRegisters, nodeRegisters } from '../../node/registers.ts';
import type { ServiceNode } from '../../node.ts';
import { registry } from '../../operators/registry.ts';
import { PRECISION_BOUND } from '../../proof/envelope.ts';
import { solvers } from '../../solvers/registry.ts';
import { engineVersion } from '../../version.ts';
import { jsonLimits } from '../json-bodies.ts';
import { DESCRIPTION_VERSION, withKey } from '../openapi.ts';
import { ASYNC_PLANCKS, BLOB_BODY, BODY, type HttpOptions, REQUEST_BODY } from '../options.ts';
import { decimal, errors, json, object, text } from '../schemas.ts';

const tags = ['Node'];
const integer = (description: string) => ({ type: 'integer', description });
const number = (description: string) => ({ type: 'number', description });

const clock = {
  tick_ns: integer('Length of a tick in ns, exactly.'),
  period_s_exact: text('The same in s, exact decimal text.'),
  period_s: number('The same in s, the nearest double.'),
  display_label: text('A caption; never to be computed with.'),
  pulse_hz: number('Caption of the pulse.'),
  pulse_hz_exact: text('The pulse as a fraction.'),
  epoch: text('Where tick 0 begins.'),
  tick: integer('Ticks since then.'),
  t_ns: decimal('Unix nanoseconds.'),
};
const register = object({
  name: text('Its name.'),
  offset: integer('Bytes from the start of the page.'),
  width: integer('Bytes.'),
  type: { type: 'string', enum: ['u64', 'u128', 'f64', 'text'] },
  unit: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  meaning: text('What stands there.'),
  value: { description: 'Read now; integers as decimal text.' },
});
const page = object({
  bytes: integer('Of the page.'),
  registers: { type: 'array', items: register },
  page: text('Its bytes in base 64; numbers little-endian, text filled up with zero bytes.'),
});
const harness = object({
  node: text('Its name.'),
  engine_version: text('What it runs.'),
  description_version: text('Of the machine description.'),
  registry_version: text('Of the operators.'),
  operators: integer('How many.'),
  solvers: { type: 'array', items: object({ id: text('Its name.'), title: text('For people.') }) },
  kernels: integer('WebAssembly modules of this release.'),
  threads: integer('For short runs; as many more for long ones.'),
  generations: { type: 'array', items: { type: 'string' }, description: 'Of envelopes that it verifies.' },
  limits: { type: 'object', additionalProperties: true },
  routes: { type: 'array', items: object({ method: text('HTTP.'), path: text('Path.') }) },
});

/** What a node offers, its clock, and its registers (CMP-18, CLOCK-04, CLOCK-05, AUTH-08). */
export function nodeRoutes(app: FastifyInstance, node: ServiceNode, options: HttpOptions): void {
  const clockRoute = (url: string, operationId: string, summary: string) =>
    app.get(
      url,
      {
        schema: { operationId, summary, tags, response: { 200: json(object(clock), 'Now.'), ...errors([]) } },
      },
      () => clockReading(node.now()),
    );
  clockRoute('/api/kernel', 'kernel_clock', 'The clock');
  clockRoute('/api/svc/sdk/metadata', 'sdk_metadata', 'The constants of the clock, for who computes ticks');

  app.get(
    '/api/svc/harness',
    {
      schema: {
        operationId: 'harness',
        summary: 'What this node offers: versions, solvers, limits, routes',
        tags,
        response: { 200: json(harness, 'What it offers.'), ...errors([]) },
      },
    },
    () => ({
      node: node.name,
      engine_version: engineVersion,
      description_version: DESCRIPTION_VERSION,
      registry_version: registry().version,
      operators: registry().rows.size,
      solvers: solvers.map(({ id, title }) => ({ id, title })),
      kernels: node.catalogue.names.length,
      threads: node.threads,
      generations: ['v3', 'v1', 'pre_genesis'],
      limits: limitsOf(node, options),
      routes: routesOf(app),
    }),
  );

  app.get(
    '/api/svc/mmio',
    {
      schema: {
        operationId: 'mmio',
        summary: 'The register page of this node: what stands where, and what it reads now',
        tags,
        response: { 200: json(page, 'Manifest and bytes.'), ...errors([]) },
      },
    },
    () => nodeRegisters(node),
  );

  app.get(
    '/api/svc/mmio/registers',
    {
      config: { key: true },
      schema: {
        operationId: 'mmio_registers',
        summary: 'The same page with the account of the key: its id, bond and fuel',
        tags,
        security: withKey,
        response: { 200: json(page, 'Manifest and bytes.'), ...errors(['NOT_FOUND'], { key: true }) },
      },
    },
    (request) => accountRegisters(node, request.zid),
  );
}

function limitsOf({ limits }: ServiceNode, { requestsPerMinute }: HttpOptions) {
  return {
    precision_bound: PRECISION_BOUND,
    operators_beside_KO42: 3,
    body_bytes: BODY,
    solver_body_bytes: REQUEST_BODY,
    blob_bytes: BLOB_BODY,
    json: jsonLimits,
    memory_bytes: limits.memory,
    jobs: limits.jobs,
    refused_plancks_a_day: String(limits.refusedPlancks),
    async_above_plancks: String(ASYNC_PLANCKS),
    requests_per_minute: requestsPerMinute === 0 ? null : requestsPerMinute,
  };
}

/** Of the machine description, so that the two cannot say different things. */
function routesOf(app: FastifyInstance): { method: string; path: string }[] {
  return Object.entries(app.swagger().paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

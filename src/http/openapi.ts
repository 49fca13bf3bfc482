import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { components } from './schemas.ts';

/** Version of the machine description, as the interface names it (GEN-03). */
export const DESCRIPTION_VERSION = '1.287.0';

/** The reference page runs its own scripts and nothing else's. */
const pagePolicy = {
  'default-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'style-src': ["'self'", "'unsafe-inline'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** The machine description at /api/openapi.json, and a page to read it at /api/docs. To be called before the routes. */
export async function registerOpenapi(app: FastifyInstance): Promise<void> {
  for (const schema of components) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'proofmesh',
        version: DESCRIPTION_VERSION,
        description:
          'Physical, engineering and mathematical quantities, each held within 0.1 % and sealed with a receipt ' +
          'that a stranger can check. A result that cannot be held inside the bound is refused, never guessed.\n\n' +
          'The operators can be searched, read and tried out at [/docs/operators](/docs/operators).',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'Solvers', description: 'Compute a quantity and seal it.' },
        { name: 'Operators', description: 'The named formulas of compute.' },
        { name: 'Jobs', description: 'What was asked for: prices, progress, answers, cancelling.' },
        { name: 'Proof', description: 'Identity, log, kernels and blobs: what a verifier needs.' },
        { name: 'Contribute', description: 'Selling cycles to the mesh: nodes, modes, bond and earnings.' },
        {
          name: 'Mesh',
          description: 'What nodes tell each other, and the beacons that draw what is checked.',
        },
        { name: 'Node', description: 'Health, metrics and this description.' },
      ],
      components: {
        securitySchemes: {
          accountKey: { type: 'http', scheme: 'bearer', description: 'An account key, svc_ak_…' },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
  });
  await app.register(swaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: pagePolicy,
    theme: { title: 'API · proofmesh' },
    uiConfig: { deepLinking: true, docExpansion: 'list', validatorUrl: null },
  });
  app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger());
}

/** Security entry of a route that needs a key. */
export const withKey = [{ accountKey: [] }];

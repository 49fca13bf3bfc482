import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { catalogue } from '../../src/errors/catalogue.ts';
import { solvers } from '../../src/solvers/registry.ts';
import { repositoryRoot } from '../root.ts';
import { testApp } from './test-app.ts';

interface Operation {
  operationId?: string;
  tags?: string[];
  security?: unknown[];
  requestBody?: RequestBody;
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>;
}
type Examples = Record<string, { value: object }>;
interface RequestBody {
  content: Record<string, { example?: object; examples?: Examples }>;
}
type Paths = Record<string, Record<string, Operation>>;

/** In the order in which the specification names them: one more is a change of what is specified. */
const specified =
  `compute solve multibody lattice shift auto evolve action heat lorenz wave flow fracture react epi quant zeta sat gauge
  fea grid device opt climate dock buckling acoustic schrodinger tumor lotka kalman blackhole`.split(/\s+/);

t.test('GET /api/openapi.json', async (t) => {
  const api = await testApp(t);
  const { body: description } = await api.get('/api/openapi.json');
  const operations = Object.entries(description.paths as Paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );

  t.test('is valid OpenAPI 3.1.0 of description version 1.287.0 (GEN-03)', async (t) => {
    t.match(description, { openapi: '3.1.0', info: { version: '1.287.0' } });
    const { valid, errors } = await new Validator().validate(structuredClone(description));
    t.ok(valid, JSON.stringify(errors)?.slice(0, 500));
  });

  t.test(
    'tags exactly the solvers `Solvers`, each once, and they are those of the specification (GEN-04, SOLV-01)',
    async (t) => {
      const tagged = operations.filter(({ tags }) => tags?.includes('Solvers')).map(({ name }) => name);
      t.same(tagged.sort(), solvers.map(({ id }) => `post /api/svc/${id}`).sort());
      t.same(
        solvers.map(({ id }) => id),
        specified,
      );
    },
  );

  t.test(
    'names every operation, and describes its answers and the errors of its key (AUTH-01)',
    async (t) => {
      const ids = operations.map(({ operationId }) => operationId);
      t.same(new Set(ids).size, operations.length, 'operation ids are there and different');
      for (const { name, security, responses } of operations) {
        t.ok(
          Object.keys(responses).some((status) => status.startsWith('2')),
          `${name} succeeds`,
        );
        t.ok(
          Object.values(responses).every((response) => response.content),
          `${name} says what it answers`,
        );
        t.equal(responses[401] !== undefined, security !== undefined, `${name}: 401 where there is a key`);
      }
    },
  );

  t.test('says 402, 409, 422, 429 and 503 of what a solver may answer', async (t) => {
    for (const { name, responses } of operations.filter(({ tags }) => tags?.includes('Solvers')))
      for (const status of [400, 401, 402, 409, 413, 415, 422, 429, 500, 503])
        t.ok(responses[status], `${name}: ${status}`);
  });

  t.test('every error has one body, whose codes are those of the catalogue (OPEN-21)', async (t) => {
    const { Error: schema } = description.components.schemas;
    t.same(schema.properties.error.properties.code.enum.toSorted(), Object.keys(catalogue).toSorted());
    for (const { name, responses } of operations)
      for (const [status, { description: text, content }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        t.same(
          content?.['application/json']?.schema,
          { $ref: '#/components/schemas/Error' },
          `${name} ${status}`,
        );
        const codes = [...text.matchAll(/^`([A-Z_]+)`/gm)].map(([, code]) => code as keyof typeof catalogue);
        t.ok(codes.length > 0 && codes.every((code) => catalogue[code]?.status === Number(status)), text);
      }
  });

  t.test('describes the request of each solver with the examples of its declaration (OPEN-61)', async (t) => {
    for (const { id, input, examples } of solvers) {
      const { requestBody } = description.paths[`/api/svc/${id}`].post;
      const { schema, examples: shown, example } = requestBody.content['application/json'];
      t.same(Object.keys(schema.properties), Object.keys(input.properties), id);
      const bodies = shown
        ? Object.values(shown).map((entry) => (entry as { value: unknown }).value)
        : [example];
      t.same(
        bodies,
        examples.map(({ body }) => body),
        `${id}: examples`,
      );
    }
  });

  t.test('describes the bytes of a blob, and what a malformed id of a job is answered', async (t) => {
    const { put } = description.paths['/api/svc/blobs'];
    t.match(put.requestBody.content, { 'application/octet-stream': { schema: { format: 'binary' } } });
    const ofJob = Object.entries(description.paths as Paths).filter(([path]) => path.includes('/jobs/{id}'));
    for (const [path, methods] of ofJob)
      for (const [method, { responses }] of Object.entries(methods))
        t.ok(responses[400], `${method} ${path}`);
  });

  t.test(
    'each body says an example that is taken, but those made of bytes, digests and signatures',
    async (t) => {
      const without = [];
      for (const { name, requestBody } of operations) {
        const { example, examples } = requestBody?.content['application/json'] ?? { example: null };
        if (example === undefined && !examples) without.push(name.replace('post ', ''));
      }
      const sealed = ['/api/svc/challenges', '/api/svc/challenges/{id}/children', '/api/svc/reverify'];
      t.same(without.sort(), ['/api/contribute/nodes', '/api/mesh/gossip', ...sealed]);
      for (const path of ['/api/svc/operator-spec', '/api/svc/lib-search', '/api/analyze', '/api/attest']) {
        const { example, examples } = description.paths[path].post.requestBody.content['application/json'];
        const bodies = examples ? Object.values(examples as Examples).map(({ value }) => value) : [example];
        for (const body of bodies) {
          const { status, body: answer } = await api.post(path, body);
          t.equal(status, 200, JSON.stringify(body));
          t.not(answer.verdict, 'fails');
        }
      }
    },
  );

  t.test('what has no price is no example of a quote, and what is not limited says no 429', async (t) => {
    const content = description.paths['/api/svc/compute/quote'].post.requestBody.content['application/json'];
    const bodies = Object.values(content.examples as Record<string, { value: { inputs: object } }>);
    for (const { value } of bodies)
      t.equal((await api.post('/api/svc/compute/quote', value)).status, 200, JSON.stringify(value));
    for (const path of ['/health/ready', '/metrics'])
      t.notOk(description.paths[path].get.responses[429], path);
  });
});

t.test('docs/api.md names the codes of the catalogue, with their status', async (t) => {
  const page = readFileSync(join(repositoryRoot, 'docs', 'api.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  t.same(
    rows,
    Object.entries(catalogue).map(([code, { status }]) => [code, status]),
  );
});

t.test(
  'the reference page and all it needs are served here, under a policy that lets nothing else in',
  async (t) => {
    const { get } = await testApp(t);
    const page = await get('/api/docs');
    t.equal(page.status, 200);
    t.match(page.headers['content-security-policy'], /default-src 'self'/);
    t.match(page.text, '<title>API · proofmesh</title>');
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
    t.ok(links.length >= 4, links.join(' '));
    for (const link of links) {
      const url = new URL(link, 'http://node/api/docs/');
      t.equal(url.host, 'node', `${link} is of this node`);
      t.equal((await get(url.pathname)).status, 200, link);
    }
    t.notMatch(page.text, /<script>(?!<)/, 'no script in the page itself');
    const { headers } = await get('/api/identity');
    t.match(headers, {
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    });
  },
);

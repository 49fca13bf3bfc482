import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type Registry, type Row, registry, rowOf } from '../../operators/registry.ts';
import { operatorSearch } from '../../operators/search.ts';
import { specificationOf } from '../../operators/specification.ts';
import { errors, json, object, orNull, text } from '../schemas.ts';
import { type App, typed } from '../typed.ts';

const tags = ['Operators'];
const MAX_PAGE = 1000;
const MAX_SPECIFIED = 100;
const operatorId = Type.String({ minLength: 1, maxLength: 64 });

const heading = {
  id: text('Such as SP7.'),
  name: text('For people.'),
  description: text('What it computes.'),
  equation: text('LaTeX.'),
  category: text('Such as signal_processing.'),
};
const short = {
  ...heading,
  unit: orNull(text('Of the result; null where it follows from an input.')),
};
const listed = object(short);
const scored = object({ ...short, score: { type: 'number' } });
const category = object({
  category: text('Such as signal_processing.'),
  title: text('For people.'),
  operators: { type: 'integer', description: 'How many.' },
});
const page = object({
  version: text('Of the registry.'),
  corpus_sha256: text('SHA-256 over its files.'),
  total: { type: 'integer', description: 'On all pages together.' },
  categories: { type: 'array', items: category, description: 'Of the whole registry.' },
  operators: { type: 'array', items: listed },
});
const row = object({
  ...heading,
  inputs: { type: 'array', items: { type: 'object', additionalProperties: true } },
});
const input = object({
  symbol: text('Its name.'),
  aliases: { type: 'array', items: { type: 'string' }, description: 'Other names that are taken.' },
  meaning: text('What it is.'),
  unit: orNull(text('Of a plain number; null: any unit.')),
  accepts: text('Its domain in words.'),
});
const inputs = (description: string) => ({ type: 'array', items: input, description });
const specification = object({
  ...heading,
  required: inputs('Must be given.'),
  conditional: inputs('Must be given in the case that `when` names.'),
  assumed: inputs('A standard condition where they are not given; `assumed` of the answer lists them.'),
  optional: inputs('A term that vanishes where they are not given.'),
  result: object({
    symbol: text('Its name.'),
    unit: orNull(text('Its unit.')),
    meaning: text('What it is.'),
  }),
  constants: { type: 'array', items: object({ key: text('Of GET /api/constants.') }) },
  fixed: { type: 'array', items: object({ symbol: text('A number that belongs to the formula.') }) },
  refuses: orNull(text('What the result is, where it is no single number.')),
});

/** A row as it stands in a list: enough to choose by. */
export function shortRow({ id, name, description, equation, category, result }: Row) {
  const unit = result.unit === 'derived' ? null : result.unit;
  return { id, name, description, equation, category, unit };
}

/** Categories by title, with the number of their rows. */
function categoriesOf({ rows, titles }: Registry) {
  const counts = new Map<string, number>();
  for (const { category } of rows.values()) counts.set(category, (counts.get(category) ?? 0) + 1);
  const all = [...titles].map(([category, title]) => ({
    category,
    title,
    operators: counts.get(category) ?? 0,
  }));
  return all.sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** The registry of operators, as it is reviewed (OP-02, OPEN-49). */
export function operatorRoutes(plain: FastifyInstance): void {
  const app = typed(plain);
  for (const add of [listRoute, rowRoute, specificationRoute, searchRoute]) add(app);
}

function listRoute(app: App): void {
  app.get(
    '/api/svc/operators',
    {
      schema: {
        operationId: 'operators',
        summary: 'The operators of `compute`, by category if one is named, a page at a time',
        tags,
        querystring: Type.Object({
          category: Type.Optional(Type.String({ maxLength: 100 })),
          limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 100 }),
          offset: Type.Integer({ minimum: 0, maximum: 1e6, default: 0 }),
        }),
        response: { 200: json(page, 'Version and short rows.'), ...errors(['INVALID_INPUT']) },
      },
    },
    (request) => {
      const { version, corpusSha256, rows } = registry();
      const { category, limit, offset } = request.query;
      const all = [...rows.values()].filter((each) => category === undefined || each.category === category);
      const operators = all.slice(offset, offset + limit).map(shortRow);
      return {
        ...{ version, corpus_sha256: corpusSha256, total: all.length },
        ...{ categories: categoriesOf(registry()), operators },
      };
    },
  );
}

function rowRoute(app: App): void {
  app.get(
    '/api/svc/operators/:id',
    {
      schema: {
        operationId: 'operator',
        summary: 'One operator: equation, inputs with aliases, units and limits, source, examples',
        tags,
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: json(row, 'The row.'), ...errors(['UNKNOWN_OPERATOR']) },
      },
    },
    (request) => rowOf(request.params.id),
  );
}

function specificationRoute(app: App): void {
  app.post(
    '/api/svc/operator-spec',
    {
      schema: {
        operationId: 'operator_spec',
        summary: 'What operators ask for: required, conditional, assumed and optional inputs with aliases',
        tags,
        body: Type.Object(
          {
            operators: Type.Union(
              [operatorId, Type.Array(operatorId, { minItems: 1, maxItems: MAX_SPECIFIED })],
              { description: `An id, or at most ${MAX_SPECIFIED} of them.` },
            ),
          },
          { examples: [{ operators: ['SP7', 'SP8'] }, { operators: 'KO42' }] },
        ),
        response: {
          200: json(
            object({
              registry_version: text('Of the registry.'),
              operators: { type: 'array', items: specification },
            }),
            'One specification for each id, in the order asked.',
          ),
          ...errors(['INVALID_INPUT', 'UNKNOWN_OPERATOR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
        },
      },
    },
    (request) => ({
      registry_version: registry().version,
      operators: [request.body.operators].flat().map(specificationOf),
    }),
  );
}

function searchRoute(app: App): void {
  app.post(
    '/api/svc/lib-search',
    {
      schema: {
        operationId: 'lib_search',
        summary:
          'Search the operators by id, name, symbol, alias, unit, category, words or formula, best first',
        tags,
        description:
          'Forgives plurals, words that are cut short, and an edit in four to six letters, two in up to ten, three ' +
          'beyond. A unit such as `km/h` finds what is in m/s, a formula as on paper (`pV = nRT`) what has its ' +
          'letters. Rows that have all the words come before those that have some.',
        body: Type.Object(
          {
            query: Type.String({ maxLength: 200, description: 'Words; empty for every row.' }),
            category: Type.Optional(Type.String({ maxLength: 100 })),
            limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
          },
          { examples: [{ query: 'escape velocity', limit: 5 }, { query: 'pV = nRT' }] },
        ),
        response: {
          200: json(
            object(
              {
                query: text('As it was sent.'),
                total: { type: 'integer', description: 'Rows that fit, beyond the limit too.' },
                results: { type: 'array', items: scored },
                note: text('Where a formula is of no row: what can be done with it.'),
              },
              { required: ['query', 'total', 'results'] },
            ),
            'Short rows with their score, which compares only within this answer.',
          ),
          ...errors(['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
        },
      },
    },
    async (request) => {
      const { query, category, limit } = request.body;
      const { results, ...found } = (await operatorSearch()).find(query, { category, limit });
      return { query, ...found, results: results.map(({ row, score }) => ({ ...shortRow(row), score })) };
    },
  );
}

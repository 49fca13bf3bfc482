import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { registry, unknownOperator } from '../../operators/registry.ts';
import { errors, json, object, text } from '../schemas.ts';

const tags = ['Operators'];
const row = object({
  id: text('Such as SP7.'),
  name: text('For people.'),
  description: text('What it computes.'),
  equation: text('LaTeX.'),
  category: text('Such as signal_processing.'),
  inputs: { type: 'array', items: { type: 'object', additionalProperties: true } },
});

/** The registry of operators, as it is reviewed (OP-02, OPEN-49). */
export function operatorRoutes(plain: FastifyInstance): void {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>();
  const list = object({
    version: text('Of the registry.'),
    corpus_sha256: text('SHA-256 over its files.'),
    total: { type: 'integer' },
    operators: { type: 'array', items: row },
  });

  app.get(
    '/api/svc/operators',
    {
      schema: {
        operationId: 'operators',
        summary: 'The operators of `compute`, by category if one is named',
        tags,
        querystring: Type.Object({ category: Type.Optional(Type.String({ maxLength: 100 })) }),
        response: { 200: json(list, 'Version and rows.'), ...errors(['INVALID_INPUT']) },
      },
    },
    (request) => {
      const { version, corpusSha256, rows } = registry();
      const { category } = request.query;
      const operators = [...rows.values()].filter(
        (each) => category === undefined || each.category === category,
      );
      return { version, corpus_sha256: corpusSha256, total: operators.length, operators };
    },
  );

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
    (request) => registry().rows.get(request.params.id) ?? unknownOperator(request.params.id),
  );
}

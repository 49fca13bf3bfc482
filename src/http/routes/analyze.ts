import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { analyze } from '../../operators/analysis.ts';
import { errors, json, object, orNull, text } from '../schemas.ts';
import { typed } from '../typed.ts';

const unit = Type.String({ minLength: 1, maxLength: 100 });
const heading = {
  id: text('Of the registry.'),
  name: text('For people.'),
  category: text('Its category.'),
  equation: text('LaTeX.'),
  unit: orNull(text('Of its result; null where it follows from an input.')),
};
const letters = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Each letter of the equation with the symbol of the operator that it is.',
};
const understood = object({
  syntax: { type: 'string', enum: ['plain', 'latex'] },
  result: orNull(text('The name left of the =.')),
  expression: text('The tree as plain text, with every product written out.'),
  inputs: {
    type: 'array',
    items: object({
      symbol: text('A letter that would be asked for.'),
      unit: orNull(text('As it was given, in SI.')),
    }),
  },
  constants: {
    type: 'array',
    items: object({ key: text('Its letter.'), value: { type: 'number' }, because: text('Why it is bound.') }),
  },
  unit: orNull(text('Of the result, as far as the units of the inputs are given.')),
  unitUnknown: { type: 'array', items: { type: 'string' }, description: 'Letters that withhold the unit.' },
  operators: { type: 'array', items: object({ ...heading, letters }), description: 'That are this formula.' },
  near: { type: 'array', items: object(heading), description: 'That share its letters.' },
});

const body = Type.Object(
  {
    equation: Type.String({ minLength: 1, maxLength: 2000, description: 'Plain text or LaTeX.' }),
    inputs: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([unit, Type.Object({ value: Type.Optional(Type.Number()), unit: Type.Optional(unit) })]),
        { maxProperties: 200, description: 'The unit of a letter, alone or as {value, unit}.' },
      ),
    ),
  },
  { examples: [{ equation: 'E = \\frac{1}{2} m v^2', inputs: { m: 'kg', v: 'm/s' } }] },
);

/** What a free-form equation is understood as (OPEN-29); computes nothing. */
export function analyzeRoutes(plain: FastifyInstance): void {
  const app = typed(plain);
  app.post(
    '/api/analyze',
    {
      schema: {
        operationId: 'analyze',
        summary:
          'What a free-form equation is understood as: letters, constants, unit, and which operators it is',
        tags: ['Operators'],
        body,
        response: {
          200: json(understood, 'What is understood.'),
          ...errors([
            ...(['INVALID_INPUT', 'UNSUPPORTED', 'NON_SCALAR_RESULT'] as const),
            ...(['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
          ]),
        },
      },
    },
    (request) => analyze(request.body.equation, request.body.inputs),
  );
}

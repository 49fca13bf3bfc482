import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { constantOfKey, constants, edition, shownConstant } from '../../units/constants.ts';
import { errors, json, object, text } from '../schemas.ts';
import { typed } from '../typed.ts';

const tags = ['Operators'];
const constant = object({
  key: text('Such as h or m_e.'),
  name: text('As the table has it.'),
  value: { type: 'number', description: 'The double nearest to the numeral.' },
  unit: text('SI unless the quantity is another unit’s.'),
  numeral: text('The value as published, or to 40 digits where the table cuts it off.'),
  uncertainty: text('Standard uncertainty, a numeral in the same unit; 0 where the value is exact.'),
  exact: { type: 'boolean', description: 'The SI defines the value.' },
});

/** The physical constants that formulas take (CMP-16). */
export function constantRoutes(plain: FastifyInstance): void {
  const app = typed(plain);
  const list = object({
    edition: text('Of the table.'),
    total: { type: 'integer' },
    constants: { type: 'array', items: constant },
  });

  app.get(
    '/api/constants',
    {
      schema: {
        operationId: 'constants',
        summary: 'The physical constants of CODATA 2022',
        tags,
        response: { 200: json(list, 'All of them, in the order of the table.'), ...errors([]) },
      },
    },
    () => ({ edition, total: constants.size, constants: [...constants.values()].map(shownConstant) }),
  );

  app.get(
    '/api/constants/:key',
    {
      schema: {
        operationId: 'constant',
        summary: 'One physical constant',
        tags,
        params: Type.Object({ key: Type.String({ maxLength: 100 }) }),
        response: { 200: json(constant, 'The constant.'), ...errors(['INVALID_INPUT', 'NOT_FOUND']) },
      },
    },
    (request) => ({ ...shownConstant(constantOfKey(request.params.key)), edition }),
  );
}

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ATTEST_ODE_WORK, ATTEST_WORK, LEAST_TOLERANCE, MOST_TOLERANCE } from '../../attest/attest.ts';
import type { ServiceNode } from '../../node.ts';
import { errors, json, object, orNull, text } from '../schemas.ts';
import { typed } from '../typed.ts';

const id = Type.String({ minLength: 1, maxLength: 64 });
const given = Type.Object({
  value: Type.Number(),
  unit: Type.Optional(Type.String({ maxLength: 100 })),
  uncertainty: Type.Optional(Type.Number({ minimum: 0 })),
});
const number = (description: string) => ({ type: 'number', description });
const quantity = object({ value: number('As it was claimed.'), unit: text('Of it.') });
const judged = object({
  verdict: { type: 'string', enum: ['holds', 'fails'] },
  computed: object({
    value: number('What the kernel gives, in SI.'),
    unit: text('Of it.'),
    uncertainty: number('Standard uncertainty, in the same unit.'),
    inClaimUnit: number('The value in the unit of the claim.'),
  }),
  claimed: quantity,
  error: orNull(number('|claimed − computed| / |computed|; null where only the computed value is 0.')),
  bound: number('The error up to which the claim holds.'),
  precision: number('Relative error of the evaluation itself.'),
  statement: text('All of it in canonical JSON.'),
  note: text('Signed note (C2SP): svc-attest-1, the statement, the signature of this node.'),
});

const attested = {
  ...judged,
  properties: {
    ...(judged.properties as object),
    fallback: text('NUMERICAL FALLBACK …: only of an operator without closed form, which was integrated.'),
  },
};

const body = Type.Object(
  {
    operators: Type.Optional(
      Type.Union([id, Type.Array(id, { minItems: 1, maxItems: 4 })], {
        description: 'One id; KO42 is implied.',
      }),
    ),
    equation: Type.Optional(
      Type.String({ maxLength: 2000, description: 'Plain text or LaTeX, in place of operators.' }),
    ),
    inputs: Type.Record(Type.String(), Type.Union([Type.Number(), given]), {
      maxProperties: 200,
      description: 'As compute takes them.',
    }),
    claim: Type.Object({ value: Type.Number(), unit: Type.String({ minLength: 1, maxLength: 100 }) }),
    tolerance: Type.Optional(Type.Number({ minimum: LEAST_TOLERANCE, maximum: MOST_TOLERANCE })),
  },
  {
    examples: [
      {
        equation: 'sqrt(2*g*h)',
        inputs: { g: { value: 9.80665, unit: 'm/s^2' }, h: { value: 10, unit: 'm' } },
        claim: { value: 14.0047, unit: 'm/s' },
      },
    ],
  },
);

/** The stricter path of signed claims: closed forms, or operators that have none (CMP-15). */
export function attestRoutes(plain: FastifyInstance, node: ServiceNode): void {
  const app = typed(plain);
  app.post(
    '/api/attest',
    {
      schema: {
        operationId: 'attest',
        summary: 'Judge a claim about an operator or equation, and sign the verdict',
        description:
          'The claim says its unit. It holds where it is within the tolerance (0.1 %, or less where less is asked ' +
          'for) of what the kernel evaluates, and that is known a hundred times better. An operator without closed ' +
          'form is integrated, and `fallback` says so. Nothing is charged or logged; at most ' +
          `${ATTEST_WORK} work units, ${ATTEST_ODE_WORK} of an integration.`,
        tags: ['Proof'],
        body,
        response: {
          200: json(attested, 'The verdict.'),
          ...errors([
            ...(['MISSING_INPUT', 'INVALID_INPUT', 'UNSUPPORTED', 'UNKNOWN_OPERATOR'] as const),
            ...(['TOO_MANY_OPERATORS', 'LIMIT_EXCEEDED', 'NON_SCALAR_RESULT', 'NON_FINITE'] as const),
            ...(['OUTSIDE_TOLERANCE', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
            ...(['KERNEL_CRASHED', 'SHUTTING_DOWN'] as const),
          ]),
        },
      },
    },
    (request) => node.attestor.attest(request.body),
  );
}

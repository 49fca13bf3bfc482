import { type Static, Type } from 'typebox';

/**
 * One operator as it stands in a file of `data/`: reviewable text, from which the registry, the input checks, the
 * bytecode and the page are made. docs/operators.md explains the fields.
 */
const closed = { additionalProperties: false } as const;
const text = (maxLength = 1000) => Type.String({ minLength: 1, maxLength });

export const inputSchema = Type.Object(
  {
    symbol: text(60),
    aliases: Type.Array(text(60), { maxItems: 12, uniqueItems: true }),
    meaning: text(),
    /** `any`: taken as it comes; the result's unit follows from it. */
    unit: text(60),
    role: Type.Unsafe<'required' | 'conditional' | 'assumed' | 'optional'>({
      enum: ['required', 'conditional', 'assumed', 'optional'],
    }),
    /** Of a conditional input: when it must be given. */
    when: Type.Optional(text()),
    /** Of an assumed or optional input: the value where it is not given, a decimal numeral in `unit`. */
    value: Type.Optional(text(60)),
    because: Type.Optional(text()),
    whole: Type.Optional(Type.Boolean()),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    above: Type.Optional(Type.Number()),
    below: Type.Optional(Type.Number()),
  },
  closed,
);

/** A number that belongs to the formula, such as an empirical coefficient with its unit. */
export const fixedSchema = Type.Object(
  {
    symbol: text(60),
    meaning: text(),
    unit: text(60),
    /** Decimal numeral in `unit`. */
    value: text(60),
  },
  closed,
);

/** A relation between inputs: outside of it the formula does not hold, and the point is refused. */
const conditionSchema = Type.Object(
  {
    /** Expression in the row's symbols that must not be negative, such as `M_1*sin(beta) - 1`. */
    nonNegative: text(500),
    /** Completes `… holds only where`: `the normal Mach number M_1 sin β is at least 1`. */
    meaning: text(300),
  },
  closed,
);

/** A quantity that an ordinary differential equation moves. */
const componentSchema = Type.Object(
  {
    symbol: text(60),
    meaning: text(),
    unit: text(60),
    /** Where it starts: the symbol of an input, or a decimal numeral in `unit`. */
    start: text(60),
    /** Its derivative by the variable: an expression of components, variable, inputs, constants and fixed numbers. */
    rate: text(2000),
  },
  closed,
);

/**
 * Instead of `expression`, where there is no closed form: a system of first order that `solve` integrates by RK4 from
 * 0 to the input that the variable is named after.
 */
const odeSchema = Type.Object(
  {
    variable: text(60),
    components: Type.Array(componentSchema, { minItems: 1, maxItems: 16 }),
    /** What the operator gives, of the components at the end. */
    value: text(2000),
    /** What must not change, which is a gate. */
    conserved: Type.Optional(text(2000)),
    /** Steps of the coarsest of three levels; absent: 1024. */
    steps: Type.Optional(Type.Integer({ minimum: 16, maximum: 65536 })),
  },
  closed,
);

const exampleSchema = Type.Object(
  {
    inputs: Type.Record(
      Type.String(),
      Type.Union([Type.Number(), Type.Object({ value: Type.Number(), unit: text(60) }, closed)]),
    ),
    value: Type.Number(),
    unit: Type.Union([text(60), Type.Null()]),
    /** Relative; absolute where the value is 0. */
    tolerance: Type.Number({ minimum: 0, maximum: 1e-3 }),
    source: text(),
  },
  closed,
);

export const rowSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,31}$' }),
    name: text(100),
    description: text(),
    /** LaTeX, `name = formula`; the formula is the same tree as `expression` (src/operators/latex.ts). */
    equation: text(),
    /** Absent where the result is no single number: `refuses` then says what it is; or has no closed form: `ode`. */
    expression: Type.Optional(text(2000)),
    refuses: Type.Optional(text()),
    /** Where the result has no closed form. */
    ode: Type.Optional(odeSchema),
    inputs: Type.Array(inputSchema, { maxItems: 40 }),
    /** Keys of CODATA constants that stand in the expression under their key. */
    constants: Type.Optional(Type.Array(text(60), { minItems: 1, maxItems: 10, uniqueItems: true })),
    fixed: Type.Optional(Type.Array(fixedSchema, { minItems: 1, maxItems: 20 })),
    conditions: Type.Optional(Type.Array(conditionSchema, { minItems: 1, maxItems: 8 })),
    result: Type.Object({ symbol: text(60), unit: text(60), meaning: text() }, closed),
    source: text(),
    validity: text(),
    examples: Type.Array(exampleSchema, { maxItems: 10 }),
  },
  closed,
);

export const fileSchema = Type.Object(
  {
    category: Type.String({ pattern: '^[a-z][a-z0-9_]*$' }),
    title: text(100),
    operators: Type.Array(rowSchema, { minItems: 1 }),
  },
  closed,
);

export type OperatorInput = Static<typeof inputSchema>;
export type OperatorRow = Static<typeof rowSchema>;
export type OperatorFile = Static<typeof fileSchema>;

import { Type } from 'typebox';
import { refuse } from '../../errors/refusal.ts';
import type { SentParameters } from '../expressions.ts';
import { formulaParameters, formulaText } from '../formula-input.ts';
import { choice, integer, list, optional, quantity, record, seed, usedWith } from '../input.ts';

export const optionTypes = [
  'european',
  'digital',
  'asian-geometric',
  'asian-arithmetic',
  'down-out',
  'payoff',
] as const;
export const qubitTypes = ['rabi', 'grover', 'circuit'] as const;
export type OptionType = (typeof optionTypes)[number];
export type QubitType = (typeof qubitTypes)[number];

/** In the order of their codes in assembly/qubit/gates.ts. */
export const gateNames = ['h', 'x', 'y', 'z', 's', 'sdg', 't', 'tdg', 'rx', 'ry', 'rz', 'p', 'swap'] as const;

export interface GateInput {
  readonly gate: (typeof gateNames)[number];
  readonly targets: readonly number[];
  readonly controls?: readonly number[];
  readonly angle?: number;
}

export interface QuantInput {
  readonly mode: 'option' | 'qubit';
  readonly type: OptionType | QubitType | 'american';
  readonly right?: 'call' | 'put';
  readonly S0?: number;
  readonly K?: number;
  readonly r?: number;
  readonly q?: number;
  readonly sigma?: number;
  readonly T?: number;
  readonly payoff?: string;
  readonly parameters?: SentParameters;
  readonly payout?: number;
  readonly fixings?: number;
  readonly barrier?: number;
  readonly seed?: number | string;
  readonly Omega?: number;
  readonly Delta?: number;
  readonly t_max?: number;
  readonly n?: number;
  readonly k?: number;
  readonly gates?: readonly GateInput[];
  readonly outcome?: string;
}

export const MAX_QUBITS = 16;
const MAX_GATES = 500;

/** Options with a strike; american is refused by its own sentence. */
const struck = [...optionTypes.filter((type) => type !== 'payoff'), 'american'];

const positive = (unit: string, description: string) =>
  optional(quantity(unit, description, { exclusiveMinimum: 0 }));
const qubits = (description: string) =>
  Type.Array(Type.Integer({ minimum: 0, maximum: MAX_QUBITS - 1 }), { maxItems: MAX_QUBITS, description });

export const schema = record({
  mode: choice(['option', 'qubit'], 'Price of an option, or probability of a measurement.'),
  type: choice(
    [...optionTypes, 'american', ...qubitTypes],
    'european to payoff with mode option, rabi to circuit with mode qubit; american is not offered.',
  ),
  ...usedWith({ type: struck }, { right: optional(choice(['call', 'put'], 'Call or put.')) }),
  ...usedWith({ mode: ['option'] }, { S0: positive('currency', 'Spot.') }),
  ...usedWith({ type: struck }, { K: positive('currency', 'Strike.') }),
  ...usedWith(
    { mode: ['option'] },
    {
      r: optional(quantity('1/yr', 'Rate, compounded continuously.')),
      q: optional(quantity('1/yr', 'Dividend yield.')),
      sigma: positive('yr^-1/2', 'Volatility.'),
      T: positive('yr', 'Time to expiry.'),
    },
  ),
  ...usedWith(
    { type: ['payoff'] },
    {
      payoff: optional(
        formulaText(
          'What is paid at T, of the last price S and of the fixings’ arithmetic mean A, geometric mean G, least low and largest high.',
        ),
      ),
      parameters: formulaParameters('Other letters of the formula, with a unit or without.'),
    },
  ),
  ...usedWith({ type: ['digital'] }, { payout: positive('currency', 'Paid in the money.') }),
  ...usedWith(
    { type: ['asian-geometric', 'asian-arithmetic', 'payoff'] },
    {
      fixings: optional(
        integer('Equally spaced fixings, the last at T; of a payoff, absent: one.', { minimum: 1 }),
      ),
    },
  ),
  ...usedWith(
    { type: ['down-out'] },
    { barrier: positive('currency', 'Below the spot, watched continuously.') },
  ),
  ...usedWith({ mode: ['option'] }, { seed: optional(seed()) }),
  ...usedWith(
    { type: ['rabi'] },
    {
      Omega: optional(quantity('rad/s', 'Rabi frequency.')),
      Delta: optional(quantity('rad/s', 'Detuning.')),
      t_max: optional(quantity('s', 'Length of the pulse.', { minimum: 0 })),
    },
  ),
  ...usedWith(
    { type: ['grover', 'circuit'] },
    { n: optional(integer('Qubits.', { minimum: 1, maximum: MAX_QUBITS })) },
  ),
  ...usedWith({ type: ['grover'] }, { k: optional(integer('Iterations.', { minimum: 0 })) }),
  ...usedWith(
    { type: ['circuit'] },
    {
      gates: optional(
        list(
          record({
            gate: choice(gateNames, 'Its name.'),
            targets: qubits('Qubits it acts on, from 0: one, of a swap two.'),
            controls: optional(qubits('It acts only where all of these are 1.')),
            ...usedWith(
              { gate: ['rx', 'ry', 'rz', 'p'] },
              { angle: optional(quantity('rad', 'Of the turn.')) },
            ),
          }),
          'Applied in order to |0…0⟩.',
          { minItems: 1, maxItems: MAX_GATES },
        ),
      ),
      outcome: optional(
        Type.String({
          pattern: '^[01]+$',
          maxLength: MAX_QUBITS,
          description: 'n characters 0 or 1, qubit 0 first: the value is its probability.',
        }),
      ),
    },
  ),
});

// ---- which field a type needs --------------------------------------------------------------------------

type Name = keyof QuantInput;

const market: readonly Name[] = ['right', 'S0', 'K', 'r', 'sigma', 'T'];
const required: Readonly<Record<OptionType | QubitType, readonly Name[]>> = {
  european: market,
  digital: [...market, 'payout'],
  'asian-geometric': [...market, 'fixings'],
  'asian-arithmetic': [...market, 'fixings'],
  'down-out': [...market, 'barrier'],
  payoff: ['S0', 'r', 'sigma', 'T', 'payoff'],
  rabi: ['Omega', 'Delta', 't_max'],
  grover: ['n', 'k'],
  circuit: ['n', 'gates', 'outcome'],
};

/** @throws Refusal for a field that the type lacks */
export function checkFields(input: QuantInput): void {
  const { mode, type } = input;
  if (type === 'american')
    refuse('UNSUPPORTED', 'quant has no exact price to hold an American option against.', {
      field: 'type',
      accepts: optionTypes,
    });
  const types: readonly string[] = mode === 'option' ? optionTypes : qubitTypes;
  if (!types.includes(type)) invalid('type', `mode ${mode} has no type ${type}`, types);
  const needed = required[type];
  const missing = needed.filter((name) => input[name] === undefined);
  if (missing.length)
    refuse('MISSING_INPUT', `quant, ${type}, lacks ${missing.join(', ')}.`, {
      field: missing[0]!,
      missing,
      accepts: needed,
    });
}

export function invalid(field: string, what: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', `${field}: ${what}.`, { field, accepts });
}

export function tooMuch(field: string, measured: number, bound: number): never {
  return refuse('LIMIT_EXCEEDED', `${field}: ${measured} is above ${bound}.`, {
    field,
    measured,
    bound,
    accepts: `at most ${bound}`,
  });
}

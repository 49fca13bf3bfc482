import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere, refuseWithoutTime, type Stretch } from '../continuation.ts';

export const models = ['zero-d', 'grey', 'forcing', 'two-layer', 'ebm'] as const;
export type Model = (typeof models)[number];
export const quantities = ['temperature', 'forcing', 'meanTemperature', 'iceLatitude'] as const;
export type Quantity = (typeof quantities)[number];

export interface ClimateInput {
  readonly model: Model;
  readonly S0?: number;
  readonly albedo?: number;
  readonly emissivity?: number;
  readonly C?: number;
  readonly T0?: number;
  readonly n?: number;
  readonly tau?: number;
  readonly co2?: number;
  readonly co2Ref?: number;
  readonly lambda?: number;
  readonly F?: number;
  readonly gamma?: number;
  readonly Cd?: number;
  readonly A?: number;
  readonly B?: number;
  readonly D?: number;
  readonly s2?: number;
  readonly a0?: number;
  readonly a2?: number;
  readonly ai?: number;
  readonly Tf?: number;
  readonly start?: 'warm' | 'cold';
  readonly t_end?: number;
  readonly steady?: true;
  readonly quantity?: Quantity;
  readonly probe?: readonly number[];
  readonly N?: number;
  readonly dt?: number;
  readonly initialState?: {
    readonly T?: number | readonly number[];
    readonly Td?: number;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Stretch;
}

type Field = keyof ClimateInput;

/** What a model needs, and what its value can be; the first is meant if none is named. */
interface Rules {
  readonly needs: readonly Field[];
  readonly values: readonly Quantity[];
}

const latitude: readonly Field[] = ['S0', 'A', 'B', 'D', 's2', 'a0', 'a2'];
const rules: Readonly<Record<Model, Rules>> = {
  'zero-d': {
    needs: ['S0', 'albedo', 'emissivity'],
    values: ['temperature'],
  },
  grey: { needs: ['S0', 'albedo'], values: ['temperature'] },
  forcing: { needs: ['co2', 'co2Ref'], values: ['forcing', 'temperature'] },
  'two-layer': {
    needs: ['F', 'lambda', 'gamma', 'C', 'Cd'],
    values: ['temperature'],
  },
  ebm: {
    needs: latitude,
    values: ['meanTemperature', 'temperature', 'iceLatitude'],
  },
};

export const quantityOf = ({ model, quantity }: ClimateInput): Quantity =>
  quantity ?? rules[model].values[0]!;

/** Fields that are missing, and quantities that the model does not have. */
export function checkFields(input: ClimateInput): void {
  const { needs, values } = rules[input.model];
  needs.forEach((name) => {
    if (input[name] === undefined) missing(input, name, needs);
  });
  const quantity = quantityOf(input);
  if (!values.includes(quantity))
    invalid('quantity', `Model ${input.model} has no ${quantity}.`, [...values]);
  refuseElsewhere('climate', input.initialState, 'initialState {T, Td, t0}');
}

/** @throws Refusal for a job without time */
export function checkGoesOn({ model, t_end }: ClimateInput): void {
  if (t_end === undefined) refuseWithoutTime(`a balance at rest (${model})`, 'a job with t_end');
}

export function missing(input: ClimateInput, field: string, accepts: unknown): never {
  return refuse('MISSING_INPUT', `climate, model ${input.model}, lacks ${field}.`, {
    field,
    missing: [field],
    accepts,
  });
}

export function invalid(field: string, message: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', message, { field, accepts });
}

/** Exactly one of a group of fields. */
export function oneOf(input: ClimateInput, fields: readonly Field[]): Field {
  const given = fields.filter((name) => input[name] !== undefined);
  if (given.length === 0) missing(input, fields[0]!, `one of ${fields.join(', ')}`);
  if (given.length > 1)
    invalid(given[1]!, `${given.join(' and ')} exclude each other.`, `one of ${fields.join(', ')}`);
  return given[0]!;
}

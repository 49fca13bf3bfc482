import { refuse } from '../../errors/refusal.ts';
import type { AcousticInput, Side, SideValue } from './schema.ts';

// Dry air: c = √(γRT/M). R: CODATA 2022, exact; γ and M: US Standard Atmosphere 1976.
export const air = { gamma: 1.4, gasConstant: 8.31446261815324, molarMass: 0.0289644 };

export interface End {
  readonly type: 'rigid' | 'open' | 'impedance';
  readonly R: number;
  readonly X: number;
}

export function tooMuch(field: string, measured: number, bound: number): never {
  return refuse('LIMIT_EXCEEDED', `${field}: ${measured} is above ${bound}.`, {
    field,
    measured,
    bound,
    accepts: `at most ${bound}`,
  });
}

export function wrong(field: string, message: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', `${field}: ${message}`, { field, accepts });
}

export function lacks(field: string, accepts: unknown): never {
  return refuse('MISSING_INPUT', `acoustic lacks ${field}.`, { field, missing: [field], accepts });
}

export function speedOf({ c, temperature }: AcousticInput): number {
  if (c !== undefined && temperature !== undefined)
    wrong('temperature', 'the speed of sound is given twice.', 'c or temperature');
  if (c !== undefined) return c;
  if (temperature === undefined) lacks('c', 'c, or temperature of dry air');
  return Math.sqrt((air.gamma * air.gasConstant * temperature) / air.molarMass);
}

/**
 * What free motion goes by: from ω (1 − iη/2) = c k follows Re ω = c k/(1 + η²/4), and Im ω = η/2 Re ω, where no wall takes
 * anything.
 */
export function speedOfModes(input: AcousticInput): number {
  const half = (input.eta ?? 0) / 2;
  return speedOf(input) / (1 + half * half);
}

type Field = keyof AcousticInput;
const needed: Readonly<Record<AcousticInput['analysis'], readonly Field[]>> = {
  modes: ['boundary', 'count'],
  duct: ['boundary', 'count'],
  forced: ['boundary', 'frequency', 'rho', 'u0', 'probe'],
  transmission: ['frequency'],
};
const domainsOf: Readonly<Record<AcousticInput['analysis'], readonly string[]>> = {
  modes: ['box', 'mask'],
  duct: ['duct'],
  forced: ['duct', 'box', 'mask'],
  transmission: ['duct'],
};

/** Which fields belong together. */
export function checkFields(input: AcousticInput): void {
  const { analysis, domain } = input;
  for (const field of needed[analysis])
    if (input[field] === undefined) lacks(field, `${field}, with analysis ${analysis}`);
  if (!domainsOf[analysis].includes(domain.type))
    refuse('UNSUPPORTED', `analysis ${analysis} is not offered in a ${domain.type}.`, {
      field: 'domain.type',
      accepts: domainsOf[analysis],
    });
  if (isList(input) && input.eta !== undefined && hasImpedance(input))
    refuse(
      'UNSUPPORTED',
      'eta: a loss in the air changes k, but not the ω/c of what an impedance takes, so that modes between impedances are no longer those without a loss, scaled.',
      {
        field: 'eta',
        accepts: 'eta with rigid and open sides, or an impedance without eta',
      },
    );
  if (isList(input) && input.rho !== undefined && !hasImpedance(input))
    wrong('rho', 'no side has an impedance.', 'rho with an impedance');
  if (input.u0 === 0) wrong('u0', 'a side that does not move drives nothing.', 'u0 other than 0');
  if (input.n !== undefined && input.n > input.count!)
    wrong('n', `it is above count, ${input.count}.`, `at most count = ${input.count}`);
}

// ---- sides ---------------------------------------------------------------------------------------------

const isSide = (value: NonNullable<AcousticInput['boundary']>): value is SideValue =>
  typeof value === 'string' || 'type' in value;

function endOf(value: SideValue): End {
  if (typeof value === 'string') return { type: value, R: 0, X: 0 };
  return value.type === 'impedance'
    ? { type: value.type, R: value.Z, X: value.X ?? 0 }
    : { type: value.type, R: 0, X: 0 };
}

const isList = ({ analysis }: AcousticInput) => analysis === 'modes' || analysis === 'duct';

/** Whether any side has one: modes are complex then. */
export function hasImpedance({ boundary }: AcousticInput): boolean {
  if (boundary === undefined) return false;
  const values = isSide(boundary) ? [boundary] : Object.values(boundary);
  return values.some((value) => value !== undefined && endOf(value).type === 'impedance');
}

/** What stands at each of the named sides; `driven` ones may not be named. */
export function endsOf(
  input: AcousticInput,
  names: readonly Side[],
  driven: readonly Side[] = [],
): Map<Side, End> {
  const { boundary } = input;
  if (boundary === undefined) lacks('boundary', 'one for all sides, or each by its name');
  const uniform = isSide(boundary);
  const ends = new Map<Side, End>();
  for (const name of names) {
    const value = uniform ? boundary : boundary[name];
    if (value === undefined) lacks(`boundary.${name}`, 'rigid, open or {type: impedance, Z, X}');
    const end = endOf(value);
    if (end.type === 'impedance' && end.R === 0 && end.X === 0)
      wrong(`boundary.${name}.Z`, 'an impedance of 0 is an open side.', 'open, or Z or X other than 0');
    ends.set(name, end);
  }
  if (!uniform)
    for (const name of Object.keys(boundary) as Side[])
      if (boundary[name] !== undefined && !names.includes(name))
        wrong(
          `boundary.${name}`,
          driven.includes(name) ? 'this side is driven.' : 'this domain has no such side.',
          names,
        );
  return ends;
}

// ---- ducts ---------------------------------------------------------------------------------------------

export interface Piece {
  readonly L: number;
  readonly S: number;
}

const MAX_AREAS = 1e4;

export function piecesOf({ domain }: AcousticInput): readonly Piece[] {
  if (domain.type === 'box') return [{ L: domain.Lx, S: 1 }];
  if (domain.type !== 'duct') throw new RangeError('no duct');
  const { L, steps } = domain;
  if (L !== undefined && steps !== undefined) wrong('domain.steps', 'the bore is given twice.', 'L or steps');
  if (L !== undefined) return [{ L, S: 1 }];
  if (steps === undefined) lacks('domain.L', 'L, or steps [{L, S}]');
  const areas = steps.map(({ S }) => S);
  const ratio = Math.max(...areas) / Math.min(...areas);
  if (!(ratio <= MAX_AREAS))
    refuse('LIMIT_EXCEEDED', `domain.steps: the areas differ by a factor of ${ratio}.`, {
      field: 'domain.steps',
      measured: ratio,
      bound: MAX_AREAS,
      accepts: `areas within a factor of ${MAX_AREAS}`,
    });
  return steps;
}

/** Elements per axis that were asked for. */
export function sentElements({ N }: AcousticInput, axes: number): (number | undefined)[] {
  if (N === undefined || typeof N === 'number') return Array(axes).fill(N);
  if (N.length !== axes) wrong('N', `there are ${axes} axes.`, `an integer or ${axes} of them`);
  return [...N];
}

import { refuse } from '../../errors/refusal.ts';
import { parseUnit } from '../../units/unit.ts';
import {
  type FormulaBlock,
  formulaBlock,
  readFormula,
  readParameters,
  refuseTaken,
  refuseUnused,
  requireDimension,
  symbolsBeside,
} from '../expressions.ts';
import { Layout } from '../layout.ts';
import { type Mode, modes, type PotentialType, potentials, type SchrodingerInput } from './schema.ts';

/** CODATA 2022. */
export const hbar = 1.054571817646156e-34;
export const electronvolt = 1.602176634e-19;
export const fineStructure = 7.2973525643e-3;
const lightSpeed = 299792458;
const coulombEnergy = fineStructure * hbar * lightSpeed;

type Field = keyof SchrodingerInput['potential'];
const parametersOf: Readonly<Record<PotentialType, readonly Field[]>> = {
  'infinite-well': ['L'],
  'finite-well': ['L', 'V0'],
  harmonic: ['omega'],
  morse: ['De', 'a', 're'],
  'poschl-teller': ['a', 'lambda'],
  coulomb: ['Z'],
  polynomial: ['terms'],
  table: ['x', 'V'],
  barrier: ['L', 'V0'],
  free: [],
  formula: ['equation'],
};

const offered: Readonly<Record<Mode, readonly PotentialType[]>> = {
  eigen1d: [
    'infinite-well',
    'finite-well',
    'harmonic',
    'morse',
    'poschl-teller',
    'polynomial',
    'table',
    'formula',
  ],
  radial: ['infinite-well', 'finite-well', 'harmonic', 'morse', 'coulomb', 'polynomial', 'table', 'formula'],
  eigen2d: ['infinite-well', 'harmonic', 'polynomial', 'formula'],
  evolve: [
    'finite-well',
    'harmonic',
    'morse',
    'poschl-teller',
    'polynomial',
    'table',
    'barrier',
    'free',
    'formula',
  ],
  transmission: ['finite-well', 'poschl-teller', 'table', 'barrier'],
};
const planePotentials: readonly PotentialType[] = ['harmonic', 'polynomial', 'free', 'formula'];

type Top = keyof SchrodingerInput;
const needed: Readonly<Record<Mode, readonly Top[]>> = {
  eigen1d: ['n'],
  radial: ['n', 'l'],
  eigen2d: ['n'],
  evolve: ['t_max', 'quantity'],
  transmission: ['E'],
};

export type Range = readonly [number, number];

export interface Problem {
  readonly mode: Mode;
  readonly dimensions: 1 | 2;
  readonly x: Range;
  readonly y: Range;
  readonly level: number;
  /** Of a potential that is the caller's own formula. */
  readonly formula?: FormulaBlock;
}

/** What the schema cannot say: which fields go together, and where the grid lies. */
export function readProblem(input: SchrodingerInput): Problem {
  const { mode } = input;
  checkFields(input);
  checkPotential(input);
  const ranges = rangesOf(input);
  ranges.forEach(checkRange);
  checkTable(input, ranges[0]!);
  checkTerms(input, ranges.length);
  const formula = formulaOf(input, ranges.length === 2 ? 2 : 1);
  return {
    ...(formula && { formula }),
    mode,
    dimensions: ranges.length === 2 ? 2 : 1,
    x: ranges[0]!,
    y: ranges[1] ?? [0, 1],
    level: input.n ?? 0,
  };
}

function lacks(field: string, accepts: unknown): never {
  return refuse('MISSING_INPUT', `schrodinger lacks ${field}.`, { field, missing: [field], accepts });
}

function wrong(field: string, message: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', `${field}: ${message}`, { field, accepts });
}

function checkFields(input: SchrodingerInput): void {
  const { mode } = input;
  for (const field of needed[mode])
    if (input[field] === undefined) lacks(field, `${field}, with mode ${mode}`);
}

function checkPotential({ mode, potential }: SchrodingerInput): void {
  const { type } = potential;
  if (!offered[mode].includes(type))
    refuse('UNSUPPORTED', `mode ${mode} is not offered with the potential ${type}.`, {
      field: 'potential.type',
      accepts: offered[mode],
    });
  const fields = parametersOf[type];
  for (const field of fields)
    if (potential[field] === undefined)
      lacks(`potential.${field}`, `${fields.join(', ')}, with type ${type}`);
}

/** Where the grid lies: as given, or as far as a well, barrier or table reaches. */
function rangesOf(input: SchrodingerInput): Range[] {
  const { mode, domain, potential } = input;
  const own = ownRanges(input);
  if (own) {
    if (domain !== undefined)
      wrong('domain', `it follows from the potential ${potential.type} in mode ${mode}.`, 'no domain here');
    return own;
  }
  if (domain === undefined) lacks('domain', mode === 'eigen2d' ? '[[min, max], [min, max]]' : '[min, max]');
  const ranges = (typeof domain[0] === 'number' ? [domain] : domain) as unknown as Range[];
  const plane = mode === 'eigen2d' || (mode === 'evolve' && ranges.length === 2);
  if (ranges.length !== (plane ? 2 : 1))
    wrong(
      'domain',
      `mode ${mode} has ${plane ? 2 : 1} axes.`,
      plane ? '[[min, max], [min, max]]' : '[min, max]',
    );
  if (plane && !planePotentials.includes(potential.type))
    refuse('UNSUPPORTED', `the plane is not offered with the potential ${potential.type}.`, {
      field: 'potential.type',
      accepts: planePotentials,
    });
  if (mode === 'radial' && !(ranges[0]![0] >= 0))
    wrong('domain', 'a radius is not negative.', '[min, max] with min ≥ 0; from 0 there is no wall');
  return ranges;
}

function ownRanges({ mode, potential }: SchrodingerInput): Range[] | undefined {
  const { type, L = 0, a = 1, x } = potential;
  const half: Range = [-L / 2, L / 2];
  if (type === 'infinite-well')
    return mode === 'radial' ? [[0, L / 2]] : mode === 'eigen2d' ? [half, half] : [half];
  if (mode !== 'transmission') return undefined;
  if (type === 'table') return [[x![0]!, x!.at(-1)!]];
  return type === 'poschl-teller' ? [[-20 / a, 20 / a]] : [[-L, L]];
}

function checkRange(range: Range): void {
  if (!(range[1] > range[0] && Number.isFinite(range[1] - range[0])))
    wrong('domain', `${range[0]} to ${range[1]} is no range.`, '[min, max] with min < max');
}

function checkTable({ potential }: SchrodingerInput, [low, high]: Range): void {
  if (potential.type !== 'table') return;
  const x = potential.x!;
  if (x.length !== potential.V!.length)
    wrong(
      'potential.V',
      `there are ${x.length} nodes and ${potential.V!.length} values.`,
      `${x.length} values`,
    );
  if (x.some((value, i) => i > 0 && !(value > x[i - 1]!)))
    wrong('potential.x', 'the nodes do not ascend.', 'each node above the one before');
  if (!(x[0]! <= low && x.at(-1)! >= high))
    wrong('domain', `the table reaches from ${x[0]} to ${x.at(-1)} m.`, 'a domain within the table');
}

function checkTerms({ potential }: SchrodingerInput, dimensions: number): void {
  potential.terms?.forEach(({ powers }, i) => {
    if (powers.length !== dimensions)
      wrong(`potential.terms.${i}.powers`, `there are ${dimensions} axes.`, `${dimensions} exponents`);
  });
}

const formulas = new WeakMap<SchrodingerInput, FormulaBlock>();
const joule = parseUnit('J').dimension;
const metre = parseUnit('m').dimension;

/** V(x), in the plane V(x, y), on a ray V(r), in joules of metres. */
function formulaOf(input: SchrodingerInput, dimensions: 1 | 2): FormulaBlock | undefined {
  const { potential, mode } = input;
  if (potential.type !== 'formula') return undefined;
  const known = formulas.get(input);
  if (known) return known;
  const names = mode === 'radial' ? ['r'] : dimensions === 2 ? ['x', 'y'] : ['x'];
  const parameters = readParameters(potential.parameters ?? {}, 'potential.parameters');
  refuseTaken(parameters, names, 'potential.parameters');
  const withUnit = parameters.find(({ dimension }) => dimension !== undefined);
  if (input.units === 'reduced' && withUnit)
    wrong(
      `potential.parameters.${withUnit.name}`,
      'reduced units take plain numbers.',
      'a number without unit',
    );
  const own = names.map((name) => ({ name, dimension: metre }));
  const { symbols, isPlain } = symbolsBeside(own, parameters);
  const place = { field: 'potential.equation', parametersField: 'potential.parameters' };
  const formula = readFormula(potential.equation!, symbols, place);
  if (!isPlain) requireDimension(formula, joule);
  refuseUnused(parameters, [formula], 'potential.parameters');
  const block = formulaBlock([formula], dimensions === 2 ? names : [...names, '#y'], parameters);
  formulas.set(input, block);
  return block;
}

// ---- layout --------------------------------------------------------------------------------------------

export interface Grid {
  readonly nx: number;
  readonly ny?: number;
  readonly time?: number;
  readonly steps?: number;
  readonly order?: number;
}

/** The head of all parameters (assembly/quantum/problem.ts). */
export function problemLayout(
  input: SchrodingerInput,
  problem: Problem,
  grid: Grid,
  type?: PotentialType,
): Layout {
  const { potential, mass, units, l, E = 0 } = input;
  const kind = type ?? potential.type;
  const {
    L = 0,
    V0 = 0,
    omega = 0,
    De = 0,
    a = 0,
    re = 0,
    lambda = 0,
    Z = 0,
    terms = [],
    x = [],
    V = [],
  } = potential;
  const reduced = units === 'reduced';
  const block = kind === 'formula' ? problem.formula!.bytes : new Uint8Array();
  const data =
    kind === 'table' ? x.flatMap((node, i) => [node, V[i]!]) : kind === 'polynomial' ? flat(terms) : [];
  const count = kind === 'table' ? x.length : kind === 'polynomial' ? terms.length : block.length / 8;
  return new Layout()
    .f64(reduced ? 1 : hbar, mass, potentials.indexOf(kind), L, V0, omega, De, a, re, lambda)
    .f64(reduced ? Z : Z * coulombEnergy, problem.mode === 'radial' ? l! : -1, ...problem.x, ...problem.y)
    .f64(problem.dimensions, count, problem.level, grid.nx, grid.ny ?? 0)
    .f64(grid.time ?? 0, grid.steps ?? 0, grid.order ?? 0, E)
    .f64s(data)
    .block(block);
}

const flat = (terms: readonly { c: number; powers: readonly number[] }[]) =>
  terms.flatMap(({ c, powers }) => [c, powers[0]!, powers[1] ?? 0]);

/** Joules of the unit of energies. */
export const energyUnit = ({ units }: SchrodingerInput) => (units === 'reduced' ? 1 : electronvolt);

/** Whether the verdict has a closed form of the level. */
export function hasClosedForm({ mode, potential: { type }, l = 0 }: SchrodingerInput): boolean {
  if (mode === 'radial')
    return (
      ['coulomb', 'harmonic'].includes(type) || (l === 0 && ['infinite-well', 'finite-well'].includes(type))
    );
  return !['polynomial', 'table', 'formula'].includes(type);
}

/** Intervals that were asked for, per axis. */
export function sentIntervals({ N }: SchrodingerInput, dimensions: number): (number | undefined)[] {
  if (N === undefined || typeof N === 'number') return Array(dimensions).fill(N);
  if (N.length !== dimensions)
    wrong('N', `there are ${dimensions} axes.`, `an integer or ${dimensions} of them`);
  return [...N];
}

export { modes, wrong };

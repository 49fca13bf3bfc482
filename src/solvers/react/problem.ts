import { refuse } from '../../errors/refusal.ts';
import { dimensionless } from '../../units/dimension.ts';
import { parseUnit } from '../../units/unit.ts';
import { refuseElsewhere } from '../continuation.ts';
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
import {
  type Box,
  cellsAccepted,
  checkRings,
  flatArray,
  goesOnFrom,
  invalid,
  inWords,
  MOST_CELLS,
  missing,
  moreCells,
  readBox,
  readSides,
  shapeOfNodes,
  sideNames,
} from '../grid/box.ts';
import { type Before, models, quantities, type ReactInput } from './schema.ts';

export interface Problem {
  readonly box: Box;
  /** Index in `models`. */
  readonly model: number;
  readonly species: 1 | 2;
  readonly D: readonly [number, number];
  readonly constants: readonly [number, number];
  /** Periodic along x, along y. */
  readonly rings: readonly [boolean, boolean];
  /** Resting state that the start is added to. */
  readonly base: readonly [number, number];
  readonly start:
    | {
        readonly kind: 'gaussian';
        readonly x0: readonly [number, number];
        readonly w: number;
        readonly delta: readonly [number, number];
      }
    | { readonly kind: 'front'; readonly x0: readonly [number, number] }
    | { readonly kind: 'arrays'; readonly u: readonly number[]; readonly v: readonly number[] };
  readonly t0: number;
  readonly duration: number;
  /** Indices in the lists of the schema. */
  readonly quantity: number;
  readonly component: 0 | 1;
  /** A bound of |∂R/∂u| on what the run may meet [1/s]. */
  readonly rate: number;
  readonly dt: number | undefined;
  /** Formulas of R_u and R_v that are the caller's own. */
  readonly reaction?: FormulaBlock;
  readonly before?: Before;
}

const constantNames = {
  grayscott: ['Du', 'Dv', 'F', 'k'],
  fisher: ['D', 'r'],
  nagumo: ['D', 'k', 'a'],
  brusselator: ['Du', 'Dv', 'A', 'B'],
  own: [],
} as const;
const starts = ['initial {type: gaussian | front}', 'initialState {u, v, t0}'];

/** Reads what the schema cannot say. @throws Refusal that names the field */
export function readProblem(input: ReactInput): Problem {
  const dim = input.dim ?? 2;
  checkConstants(input);
  const reaction = reactionOf(input);
  const species =
    input.model === 'grayscott' || input.model === 'brusselator' || input.reaction?.v !== undefined ? 2 : 1;
  const D: [number, number] = species === 2 ? [input.Du!, input.Dv!] : [input.D!, 0];
  const box = readBox(
    input,
    { cells: (d) => defaultCells(input, d) },
    shapeOfNodes(input.initialState?.u, dim),
  );
  for (const n of dim === 1 ? [box.nx] : [box.nx, box.ny])
    if (n < 16 || n % 4 !== 0)
      invalid('initialState.u', `it has ${n + 1} nodes along an axis`, 'N + 1 nodes, N ≥ 16 divisible by 4');
  checkFront(input, box);
  checkWidth(input, box, D);
  const t0 = input.initialState?.t0 ?? 0;
  if (!(input.t_end > t0)) invalid('t_end', `t_end must lie after t0 = ${t0} s`, `> ${t0}`);
  if (species === 1 && input.component === 'v') invalid('component', `${input.model} has one species`, 'u');
  const base = restOf(input);
  const start = startOf(input, box, species);
  const rings = readRings(input, dim);
  if (start.kind === 'arrays') {
    checkRings('initialState.u', start.u, box, rings);
    if (species === 2) checkRings('initialState.v', start.v, box, rings);
  }
  return {
    box,
    model: models.indexOf(input.model),
    species,
    D,
    constants: reaction ? [species, reaction.bytes.length] : constantsOf(input),
    ...(reaction && { reaction }),
    rings,
    base,
    start,
    t0,
    duration: input.t_end - t0,
    quantity: quantities.indexOf(input.quantity ?? 'mean'),
    component: input.component === 'v' ? 1 : 0,
    rate: reaction ? ownRate(input, D, box) : rateOf(input, peaksOf(start, base)),
    dt: input.dt,
    ...(input.before && { before: input.before }),
  };
}

const diffusivities = (input: ReactInput): readonly string[] =>
  input.reaction?.v === undefined ? ['D'] : ['Du', 'Dv'];

function checkConstants(input: ReactInput): void {
  const isOwn = input.model === 'own';
  const names: readonly string[] = isOwn ? diffusivities(input) : constantNames[input.model];
  if (isOwn && !input.reaction)
    missing('reaction.u', ['reaction.u'], 'reaction {u, v} as formulas of u and v');
  const absent = names.filter((name) => input[name as keyof ReactInput] === undefined);
  if (absent.length) missing(absent[0]!, absent, `${input.model} with ${inWords(names)}`);
  for (const name of ['D', 'Du', 'Dv'] as const)
    if (input[name] !== undefined && !names.includes(name))
      invalid(name, `${input.model} has no ${name} with this reaction`, names);
}

function constantsOf({ model, F, k, r, a, A, B }: ReactInput): readonly [number, number] {
  if (model === 'grayscott') return [F!, k!];
  if (model === 'fisher') return [r!, 0];
  return model === 'nagumo' ? [k!, a!] : [A!, B!];
}

/** Where nothing happens: (1, 0) of Gray and Scott, (A, B/A) of the Brusselator, 0. */
function restOf({ model, A, B, rest }: ReactInput): readonly [number, number] {
  if (model === 'own') return [rest?.u ?? 0, rest?.v ?? 0];
  if (model === 'grayscott') return [1, 0];
  return model === 'brusselator' ? [A!, B! / A!] : [0, 0];
}

function readRings({ boundary }: ReactInput, dim: 1 | 2): readonly [boolean, boolean] {
  type Side = 'periodic' | 'noflux';
  const sides = readSides<Side>(
    boundary,
    (value) => typeof value === 'string',
    (side) => side === 'periodic',
    dim,
  );
  const [left, , bottom] = sideNames.map((name) => sides[name] === 'periodic');
  return [left!, dim === 2 && bottom!];
}

// ---- a reaction of the caller's own ----------------------------------------------------------------------

const perSecond = parseUnit('1/s').dimension;
const reactions = new WeakMap<ReactInput, FormulaBlock>();

/** R_u and R_v, in 1/s of pure numbers u and v. @throws Refusal that names the field */
function reactionOf(input: ReactInput): FormulaBlock | undefined {
  const { model, reaction, parameters: sent } = input;
  if (model !== 'own' || !reaction) return undefined;
  const known = reactions.get(input);
  if (known) return known;
  const parameters = readParameters(sent ?? {}, 'parameters');
  refuseTaken(parameters, ['u', 'v'], 'parameters');
  const names = reaction.v === undefined ? ['u'] : ['u', 'v'];
  const { symbols, isPlain } = symbolsBeside(
    names.map((name) => ({ name, dimension: dimensionless })),
    parameters,
  );
  const formulas = (['u', 'v'] as const).flatMap((name) => {
    const text = reaction[name];
    if (text === undefined) return [];
    const formula = readFormula(text, symbols, {
      field: `reaction.${name}`,
      parametersField: 'parameters',
    });
    if (!isPlain) requireDimension(formula, perSecond);
    return [formula];
  });
  refuseUnused(parameters, formulas, 'parameters');
  const block = formulaBlock(formulas, ['u', 'v'], parameters);
  reactions.set(input, block);
  return block;
}

/** Nothing is known of the rate before: the step is that of the diffusion or of the request, and the kernel measures. */
function ownRate({ dt }: ReactInput, D: readonly [number, number], { nx, ny, Lx, Ly }: Box): number {
  const dx = Math.min(Lx / nx, ny === 0 ? Infinity : Ly / ny);
  return OWN_RATE * (dt === undefined ? Math.max(...D) / (dx * dx) / OWN_SPREAD : 1 / dt);
}
/** The step that is chosen keeps dt·rate and D·dt/dx² at these (plan.ts). */
const OWN_RATE = 0.015;
const OWN_SPREAD = 0.2;

// ---- resolution and rates ------------------------------------------------------------------------------

const FRONT_CELLS = 8;
/** Of a front that is held at every node against its closed form, to which 8 bring it within 0.2 % of the height. */
const HELD_FRONT_CELLS = 16;
const DEFAULT_CELLS = { 1: 512, 2: 128 };

/** Length over which a front falls: √(D/r). */
function thickness({ model, D, r, k }: ReactInput): number | undefined {
  if (model === 'fisher') return Math.sqrt(D! / r!);
  return model === 'nagumo' ? Math.sqrt(D! / k!) : undefined;
}

function defaultCells(input: ReactInput, dim: 1 | 2): number {
  const width = thickness(input);
  if (width === undefined) return DEFAULT_CELLS[dim];
  const longest = Math.max(input.Lx, dim === 2 ? (input.Ly ?? 0) : 0);
  const cells = input.initial?.type === 'front' ? HELD_FRONT_CELLS : FRONT_CELLS;
  return Math.max(64, 4 * Math.ceil((cells * longest) / width / 4));
}

function checkFront(input: ReactInput, { nx, ny, Lx, Ly }: Box): void {
  const width = thickness(input);
  const dx = Math.max(Lx / nx, ny === 0 ? 0 : Ly / ny);
  if (width === undefined || width * (1 + 1e-12) >= FRONT_CELLS * dx) return;
  const enough = [Lx, ...(ny === 0 ? [] : [Ly])].map((length, axis) =>
    Math.max([nx, ny][axis]!, 4 * Math.ceil(((FRONT_CELLS * length) / width / 4) * (1 - 1e-12))),
  );
  const most = enough.reduce((cells, count) => cells * count, 1);
  refuse('STABILITY_LIMIT', `N: a front is ${width / dx} cells thick; ${FRONT_CELLS} are needed.`, {
    measured: width / dx,
    bound: FRONT_CELLS,
    ...(most <= MOST_CELLS
      ? moreCells(cellsAccepted(enough, input.dt), goesOnFrom(input.before, input.initialState?.u))
      : { field: 'N', accepts: `cells of at most ${width / FRONT_CELLS} m` }),
  });
}

/**
 * The sum over nodes that lie w apart is the integral of e^(−x²/w²) to 2e^(−π²), 1e-4 (Poisson’s sum), over nodes 2w apart to
 * 0.2. So two of the grids see the start; where one does, three may show an order by accident.
 */
const START_CELLS = 2;
/** So many show it to the coarsest of three grids too. */
const AS_A_RULE = 8;

/** What steps choose of a cell's diffusion time, and the limit of work. */
export const SPREAD_CHOICE = 0.2;
export const MOST_CELL_STEPS = 5e10;

/** The longest time in which cells that many to w may be had; 0 where there are too many of them. */
function longestTime(w: number, inWidth: number, D: number, cells: readonly number[]): number {
  if (cells.reduce((product, count) => product * count, 1) > MOST_CELLS) return 0;
  const nodes = cells.reduce((product, count) => product * (count + 1), 1);
  const dx = w / inWidth;
  return (0.9 * MOST_CELL_STEPS * SPREAD_CHOICE * dx * dx) / (nodes * D);
}

/** A start that falls between the nodes is seen by none of three grids, and they agree. */
function checkWidth({ initial, t_end }: ReactInput, { nx, ny, Lx, Ly }: Box, D: readonly number[]): void {
  if (initial?.type !== 'gaussian') return;
  const { w, deltaU, deltaV = 0 } = initial;
  if (deltaU === 0 && deltaV === 0) return;
  const dx = Math.max(Lx / nx, ny === 0 ? 0 : Ly / ny);
  if (w * (1 + 1e-12) >= START_CELLS * dx) return;
  const cells = (inWidth: number) =>
    (ny === 0 ? [Lx] : [Lx, Ly]).map((L) => Math.max(16, 4 * Math.ceil((inWidth * L) / w / 4)));
  const words = (each: readonly number[]) => (each.length === 1 ? `${each[0]}` : `[${each.join(', ')}]`);
  const time = longestTime(w, AS_A_RULE, Math.max(...D), cells(AS_A_RULE));
  const field = time > 0 ? 'N' : 'initial.w';
  const shorter = t_end > time ? ` with a t_end of at most ${Number(time.toPrecision(2))}` : '';
  const wider = `w of at least ${START_CELLS * dx} m`;
  const accepts =
    shorter === ''
      ? `N ≥ ${words(cells(START_CELLS))}; as a rule N = ${words(cells(AS_A_RULE))} is enough for three grids`
      : `N = ${words(cells(AS_A_RULE))}${shorter}, or a ${wider}`;
  refuse('STABILITY_LIMIT', `${field}: w of the start is ${w / dx} cells; ${START_CELLS} are needed.`, {
    field,
    measured: w / dx,
    bound: START_CELLS,
    accepts: time > 0 ? accepts : `at least ${START_CELLS * dx} m`,
  });
}

/** Largest u and v of the start. */
function peaksOf(start: Problem['start'], [u, v]: readonly [number, number]): readonly [number, number] {
  if (start.kind === 'front') return [1, 0];
  if (start.kind === 'gaussian') return [Math.max(u, u + start.delta[0]), Math.max(v, v + start.delta[1])];
  const largest = (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value), 0);
  return [largest(start.u), largest(start.v)];
}

/** What |∂R/∂u| may come to; the kernel measures it and refuses where dt does not resolve it. */
function rateOf({ model, F, k, r, A, B }: ReactInput, [u, v]: readonly [number, number]): number {
  const sum = Math.max(1, u + v);
  if (model === 'grayscott') return sum * sum + F! + k!;
  if (model === 'fisher') return r! * Math.max(1, 2 * u - 1);
  if (model === 'nagumo') return k! * Math.max(1, 3 * u * u);
  const most = Math.max(A!, u);
  const both = most + Math.max(B! / A!, v);
  return Math.max(B! + 1, 4 * most * most, both * both);
}

// ---- start ---------------------------------------------------------------------------------------------

function startOf(input: ReactInput, box: Box, species: 1 | 2): Problem['start'] {
  const { initial, initialState } = input;
  refuseElsewhere('react', initialState, starts);
  if (initial && initialState) invalid('initialState', 'the start is given twice', starts);
  if (initialState) return arraysOf(initialState, box, species);
  if (!initial) missing('initial', ['initial'], starts);
  if (initial.x0.length !== box.dim)
    invalid('initial.x0', `it has ${initial.x0.length} coordinates`, `${box.dim} of them`);
  const x0: [number, number] = [initial.x0[0]!, initial.x0[1] ?? 0];
  if (initial.type === 'front') {
    if (species === 2 || input.model === 'own')
      invalid('initial.type', `${input.model} has no front in closed form`, 'gaussian, or initialState');
    return { kind: 'front', x0 };
  }
  if (input.model === 'own' && input.rest === undefined)
    missing('rest.u', ['rest.u'], 'rest {u, v}, which the gaussian is added to');
  if (species === 2 && initial.deltaV === undefined)
    missing('initial.deltaV', ['initial.deltaV'], 'the amplitude in v');
  if (species === 1 && initial.deltaV !== undefined)
    invalid('initial.deltaV', `${input.model} has one species`, 'deltaU alone');
  return { kind: 'gaussian', x0, w: initial.w, delta: [initial.deltaU, initial.deltaV ?? 0] };
}

function arraysOf(
  { u, v }: NonNullable<ReactInput['initialState']>,
  { nx, ny }: Box,
  species: 1 | 2,
): Problem['start'] {
  if (u === undefined) missing('initialState.u', ['initialState.u'], starts[1]);
  if (species === 2 && v === undefined) missing('initialState.v', ['initialState.v'], starts[1]);
  if (species === 1 && v !== undefined) invalid('initialState.v', 'the model has one species', 'u alone');
  return {
    kind: 'arrays',
    u: flatArray('initialState.u', u, nx + 1, ny + 1),
    v: species === 2 ? flatArray('initialState.v', v!, nx + 1, ny + 1) : [],
  };
}

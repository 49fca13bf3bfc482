import { cellsAccepted, finerCells, goesOnFrom, MOST_CELLS } from './grid/box.ts';
import type { GateDeclaration, Solver } from './solver.ts';
import { gateBetween, unresolvedDetails } from './unresolved.ts';
import { continuation } from './wave/continuation.ts';
import { waveExamples } from './wave/examples.ts';
import { wholeCells } from './wave/medium.ts';
import { outputs } from './wave/outputs.ts';
import { firstRound, type Grid, gridOf, isVerdictDue, quoteOf, verdictRound } from './wave/plan.ts';
import { assumed, present } from './wave/present.ts';
import { FIXED, isPower, onSource, readProblem } from './wave/problem.ts';
import { schema, type WaveInput } from './wave/schema.ts';
import { formOf, MOST_CELL_STEPS } from './wave/steps.ts';

const gates: readonly GateDeclaration[] = [
  {
    name: 'closed form',
    quantity:
      'what is sealed, over itself, or where it is less over a thousandth of the largest |u|, a share of the power over a hundredth',
    source:
      'modes (Morse & Ingard §5.2), d’Alembert’s solution (§4.1), stacks of layers (Born & Wolf §1.6), in a plane for each mode (Yeh §5.1)',
  },
  {
    name: 'three grids',
    quantity: 'what is sealed, and half of what is seen one and four cells beside the probe, over the same',
    source: 'Richardson extrapolation from grids h, 2h, 4h (Roache 1997)',
  },
  {
    name: 'layers',
    quantity: 'what is sealed, on grid 2h, over the same',
    source: 'the same with absorbing layers twice as thick',
  },
  {
    name: 'twin',
    quantity: 'largest error of one mode at a node, with its rate or magnetic field, over its amplitude',
    source: 'leapfrog’s dispersion relation, the same grid and step (Taflove & Hagness §4.2)',
  },
  {
    name: 'energy',
    quantity: 'energy at the end − at the start − inflow − work + loss, over the largest of them',
    source: 'the discrete energy of leapfrog, balanced at every step',
  },
  { name: 'start', quantity: '∫u² of the start', source: 'the sum over what was asked' },
  { name: 'R + T', quantity: 'what comes back and what passes together', source: 'no loss: 1' },
  {
    name: 'source',
    quantity:
      'weighted sums of the source over the nodes, at 17 steps of the run, over the size of its terms',
    source: 'the sums of the formula, evaluated by the pass that derivatives come from',
  },
  gateBetween('nodes and steps', 'the largest |u|, rate or source on the grid'),
  {
    name: 'passed',
    quantity: 'root of the energy left in the box over the work of the source',
    source: 'the transform is whole when all has left: 0',
  },
  {
    name: 'settled',
    quantity: 'what is sealed, through the last of three windows, over the same',
    source: 'through the windows before it: what they still change, summed on as a geometric series',
  },
  {
    name: 'absorbed',
    quantity:
      'ten times the energy at the start and a thousandth of what the source gave and of what is left, and what came in through absorbing sides (error 1)',
    source: 'nothing is behind them',
  },
  {
    name: 'one line',
    quantity:
      'how far other lines may pull the frequency, over it: what it is in three quarters of the series, and by the part that it leaves beside it',
    source: 'a sinusoid alone fits every part, and leaves nothing (Kay, Modern Spectral Estimation, §13)',
  },
];

/** Place of the gate among those above. */
const CLOSED_FORM = 0;
const THREE_GRIDS = 1;
const LAYERS = 2;
const ONE_LINE = 12;

/** How many cells from a point source in a plane a probe may be beside it. */
const BESIDE_SOURCE = 4;
/**
 * How many cells from there it is sent. Beside a source u on a grid differs from ln r, over 2π, by h²cos 4θ/12r², which
 * extrapolation takes away, and by (18 cos 4θ + 25 cos 8θ)h⁴/240r⁴ (P.-G. Martinsson & G. Rodin, Proc. R. Soc. A 458
 * (2002) 2609), of which 1.25 · (64 − 4) is counted: 1e-3 of u at 11 cells where 2πu is 1, at 16 where it is a fifth.
 */
const FAR_FROM_SOURCE = 16;

/** A point source in a plane has no value at its place: there u grows as ln(1/h), on any grid. */
function isAtSource({ source, box, quantity }: Grid['problem']): boolean {
  if (!source || box.ny === 0 || quantity !== 'value') return false;
  const [x, y] = source.x0 as [number, number];
  const across = ((x - box.probe[0]) * box.nx) / box.Lx;
  const up = ((y - box.probe[1]) * box.ny) / box.Ly;
  return across * across + up * up <= BESIDE_SOURCE * BESIDE_SOURCE;
}

/** More cells take more steps too: of what is left the square root on a line, in a plane ⅝, a little under ⅔. */
function mostCells({ dim, nx, ny }: Grid['problem']['box'], { steps }: Grid['steps']): number {
  const cells = nx * Math.max(1, ny);
  const left = Math.sqrt(MOST_CELL_STEPS / (cells * steps));
  return Math.min(MOST_CELLS, Math.floor(cells * left * (dim === 1 ? 1 : Math.sqrt(Math.sqrt(left)))));
}

/** What a closed form alone holds is a line with kinks: beside layers, where steps are not those of the wave's speed, of order 1. */
function finer(input: WaveInput, [, , error, bound]: readonly number[]) {
  const { problem, steps } = grid(input);
  const { nx, ny, Lx, Ly } = problem.box;
  if (isAtSource(problem)) {
    const away = FAR_FROM_SOURCE * Math.max(Lx / nx, Ly / ny);
    return {
      field: 'probe',
      reason: 'beside a point source in a plane the field grows without end as cells shrink',
      accepts: `a probe more than ${away} m from source.x0`,
    };
  }
  const otherwise =
    'the usual dt, a shorter t_end, and a start and source without what is narrower than a few cells';
  return finerCells(ny === 0 ? [nx] : [nx, ny], error! / bound!, otherwise, {
    place: (axis, least) => wholeCells(problem.medium, axis === 0 ? nx : ny, onSource(input, axis, least)),
    most: mostCells(problem.box, steps),
    order: formOf(problem) === 'line' ? 1 : 2,
    dt: input.dt,
    from: goesOnFrom(input.before, input.initialState?.u ?? input.initialState?.Ez),
  });
}

/** Lines are parted by their distance times how long they are seen; beyond ten times the bound they are one to the window. */
function longer(input: WaveInput, [, , error, bound]: readonly number[]) {
  const { t0, duration } = readProblem(input);
  const times = error! > 10 * bound! ? 4 : 2;
  return {
    field: 't_end',
    reason: 'other frequencies lie so near to the strongest one that they are not parted from it yet',
    accepts: `t_end = ${t0 + times * duration} s or later, or a start and a probe for which one line is alone`,
  };
}

/** What layers send back stands beside what is left at the probe: it is less beside more. */
function louder(input: WaveInput, [, , error, bound, scale]: readonly number[]) {
  const { problem } = grid(input);
  if (isPower(problem.quantity))
    return { field: 'frequency', accepts: 'a frequency further from where a mode begins to travel' };
  if (problem.quantity === 'frequency')
    return { field: 'boundary', accepts: 'sides that do not absorb, between which a frequency lasts' };
  const [name, unit] = problem.maxwell ? ['Ez', 'V/m'] : ['u', 'm'];
  return {
    field: 't_end',
    reason: 'beside what absorbing layers send back too little is left at the probe',
    accepts: `an earlier t_end, or another probe, where |${name}| is ${(scale! * error!) / bound!} ${unit} or more; it is ${scale} ${unit} here`,
  };
}

/** `times`: by how many times more cells and steps all is seen that formulas hold; 0 where that is not known. */
function cellsForFormulas(input: WaveInput, times: number): string {
  const { nx, ny } = grid(input).problem.box;
  const cells = (ny === 0 ? [nx] : [nx, ny]).map((count) => times * count);
  const without = 'a formula without what is narrower than a few cells';
  const isKnown = times > 0 && cells.reduce((a, b) => a * b, 1) <= MOST_CELLS;
  if (!isKnown) return `${without}: no N of at most ${MOST_CELLS} cells is known to be enough`;
  return `${cellsAccepted(cells, input.dt)}, or ${without}`;
}

const grid = (input: WaveInput): Grid => gridOf(readProblem(input), input.dt);

/** Of a start that is not nothing on a conductor, with a factor by which it is. */
function onConductor({ problem: { sides, box } }: Grid): Record<string, unknown> {
  const factors = [box.Lx, box.Ly].slice(0, box.dim).flatMap((length, axis) => {
    const [low, high] = [sides[2 * axis] === FIXED, sides[2 * axis + 1] === FIXED];
    if (!low && !high) return [];
    return [`${low ? 'sin' : 'cos'}(pi*${axis === 0 ? 'x' : 'y'}/${low && high ? length : 2 * length})`];
  });
  return {
    field: 'initial.equation',
    reason: 'Ez is not 0 on a conductor, along which there is no field',
    accepts: `0 V/m on conductors, as of the formula times ${factors.join('*')}`,
  };
}

/**
 * Waves on a string or membrane (u in m, c in m/s) or of light (Ez in V/m, Hx and Hy in A/m, relative permittivity,
 * conductivity in S/m) on a line or in a rectangle. Out: u or Ez at the probe, the strongest frequency there in Hz, or
 * the share of power that passes a stack of layers or comes back from it.
 */
export const wave: Solver<WaveInput> = {
  id: 'wave',
  title: 'Waves',
  summary:
    'Strings, membranes and light, on a line or in a rectangle with fixed, free, periodic, absorbing or conducting sides, by leapfrog on Yee’s grid; start and source also as formulas of one’s own. Held against modes, d’Alembert’s solution and stacks of layers where they are the answer, against three grids where they are not, and against the balance of energy.',
  equation: String.raw`\frac{\partial^2u}{\partial t^2}=c^2\nabla^2u+f,\qquad \varepsilon\frac{\partial\mathbf E}{\partial t}=\nabla\times\mathbf H-\sigma\mathbf E-\mathbf J,\quad \mu\frac{\partial\mathbf H}{\partial t}=-\nabla\times\mathbf E`,
  references: [
    'Yee, IEEE Trans. Antennas Propag. 14 (1966) 302 (the grid)',
    'Taflove & Hagness, Computational Electrodynamics, §3.6, 4.2, 4.7 (leapfrog, dispersion, Courant’s limit)',
    'Grote & Sim, arXiv:1001.0319 (absorbing layers in second-order form)',
    'Cohen, Higher-Order Numerical Methods for Transient Wave Equations, §5.2 (discrete energy)',
    'Morse & Ingard, Theoretical Acoustics, §4.1, 5.2 (strings, membranes)',
    'Born & Wolf, Principles of Optics, §1.6 (stacks of layers)',
    'Roache, Annu. Rev. Fluid Mech. 29 (1997) 123 (three grids)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: ({ quantity = 'value', mode }) => {
    if (quantity === 'frequency') return 'Hz';
    if (quantity !== 'value') return '1';
    return mode === 'maxwell' ? 'V/m' : 'm';
  },
  assumed,
  quote: (input) => quoteOf(grid(input)),
  plan: (input) => firstRound(grid(input)),
  next: (input, finished) => (isVerdictDue(grid(input), finished) ? verdictRound(grid(input)) : undefined),
  present,
  refusalDetails: (input, status, observed) => {
    const { t_end, dt, source, quantity } = input;
    const [, , drift, bound] = observed;
    const field = source?.type === 'formula' ? 'source.equation' : 'initial.equation';
    const accepts = cellsForFormulas(input, observed[4] ?? 0);
    const points = 'nodes and steps';
    const unseen = unresolvedDetails('wave', gates, status, observed, { points, field, accepts });
    if (unseen) return unseen;
    if (status === 19)
      return { drift, bound, ...(dt !== undefined && { dt }), ...(t_end !== undefined && { t_max: t_end }) };
    if (status === 20) return onConductor(grid(input));
    if (status === 17 && isPower(quantity ?? 'value') && source?.type === 'sine')
      return {
        field: 'frequency',
        accepts: 'a frequency further from a resonance of the obstacle, which still rings, or a wide pulse',
      };
    if (status === 17 && isPower(quantity ?? 'value'))
      return {
        field: 'source.width',
        accepts: 'a wider pulse: it lasts longer and meets fewer resonances, of which one still rings',
      };
    if (status === 18 && observed[0] === ONE_LINE) return longer(input, observed);
    if (status === 18 && observed[0] === LAYERS) return louder(input, observed);
    if (status === 18 && (observed[0] === THREE_GRIDS || observed[0] === CLOSED_FORM))
      return finer(input, observed);
    return status === 17
      ? { field: 't_end', accepts: 'a longer t_end: fewer than two periods were seen, or none at all' }
      : {};
  },
  continuation,
  examples: waveExamples,
};

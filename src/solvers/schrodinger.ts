import type { RunPlan } from '../proof/job.ts';
import { overStretches, refuseWithoutTime } from './continuation.ts';
import { orShorter, shorterStep } from './long-steps.ts';
import { schrodingerExamples, schrodingerProbes } from './schrodinger/examples.ts';
import {
  dvrIntervals,
  expectedPlaneWork,
  finerPlane,
  intervalsWithin,
  levelRound,
  levelRuns,
  lineIntervals,
  lineWithin,
  planeGrid,
  planeWithin,
} from './schrodinger/levels.ts';
import { outputs } from './schrodinger/outputs.ts';
import { present } from './schrodinger/present.ts';
import { electronvolt, fineStructure, hbar } from './schrodinger/problem.ts';
import {
  beforeWall,
  beginsOutside,
  besideJump,
  beyondTable,
  enoughRoom,
  stayInPlane,
} from './schrodinger/room.ts';
import { type SchrodingerInput, schema } from './schrodinger/schema.ts';
import {
  isOffered,
  isRough,
  keptBytes,
  MOST_NODES,
  passageIntervals,
  passageResolved,
  passageWithin,
  quieter,
  readEvolution,
  waveRound,
  waveRuns,
} from './schrodinger/waves.ts';
import type { Assumption, GateDeclaration, Quote, Solver } from './solver.ts';
import { gateBetween, unresolvedDetails } from './unresolved.ts';

const isLevel = ({ mode }: SchrodingerInput) => mode !== 'evolve' && mode !== 'transmission';
const runsOf = (input: SchrodingerInput): readonly RunPlan[] =>
  isLevel(input) ? levelRuns(input) : waveRuns(input);

function quote(input: SchrodingerInput): Quote {
  const runs = runsOf(input);
  const work = runs.reduce((sum, run) => sum + run.work, 0);
  // Lanczos' iterations are known when they are done.
  const exact = input.mode !== 'eigen2d';
  return {
    work,
    expected: exact ? work : expectedPlaneWork(input),
    ...(!exact && {
      ceiling: 'all iterations of Lanczos that the level may take, and counts on a finer grid',
    }),
    exact,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

// ---- what was not said ---------------------------------------------------------------------------------

const numerical = 'numerical choice';

function assumed(input: SchrodingerInput): Assumption[] {
  return [...constants(input), ...numericalChoices(input)];
}

function constants({ units, potential }: SchrodingerInput): Assumption[] {
  if (units === 'reduced') return [{ name: 'hbar', value: 1, because: 'reduced units' }];
  const list: Assumption[] = [
    { name: 'hbar', value: hbar, unit: 'J*s', because: 'CODATA 2022, exact' },
    { name: 'eV', value: electronvolt, unit: 'J', because: 'CODATA 2022, exact' },
  ];
  if (potential.type === 'coulomb')
    list.push({ name: 'alpha', value: fineStructure, because: 'CODATA 2022; e²/4πε₀ = αħc' });
  return list;
}

function numericalChoices(input: SchrodingerInput): Assumption[] {
  const list: Assumption[] = [];
  if (input.N === undefined) list.push({ name: 'N', value: defaultIntervals(input), because: numerical });
  if (input.mode === 'evolve') {
    const { steps, begin, time } = readEvolution(input);
    if (input.dt === undefined)
      list.push({ name: 'dt', value: (time - begin) / steps, unit: 's', because: numerical });
    if (input.integrator === undefined)
      list.push({ name: 'integrator', value: 'strang', because: numerical });
    if (input.initialState?.t0 === undefined)
      list.push({ name: 't0', value: 0, unit: 's', because: 'origin of time' });
  } else if (isLevel(input) && input.scheme === undefined) {
    list.push({ name: 'scheme', value: input.mode === 'eigen2d' ? 'dvr' : 'numerov', because: numerical });
  }
  if (input.mode === 'eigen1d' || input.mode === 'radial') {
    const dvr = dvrIntervals(input);
    if (dvr > 0) list.push({ name: 'N of the DVR', value: dvr, because: numerical });
  }
  return list;
}

function defaultIntervals(input: SchrodingerInput): unknown {
  if (input.mode === 'transmission') return passageIntervals(input);
  if (input.mode === 'evolve') {
    const { nx, ny } = readEvolution(input);
    return ny === 1 ? nx : [nx, ny];
  }
  if (input.mode !== 'eigen2d') return lineIntervals(input);
  const { nx, ny } = planeGrid(input);
  return [nx, ny];
}

// ---- refusals ------------------------------------------------------------------------------------------

const reasons = [
  undefined,
  {
    field: 'n',
    message: 'schrodinger: this level is not bound.',
    accepts: 'a level below the edge of the potential',
  },
  {
    field: 'domain',
    message:
      'schrodinger: the domain is too small: its walls move the level by more than 1e-6 of what errors are measured by.',
    accepts: 'a wider domain',
  },
  { field: 'N', message: 'schrodinger: the grid is too coarse for these waves.', accepts: 'a larger N' },
] as const;

/** Of a packet in time, for the second of them. */
const atEdge = {
  field: 'domain',
  message:
    'schrodinger: the domain is too small: the packet comes to its edge, where |ψ| is more than 1e-6 of its largest.',
  accepts: 'a wider domain, or a shorter t_max',
};

/** Of a packet that begins in part within a wall, whose height takes that part out of any domain. */
const withinWall = (least: number) => ({
  field: 'initial.x0',
  message:
    'schrodinger: the packet begins in part within the wall, so high that this part leaves the domain.',
  accepts: `an x0 of at least ${least}, or a smaller sigma`,
});

const overJump = (least: number) => ({
  field: 'initial',
  message:
    'schrodinger: the packet begins over a jump of V, which makes waves of any speed of it that leave the domain.',
  accepts: `a packet at least ${least} from the jumps`,
});

/** Steps that are too long make waves where V jumps or is steep, and those come to the edge of any domain; so do wide cells. */
function comesToEdge(input: SchrodingerInput) {
  const { dt, N } = quieter(input);
  const finer = N === undefined ? [] : [`N = ${N}`];
  if (dt === undefined && N === undefined) {
    const [room, least] = [enoughRoom(input), beforeWall(input)];
    const beside = besideJump(input);
    if (room !== undefined) return { ...atEdge, accepts: `${room}, or a shorter t_max` };
    if (beside !== undefined) return overJump(beside);
    const table = beyondTable(input);
    if (table !== undefined) return { ...atEdge, accepts: table };
    if (least !== undefined) return withinWall(least);
    const end = stayInPlane(input);
    return end === undefined ? atEdge : { ...atEdge, accepts: `t_max of ${end}, or a wider domain` };
  }
  if (dt === undefined)
    return {
      field: 'N',
      message:
        'schrodinger: V is so steep that ψ is not seen to fall before it, and comes to the edge of the domain.',
      accepts: finer[0],
    };
  const shorter = orShorter(Number((0.99 * dt).toPrecision(3)));
  return {
    field: 'dt',
    message:
      'schrodinger: where V is steep or not smooth, these steps make waves of their own, which come to the edge of the domain.',
    accepts: isRough(input) ? `${shorter}, or a smaller N` : [shorter, ...finer].join(' with '),
  };
}

/** INVALID_INPUT and STABILITY_LIMIT show a reason, what was measured and its bound. */
function ofLine(input: SchrodingerInput, [gate, , error, bound]: readonly number[]) {
  const N = intervalsWithin(input, gate!, error! / bound!);
  return N === undefined
    ? { field: 'domain', accepts: 'a smaller domain' }
    : { field: 'N', accepts: `N = ${N}` };
}

/** What an error of the steps shows in. */
const ofTime = new Set(['mean', 'width', 'mean energy', 'steps']);

/** Steps in which an error of the integrator's order comes below its bound, a fifth shorter, where one may ask for so many. */
function ofSteps(input: SchrodingerInput, excess: number) {
  const { steps, begin, time, order } = readEvolution(input);
  const dt = shorterStep((time - begin) / steps, excess, order === 4 ? 4 : 2);
  if (isOffered({ ...input, dt })) return { field: 'dt', accepts: orShorter(dt) };
  return {
    field: 'domain',
    accepts: 'a domain without places where V is far above the energy of the packet, or a shorter t_max',
  };
}

/** As many more nodes as an error of the order 2 wants, a power of two. */
function ofNodes(input: SchrodingerInput, excess: number) {
  const { nx } = readEvolution(input);
  let N = 2 * nx;
  while ((N / nx) * (N / nx) < 1.5 * excess) N *= 2;
  return { field: 'N', accepts: N <= MOST_NODES ? `N = ${N}` : 'a V without jumps' };
}

/** Nodes for what a formula holds between them, of the order 2, as far as a packet may be sent on so many. */
function nodesBetween(input: SchrodingerInput, excess: number): string {
  if (input.mode !== 'evolve' || !input.initial) return 'a larger N';
  const { nx, ny } = readEvolution(input);
  const on = (times: number) => (ny === 1 ? nx * times : [nx * times, ny * times]);
  let times = 2;
  while (times * times < excess && times < 16) times *= 2;
  while (times > 1 && !isOffered({ ...input, N: on(times) })) times /= 2;
  return times > 1 ? `N = ${JSON.stringify(on(times))}` : 'a smaller domain';
}

/** Twice the nodes of a packet in time, or what else its waves are long enough for. */
function finerNodes(input: SchrodingerInput): string {
  const { nx, ny } = readEvolution(input);
  const N = ny === 1 ? 2 * nx : [2 * nx, 2 * ny];
  if (!input.initial) return `arrays of the start on the nodes of N = ${JSON.stringify(N)}`;
  if (isOffered({ ...input, N })) return `N = ${JSON.stringify(N)}`;
  return 'a wider packet of smaller k0, farther from where V is steep, or a smaller domain';
}

/** Four fifths of the domain about its middle: where V is high, far from ψ, iterations and counts go astray. */
function smallerDomain({ domain }: SchrodingerInput): string {
  const axes = (domain ?? []).map((axis) => {
    const [low = 0, high = 0] = [axis].flat();
    return [0.9 * low + 0.1 * high, 0.1 * low + 0.9 * high].map((end) => Number(end.toPrecision(3)));
  });
  return `a smaller domain, such as ${JSON.stringify(axes)}`;
}

/** A passage whose steps are too long. */
function ofPassage(input: SchrodingerInput, excess: number) {
  const N = passageWithin(input, excess);
  return N === undefined
    ? { field: 'E', accepts: 'a larger E, or a V that is lower or shorter' }
    : { field: 'N', accepts: `N = ${N}` };
}

const atEnds = { field: 'E', accepts: 'an energy above V at both ends and a finer grid' };

const tooLittle = (measured: number, bound: number) => ({
  ...{ field: 'E', measured, bound },
  reason: 'less than 1e-300 of what comes passes, where numbers have no digits left',
  accepts: 'a larger E, or a barrier that is lower or thinner',
});

/** A level in the plane that the counts of the second discretisation do not hold. */
function ofPlane(input: SchrodingerInput) {
  const N = finerPlane(input);
  return N === undefined
    ? { field: 'domain', accepts: smallerDomain(input) }
    : { field: 'N', accepts: `N = [${N.join(', ')}], or ${smallerDomain(input)}` };
}

/** What is no number, or too large for one. */
function beyondNumbers(input: SchrodingerInput) {
  const { type } = input.potential;
  if (input.mode === 'evolve' && beginsOutside(input))
    return {
      field: 'domain',
      reason: 'the packet begins outside of the domain, so far that nothing of it is within',
      accepts: enoughRoom(input) ?? 'a domain about x0, several sigma wide',
    };
  if (type !== 'formula') return { field: 'domain', accepts: 'a domain on which V is a finite number' };
  return {
    field: 'potential.equation',
    reason: 'V has no finite value at some node of the grid',
    accepts: 'a domain on which the formula is a finite number at every node; a wall may stand at its ends',
  };
}

function refusalDetails(input: SchrodingerInput, status: number, observed: readonly number[]) {
  const [reason = 0, measured, bound] = observed;
  const { mode, dt, t_max } = input;
  if (status === 19)
    return {
      ...{ driftPct: 100 * observed[2]!, boundPct: 0.1, dt, t_max },
      ...ofSteps(input, observed[2]! / 1e-3),
    };
  if (status === 17)
    return {
      field: 'n',
      iterations: reason,
      accepts:
        mode === 'eigen2d'
          ? `a lower level, or ${smallerDomain(input)}`
          : 'a lower level or a smaller domain',
    };
  if (status === 16) return beyondNumbers(input);
  const finer = status === 18 ? nodesBetween(input, observed[2]!) : '';
  const accepts = `${finer}, or a potential without what is narrower than a few cells`;
  const unseen = { points: 'nodes', field: 'potential.equation', accepts };
  const details = unresolvedDetails('schrodinger', gates, status, observed, unseen);
  if (details) return details;
  if (status === 18 && (mode === 'eigen1d' || mode === 'radial')) return ofLine(input, observed);
  if (status === 18 && mode === 'evolve' && ofTime.has(gates[reason]!.name))
    return ofSteps(input, observed[2]! / observed[3]!);
  if (status === 18 && mode === 'evolve' && gates[reason]?.name === 'half the nodes')
    return ofNodes(input, observed[2]! / observed[3]!);
  if (status === 18 && mode === 'eigen2d' && gates[reason]?.name === 'counts') return ofPlane(input);
  if (status === 18 && mode === 'transmission') return ofPassage(input, observed[2]! / observed[3]!);
  if (status !== 20 && status !== 21) return {};
  if (mode === 'transmission' && status === 20) return reason === 1 ? tooLittle(measured!, bound!) : atEnds;
  const within = { eigen2d: planeWithin, transmission: passageResolved }[mode as string] ?? lineWithin;
  const isCoarse = reasons[reason]?.field === 'N';
  const larger = isCoarse && (mode === 'evolve' ? finerNodes(input) : within(input, measured!, bound!));
  const said = mode === 'evolve' && reason === 2 ? comesToEdge(input) : reasons[reason];
  const taken = larger || said?.accepts;
  const message = `${said?.message.slice(0, -1)}; accepted: ${taken}.`;
  return { ...said, measured, bound, accepts: taken, message };
}

const gates: readonly GateDeclaration[] = [
  { name: 'closed form', quantity: 'E', source: 'Landau & Lifshitz, Quantum Mechanics; Flügge' },
  {
    name: 'grids',
    quantity: 'E or T',
    source: 'of E grids h, 2h, 4h of Numerov’s method, of T steps h, 2h, 4h of Magnus’',
  },
  {
    name: 'second discretisation',
    quantity: 'E / min(E − V_min, gap)',
    source: 'sine DVR (Colbert & Miller 1992)',
  },
  { name: 'nodes', quantity: 'nodes of ψ', source: 'oscillation theorem: n' },
  { name: 'energy of the state', quantity: '⟨T⟩ + ⟨V⟩', source: 'E' },
  {
    name: 'counts',
    quantity: 'half width of the bracket / min(E − V_min, gap)',
    source: 'inertia of central differences of order 8',
  },
  { name: 'norm', quantity: '∫|ψ|²', source: '1, at 33 times' },
  { name: 'energy', quantity: '⟨H⟩', source: 'its value at the start, at 33 times' },
  { name: 'free packet', quantity: 'Δx of a free packet on this grid', source: 'σ√(1 + (ħt/2mσ²)²)' },
  { name: 'mean', quantity: '⟨x⟩', source: 'free packet, oscillator (Ehrenfest)' },
  { name: 'width', quantity: 'Δx', source: 'free packet, oscillator' },
  { name: 'mean energy', quantity: '⟨H⟩', source: 'ħ²k₀²/2m + ħ²/8mσ² + ⟨V⟩' },
  { name: 'steps', quantity: 'the value', source: 'steps dt, 2dt, 4dt' },
  { name: 'transmission', quantity: 'T', source: 'Landau & Lifshitz, Quantum Mechanics, §25' },
  { name: 'flux', quantity: 'T + R', source: '1' },
  gateBetween('nodes', 'min(E − V_min, gap), in time ⟨H⟩ − V_min'),
  { name: 'half the nodes', quantity: 'the value', source: 'half the nodes, of V that jumps or is a table' },
];

const lengths = ['width', 'mean'];

/**
 * The Schrödinger equation: a level on a line, on a ray or in the plane [eV], a packet in time (Δx or ⟨x⟩ in m, ⟨H⟩ in
 * eV), or the transmission through a barrier. With units "reduced" ħ = 1 and all numbers are plain.
 */
export const schrodinger: Solver<SchrodingerInput> = {
  id: 'schrodinger',
  title: 'Schrödinger equation',
  summary:
    'Bound levels by renormalised Numerov and sine DVR, in the plane by Lanczos with inertia counts; wave packets by split-step Fourier transforms of order 2 or 4; transmission through barriers by Magnus’ method.',
  equation: String.raw`-\frac{\hbar^2}{2m}\psi''+V\psi=E\psi,\quad i\hbar\,\partial_t\psi=H\psi`,
  references: [
    'Johnson, J. Chem. Phys. 67 (1977) 4086 (renormalised Numerov)',
    'Colbert & Miller, J. Chem. Phys. 96 (1992) 1982 (DVR)',
    'Parlett, The Symmetric Eigenvalue Problem, ch. 13 (Lanczos)',
    'Golub & Van Loan, Matrix Computations, 8.3 and 8.4 (Householder, Sturm); Fornberg, Math. Comp. 51 (1988) 699',
    'Feit, Fleck & Steiger, J. Comput. Phys. 47 (1982) 412; Suzuki, Phys. Lett. A 146 (1990) 319 (splitting)',
    'Iserles, Munthe-Kaas, Nørsett & Zanna, Acta Numerica 9 (2000) 215 (Magnus)',
    'Landau & Lifshitz, Quantum Mechanics, 22 to 25 and 36; Flügge, Practical Quantum Mechanics',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: ({ mode, units, quantity }) => {
    if (units === 'reduced' || mode === 'transmission') return '1';
    return mode === 'evolve' && lengths.includes(quantity!) ? 'm' : 'eV';
  },
  assumed,
  quote,
  plan: (input) => (isLevel(input) ? levelRound(input, [])! : waveRound(input, [])!),
  next: (input, finished) => (isLevel(input) ? levelRound(input, finished) : waveRound(input, finished)),
  present: (input, verdict, finished) => present(input, verdict, finished.length - 1),
  refusalDetails,
  continuation: overStretches({
    kernels: ['schrodinger-evolve'],
    end: 't_max',
    start: ['initial'],
    bodies(first) {
      if (first.mode !== 'evolve') refuseWithoutTime(`mode ${first.mode}`, 'a job of mode evolve');
      return keptBytes(first);
    },
  }),
  examples: schrodingerExamples,
  probes: schrodingerProbes,
};

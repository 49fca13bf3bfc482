import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';
import type { SolveInput } from '../solve/problem.ts';

/** CODATA 2022, m³ kg⁻¹ s⁻². */
export const newtonG = 6.6743e-11;
/** Opening angle of the tree where the request names none. */
export const defaultTheta = 0.5;

export const maxBodies = 65536;
const maxDirectWork = 1e12;
const maxTreeWork = 2e12;
/** Below this opening angle a tree meets most bodies one by one, and the direct limit holds too. */
const MIN_THETA = 0.2;

export const schemes = ['leapfrog', 'pefrl', 'yoshida6', 'radau15'] as const;
export type Scheme = (typeof schemes)[number];

type Triples = readonly (readonly number[])[];

export interface MultibodyInput {
  readonly position?: Triples;
  readonly velocity?: Triples;
  readonly mass?: readonly number[];
  readonly referenceMode?: 'gravity';
  readonly dt: number;
  readonly t_max: number;
  readonly G?: number;
  readonly softening?: number;
  readonly integrator?: Scheme;
  readonly force?: 'direct' | 'tree';
  readonly theta?: number;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly initialState?: {
    readonly position?: Triples;
    readonly velocity?: Triples;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
  readonly masterBefore?: SolveInput['before'];
}

/** Where the earlier job ended: assembly/nbody/continued.ts. */
export interface Before {
  readonly job: string;
  readonly steps: number;
  /** h; radau15: the longest step. */
  readonly step: number;
  /** Where the earlier job ended, in seconds from the start. */
  readonly end: number;
  /** The states to go on from, of the run and of the finer one where there is one. */
  readonly states: readonly Uint8Array[];
}

/** A request whose fields fit together: what the kernels need. */
export interface Problem {
  readonly mass: readonly number[];
  readonly position: Triples;
  readonly velocity: Triples;
  readonly t0: number;
  readonly duration: number;
  /** n = ⌈t_max / dt⌉. */
  readonly steps: number;
  readonly G: number;
  readonly softening: number;
  readonly scheme: Scheme;
  readonly tree: boolean;
  readonly theta: number;
  readonly before?: Before;
}

/** Steps that this job does itself; radau15: the fewest. */
export function newSteps({ scheme, steps, duration, before }: Problem): number {
  if (!before) return steps;
  return scheme === 'radau15' ? stepCount(duration - before.end, before.step) : steps - before.steps;
}

/** Checks what the schema cannot say; throws the Refusal. */
export function readProblem(input: MultibodyInput): Problem {
  const start = startOf(input);
  const mass = input.mass ?? missing('mass', 'the mass of every body (kg)');
  if (input.referenceMode === undefined) missing('referenceMode', ['gravity']);
  if (input.theta !== undefined && input.force !== 'tree') {
    refuse('INVALID_INPUT', 'theta is the opening angle of the tree: it needs force "tree".', {
      field: 'theta',
      accepts: 'theta with force "tree"',
    });
  }
  if (input.force === 'tree' && input.integrator === 'radau15') {
    refuse('UNSUPPORTED', 'The force of a tree jumps where a node opens; radau15 needs a smooth one.', {
      field: 'integrator',
      accepts: 'leapfrog, pefrl or yoshida6 with force "tree"',
    });
  }
  checkBodies(mass, start);
  const problem: Problem = {
    ...start,
    mass,
    duration: input.t_max,
    steps: stepCount(input.t_max, input.before?.step ?? input.dt),
    G: input.G ?? newtonG,
    softening: input.softening ?? 0,
    scheme: input.integrator ?? 'pefrl',
    // One body alone has no tree.
    tree: input.force === 'tree' && mass.length > 1,
    theta: input.theta ?? defaultTheta,
    ...(input.before && { before: input.before }),
  };
  checkWork(problem);
  return problem;
}

/** ⌈t_max/dt⌉, where a quotient within 1e-12 of a whole number is that number (2.5/0.005 is 500 steps). */
function stepCount(duration: number, dt: number): number {
  return Math.max(1, Math.ceil((duration / dt) * (1 - 1e-12)));
}

function startOf(input: MultibodyInput): Pick<Problem, 'position' | 'velocity' | 't0'> {
  const state = input.initialState;
  refuseElsewhere('multibody', state, 'position, velocity and t0');
  if (state && (input.position || input.velocity)) {
    refuse('INVALID_INPUT', 'position and velocity are given twice, once in initialState.', {
      field: 'initialState',
      accepts: 'position and velocity, or initialState',
    });
  }
  if (!state && !input.position) missing('position', starts);
  const at = state ? 'initialState.' : '';
  const { position, velocity } = state ?? input;
  return {
    position: position ?? missing(`${at}position`, 'three coordinates of every body (m)'),
    velocity: velocity ?? missing(`${at}velocity`, 'three components for every body (m/s)'),
    t0: state?.t0 ?? 0,
  };
}

const starts = [
  'position, velocity, mass, referenceMode, dt, t_max',
  'initialState {position, velocity}, mass, referenceMode, dt, t_max',
  'inputs (the master equation of solve), dt, t_max',
];

function missing(field: string, accepts: string | readonly string[]): never {
  refuse('MISSING_INPUT', `multibody needs ${field}.`, { field, missing: field, accepts });
}

function checkBodies(mass: readonly number[], start: Pick<Problem, 'position' | 'velocity'>): void {
  const { position, velocity } = start;
  const bodies = position.length;
  if (velocity.length !== bodies || mass.length !== bodies) {
    const lengths = `${bodies} positions, ${velocity.length} velocities, ${mass.length} masses`;
    refuse('INVALID_INPUT', `position, velocity and mass must be equally long; they have ${lengths}.`, {
      field: velocity.length === bodies ? 'mass' : 'velocity',
      accepts: `${bodies} entries`,
    });
  }
  if (bodies === 0) {
    refuse('INVALID_INPUT', 'multibody needs a body; there is none.', {
      field: 'position',
      accepts: `1 to ${maxBodies} bodies`,
    });
  }
  if (bodies > maxBodies) {
    refuse('LIMIT_EXCEEDED', `${bodies} bodies are above the limit of ${maxBodies}.`, {
      field: 'position',
      measured: bodies,
      bound: maxBodies,
      accepts: `1 to ${maxBodies} bodies`,
    });
  }
  checkMasses(mass);
  checkApart(position);
}

function checkMasses(mass: readonly number[]): void {
  const negative = mass.findIndex((m) => m < 0);
  if (negative >= 0) {
    refuse('INVALID_INPUT', `mass[${negative}] is negative; masses are 0 or more.`, {
      field: `mass[${negative}]`,
      accepts: 'mass ≥ 0 kg',
    });
  }
  if (mass.every((m) => m === 0)) {
    refuse('INVALID_INPUT', 'All masses are 0: nothing attracts.', {
      field: 'mass',
      accepts: 'at least one mass > 0',
    });
  }
}

function checkApart(position: Triples): void {
  const seen = new Map<string, number>();
  position.forEach((point, i) => {
    const key = point.map((x) => x + 0).join(' ');
    const first = seen.get(key);
    if (first !== undefined) {
      refuse('INVALID_INPUT', `Bodies ${first} and ${i} are at the same place.`, {
        field: `position[${i}]`,
        accepts: 'distinct positions',
      });
    }
    seen.set(key, i);
  });
}

/** Interactions of the whole run as the limit counts them: N² per step, or N log₂ N with the tree. */
function checkWork(problem: Problem): void {
  checkLimit(problem, problem.tree);
  if (problem.tree && problem.theta < MIN_THETA) checkLimit(problem, false);
}

function checkLimit(problem: Problem, tree: boolean): void {
  const bodies = problem.mass.length;
  const steps = newSteps(problem);
  const work = tree ? bodies * log2(bodies) * steps : bodies * bodies * steps;
  const limit = tree ? maxTreeWork : maxDirectWork;
  if (work <= limit) return;
  const formula = tree ? 'N log2(N) steps' : 'N^2 steps';
  refuse(
    'LIMIT_EXCEEDED',
    `${bodies} bodies for ${steps} steps are above the limit: ${formula} ≤ ${limit}.`,
    {
      field: 't_max',
      bodies,
      steps,
      measured: work,
      bound: limit,
      accepts: `${formula} ≤ ${limit}`,
    },
  );
}

/** log₂ N, between powers of two by the chord: only a limit depends on it. */
export function log2(bodies: number): number {
  let power = 1;
  let exponent = 0;
  while (2 * power <= bodies) {
    power *= 2;
    exponent++;
  }
  return exponent + bodies / power - 1;
}

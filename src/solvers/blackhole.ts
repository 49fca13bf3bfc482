import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import { outputs } from './blackhole/outputs.ts';
import { type BlackholeInput, c, G, modes, nearest, quantities, readProblem } from './blackhole/problem.ts';
import { readDiagnostics } from './diagnostics.ts';
import { choice, optional, quantity, ratio, record, usedWith } from './input.ts';
import { Layout, segmentSteps } from './layout.ts';
import type { Assumption, Field, Presentation, Quote, Solver, Verdict } from './solver.ts';

/** Layouts and costs as assembly/kernels/blackhole.ts and assembly/verdicts/blackhole.ts have them. */
const STEPS = 256;
const ROWS = STEPS + 1;
const GRID = 129;
const SCALARS = 13;
const RESULT_BYTES = 80;
const STATE_BYTES = 16 + 64;
const UNITS_PER_STEP = 100;
const ONCE_UNITS = 50_000;
const VERDICT_UNITS = 10_000;
const ORBIT_VERDICT_UNITS = 2_400_000;
const MEMORY = 2 ** 18;

const length = (description: string) => optional(quantity('m', description, { exclusiveMinimum: 0 }));

const schema = record({
  M: quantity('kg', 'Mass.', { exclusiveMinimum: 0, maximum: 1e60, minimum: 1e-60 }),
  mode: choice(modes, 'What is asked of the black hole; shadow is the critical impact parameter.'),
  ...usedWith({ mode: ['deflection'] }, { b: length('Impact parameter of a ray, above 3√3·GM/c².') }),
  ...usedWith(
    { mode: ['precession'] },
    {
      a: length('Semi-major axis.'),
      e: optional(ratio('Eccentricity.', { minimum: 0, exclusiveMaximum: 1 })),
    },
  ),
  ...usedWith(
    { mode: ['orbit'] },
    {
      E: optional(ratio('Energy over mc².', { exclusiveMinimum: 0 })),
      L: optional(quantity('m^2/s', 'Angular momentum over mass.', { exclusiveMinimum: 0 })),
      quantity: optional(
        choice(quantities, 'What the orbit turns in excess of 2π in a radial period, or an apsis.'),
      ),
    },
  ),
  ...usedWith({ mode: ['frequency'] }, { r: length('Radius of a circular orbit, above 3·GM/c².') }),
  spin: optional(ratio('0: only the black hole without spin is offered.')),
});

const hasOrbit = ({ mode }: BlackholeInput) => ['deflection', 'precession', 'orbit'].includes(mode);

// ---- runs ----------------------------------------------------------------------------------------------

const headOf = (input: BlackholeInput): Uint8Array =>
  new Layout().f64(modes.indexOf(input.mode), input.M, ...readProblem(input)).bytes();

function orbitRun(input: BlackholeInput): RunPlan {
  const steps = hasOrbit(input) ? STEPS : 1;
  return {
    kernel: 'blackhole',
    parts: [{ bytes: headOf(input) }],
    stepsPerSegment: segmentSteps(STATE_BYTES, UNITS_PER_STEP),
    steps,
    work: ONCE_UNITS + (hasOrbit(input) ? STEPS * UNITS_PER_STEP : 0),
    memory: MEMORY,
    label: input.mode,
  };
}

function verdictRun(input: BlackholeInput): RunPlan {
  const rows: Part[] = hasOrbit(input) ? [{ run: 0, of: 'rows', from: 0, length: 8 * ROWS }] : [];
  return {
    kernel: 'blackhole.verdict',
    parts: [{ bytes: headOf(input) }, { run: 0, of: 'result', from: 0, length: RESULT_BYTES }, ...rows],
    stepsPerSegment: 1,
    steps: 1,
    work: hasOrbit(input) ? ORBIT_VERDICT_UNITS : VERDICT_UNITS,
    memory: MEMORY,
    label: 'verdict',
  };
}

function next(input: BlackholeInput, finished: readonly FinishedRun[]): Round | undefined {
  return finished.length > 1 ? undefined : { runs: [verdictRun(input)], verdict: true };
}

function quote(input: BlackholeInput): Quote {
  return { work: orbitRun(input).work + verdictRun(input).work, exact: true, memory: MEMORY };
}

// ---- presentation --------------------------------------------------------------------------------------

function assumed({ spin }: BlackholeInput): Assumption[] {
  const because = 'CODATA 2022';
  return [
    { name: 'G', value: G, unit: 'm^3/(kg*s^2)', because },
    { name: 'c', value: c, unit: 'm/s', because: `${because}, exact` },
    ...(spin === undefined ? [{ name: 'spin', value: 0, because: 'not in the equation' }] : []),
  ];
}

/** Reads what the verdict wrote; the offsets are those at the head of assembly/verdicts/blackhole.ts. */
function present(input: BlackholeInput, verdict: Verdict): Presentation {
  const outputs = { gravitationalRadius: verdict.extras[0], ...outputsOf(input, verdict) };
  if (!hasOrbit(input)) return { outputs, fields: [], plots: [] };
  return {
    outputs,
    fields: fieldsOf(verdict),
    plots: [
      { kind: 'line', title: 'orbit', x: 'phi', y: ['r'] },
      { kind: 'line', title: 'effective potential', x: 'radius', y: ['potential'] },
    ],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * ROWS + 2 * GRID, {
      absentTerm: 'the equation of 1/r has no such term',
      absentStep: 'a step of this equation is not linear',
    }),
  };
}

function outputsOf({ mode, quantity: asked }: BlackholeInput, { extras }: Verdict): Record<string, unknown> {
  const [, arcseconds, periapsis, apoapsis, p, e, E, L, angle, period, perCentury, efficiency, stable] =
    extras;
  const orbit = {
    periapsis,
    apoapsis,
    p,
    e,
    E,
    L,
    angle,
    keplerPeriod: period,
    arcsecondsPerCentury: perCentury,
  };
  switch (mode) {
    case 'deflection':
      return { arcseconds, periapsis, angle };
    case 'precession':
      return { arcseconds, ...orbit };
    case 'orbit':
      return asked === 'advance' ? { arcseconds, ...orbit } : orbit;
    case 'isco':
      return { efficiency };
    case 'frequency':
      return { stable: stable === 1 };
    default:
      return {};
  }
}

function fieldsOf({ gates }: Verdict): Field[] {
  const extrasAt = 24 + 48 * gates.length;
  const field = (name: string, unit: string, at: number, count: number): Field => ({
    name,
    unit,
    shape: [count],
    source: { run: 1, of: 'result', from: extrasAt + 8 * at, length: 8 * count },
    sealed: true,
  });
  return [
    field('phi', 'rad', SCALARS, ROWS),
    field('r', 'm', SCALARS + ROWS, ROWS),
    field('radius', 'm', SCALARS + 2 * ROWS, GRID),
    field('potential', '1', SCALARS + 2 * ROWS + GRID, GRID),
  ];
}

function unit({ mode, quantity: asked }: BlackholeInput): string {
  if (mode === 'frequency') return 'Hz';
  if (mode === 'deflection' || mode === 'precession') return 'rad';
  return mode === 'orbit' && asked === 'advance' ? 'rad' : 'm';
}

/**
 * Geodesics of Schwarzschild's black hole. In: mass in kg, lengths in m, energy over mc², angular momentum over mass in
 * m²/s. Out: a radius in m, an angle in rad, or a frequency in Hz.
 */
export const blackhole: Solver<BlackholeInput> = {
  id: 'blackhole',
  title: 'Black hole',
  summary:
    'Finds the radii of Schwarzschild’s black hole, the bending of light, and orbits with their precession, by quadrature ' +
    'and a Gauss–Radau integration of order 15; held against closed forms in elliptic integrals.',
  equation: String.raw`\frac{d^2u}{d\varphi^2}+u=\frac{GM}{h^2}+\frac{3GM}{c^2}u^2,\quad u=\frac1r`,
  references: [
    'Misner, Thorne & Wheeler, Gravitation, §25.5, 25.6 (effective potentials)',
    'Chandrasekhar, The Mathematical Theory of Black Holes, §19 and 20 (orbits in elliptic functions)',
    'Darwin, Proc. R. Soc. A 249 (1959) 180 (light near the hole)',
    'Keeton & Petters, Phys. Rev. D 72 (2005) 104006, eq. 24 (light far away)',
    'Carlson, Numer. Algorithms 10 (1995) 13 (R_F)',
    'Everhart, Celest. Mech. 10 (1974) 35 (Gauss–Radau)',
  ],
  input: schema,
  gates: [
    {
      name: 'value',
      quantity: 'the value',
      source: '2, 3, 3√3, 6 GM/c²; elliptic integrals; Kepler’s third law',
    },
    {
      name: 'turning points',
      quantity: 'periapsis, apoapsis, the angle from one to the next, 1/l², and e from 0.001 on',
      source: 'roots of the cubic by thirds of an angle; elliptic integrals',
    },
    { name: 'orbit', quantity: '1/r of the worst row', source: 'Jacobi’s cn and dn' },
    { name: 'constant of motion', quantity: 'u′² + u² − 2u³ − 2u/l²', source: 'its value at the periapsis' },
  ],
  field: true,
  outputs,
  unit,
  assumed,
  quote,
  plan: (input) => ({ runs: [orbitRun(input)] }),
  next,
  present,
  refusalDetails: nearest,
  examples: [
    {
      title: 'shadow of ten suns',
      body: { M: { value: 10, unit: 'M_sun' }, mode: 'shadow' },
      expect: { value: 76727.6926784, unit: 'm' },
      tolerance: 1e-9,
      source: '3√3 GM/c², 12 digits',
    },
    {
      title: 'strong deflection, b = 10 GM/c²',
      body: { M: 1.98841e31, mode: 'deflection', b: 147662.513407182 },
      expect: { value: 0.590395787605827, unit: 'rad' },
      tolerance: 1e-9,
      source: 'elliptic integrals, 25 digits',
    },
    {
      title: 'perihelion of Mercury, one orbit',
      body: { M: 1.98841e30, mode: 'precession', a: 57909050000, e: 0.20563 },
      expect: { value: 5.01866388710032e-7, unit: 'rad', arcsecondsPerCentury: 42.9807 },
      tolerance: 1e-5,
      source: 'elliptic integrals, 25 digits: 42.98″ per century',
    },
    {
      title: 'orbit p = 10, e = 0.2',
      body: {
        M: { value: 10, unit: 'M_sun' },
        mode: 'orbit',
        E: 0.957727194617729,
        L: 16779782976556.5,
        quantity: 'advance',
      },
      expect: { value: 3.67013288567451, unit: 'rad' },
      tolerance: 1e-9,
      source: 'elliptic integrals, 25 digits',
    },
    {
      title: 'orbital frequency at the ISCO',
      body: { M: { value: 10, unit: 'M_sun' }, mode: 'frequency', r: { value: 88.5975080443, unit: 'km' } },
      expect: { value: 219.858723735, unit: 'Hz' },
      tolerance: 1e-9,
      source: 'Kepler’s third law, 12 digits',
    },
  ],
};

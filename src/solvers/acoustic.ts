import { isTaken } from '../errors/refusal.ts';
import type { FinishedRun, Round, RunPlan } from '../proof/job.ts';
import { boxElements, boxRuns, isDrivenBox } from './acoustic/box.ts';
import { acousticExamples, acousticProbes } from './acoustic/examples.ts';
import { fieldGrid, fieldRuns, orderAtProbe } from './acoustic/field.ts';
import { type Cells, elementsWithin } from './acoustic/fineness.ts';
import { drivenRuns, modeRuns } from './acoustic/lines.ts';
import { maskGrid, maskRuns } from './acoustic/mask.ts';
import { maskWallRuns } from './acoustic/mask-walls.ts';
import { outputs } from './acoustic/outputs.ts';
import { present } from './acoustic/present.ts';
import { air, checkFields, hasImpedance, speedOf } from './acoustic/problem.ts';
import { type AcousticInput, schema } from './acoustic/schema.ts';
import { wallRuns } from './acoustic/walls.ts';
import type { Assumption, GateDeclaration, Quote, Solver } from './solver.ts';

const isDriven = ({ analysis }: AcousticInput) => analysis === 'forced' || analysis === 'transmission';

/** Every phase of a job asks, and a mesh takes long to be numbered. */
const planned = new WeakMap<AcousticInput, readonly RunPlan[]>();

/** All runs of the job; the last one is the verdict. */
function runsOf(input: AcousticInput): readonly RunPlan[] {
  const known = planned.get(input) ?? plannedRuns(input);
  planned.set(input, known);
  return known;
}

function plannedRuns(input: AcousticInput): readonly RunPlan[] {
  checkFields(input);
  if (isDriven(input) && input.domain.type === 'mask') return fieldRuns(input);
  if (isDriven(input)) return isDrivenBox(input) ? boxRuns(input) : drivenRuns(input);
  if (input.domain.type === 'mask') return hasImpedance(input) ? maskWallRuns(input) : maskRuns(input);
  return hasImpedance(input) ? wallRuns(input) : modeRuns(input);
}

/** Runs that can go on when so many are finished: what their parameters are made of is there. */
function ready(runs: readonly RunPlan[], finished: number): readonly RunPlan[] {
  const waits = ({ parts }: RunPlan) => parts.some((part) => 'run' in part && part.run >= finished);
  const first = runs.slice(finished).findIndex(waits);
  return runs.slice(finished, first < 0 ? runs.length : finished + first);
}

function plan(input: AcousticInput): Round {
  return { runs: ready(runsOf(input), 0) };
}

function next(input: AcousticInput, finished: readonly FinishedRun[]): Round | undefined {
  const runs = runsOf(input);
  if (finished.length === runs.length) return undefined;
  return finished.length < runs.length - 1
    ? { runs: ready(runs, finished.length) }
    : { runs: runs.slice(-1), verdict: true };
}

function quote(input: AcousticInput): Quote {
  const runs = runsOf(input);
  return {
    work: runs.reduce((sum, { work }) => sum + work, 0),
    // Iterations of Lanczos and sweeps between walls are known when they are done.
    exact: isDriven(input) || (input.domain.type !== 'mask' && !hasImpedance(input)),
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

function assumed(input: AcousticInput): Assumption[] {
  const list: Assumption[] = [];
  if (input.temperature !== undefined)
    list.push(
      { name: 'c', value: speedOf(input), unit: 'm/s', because: '√(γRT/M) of dry air' },
      { name: 'gamma', value: air.gamma, because: 'dry air' },
      { name: 'M', value: air.molarMass, unit: 'kg/mol', because: 'dry air, US Standard Atmosphere 1976' },
      { name: 'R', value: air.gasConstant, unit: 'J/(mol*K)', because: 'CODATA 2022, exact' },
    );
  if (input.N === undefined)
    list.push({ name: 'N', value: defaultElements(input), because: 'numerical choice' });
  if (isDriven(input)) {
    if (input.eta === undefined) list.push({ name: 'eta', value: 0, because: 'not in the equation' });
  } else if (input.n === undefined) {
    list.push({ name: 'n', value: 1, because: 'the lowest frequency above 0' });
  }
  return list;
}

function defaultElements(input: AcousticInput): unknown {
  if (input.domain.type === 'mask') return (isDriven(input) ? fieldGrid(input) : maskGrid(input)).N;
  if (isDrivenBox(input)) return boxElements(input);
  return isDriven(input) ? 'eight in a wave, at least four in a piece' : Math.max(16, 2 * (input.count! + 1));
}

function refusalDetails(input: AcousticInput, status: number, observed: readonly number[]) {
  if (status === 17 && isDriven(input))
    return {
      field: 'boundary',
      accepts: 'an impedance that differs a little: two modes across the box are one',
    };
  if (status === 28)
    return { field: 'frequency', frequency: observed[0], accepts: 'another frequency, or eta above 0' };
  if (status === 17 && !isDriven(input) && hasImpedance(input))
    return { field: 'boundary', accepts: 'walls that reflect more' };
  if (status === 18 && observed[0] === COUNT)
    return {
      field: 'boundary',
      accepts:
        'walls that reflect more, open ones in place of soft springs, or fewer frequencies: a mode came that no rigid or open wall begins',
    };
  if (status === 18 && input.domain.type === 'mask') return ofCells(input, input.domain.cells, observed);
  if (status === 18 && isDrivenBox(input) && observed[0] !== PISTON)
    return { field: 'N', accepts: 'more elements along each axis' };
  return status === 17 ? { field: 'count', accepts: 'fewer frequencies', analysis: input.analysis } : {};
}

/** Gates that a finer mesh of cells brings down, and that which counts. */
const OF_MESHES = [7, 11];
const COUNT = 13;
/** More elements do nothing for it. */
const PISTON = 16;

/** Of cells whose meshes differ the N that would do. */
function ofCells(input: AcousticInput, cells: Cells, observed: readonly number[]) {
  const [gate, , error, bound] = observed as [number, number, number, number];
  if (!OF_MESHES.includes(gate)) return {};
  const { N } = isDriven(input) ? fieldGrid(input) : maskGrid(input);
  const enough = elementsWithin(cells, N, error / bound, isDriven(input) ? orderAtProbe(input) : 4);
  if (enough !== undefined && isTaken(() => plannedRuns({ ...input, N: enough })))
    return { field: 'N', accepts: `N = ${enough}` };
  return isDriven(input)
    ? { field: 'probe', accepts: 'a probe farther from corners and open sides, or fewer cells' }
    : { field: 'N', accepts: 'fewer frequencies, or fewer cells' };
}

const gates: readonly GateDeclaration[] = [
  { name: 'frequency', quantity: 'f', source: '(c/2)√Σ(nᵢ/Lᵢ)²; ducts: phase of p (Munjal, 2.3)' },
  { name: 'list', quantity: 'the worst of the list', source: 'as frequency' },
  { name: 'mode', quantity: 'p where it differs most', source: 'sines and cosines of the pieces' },
  {
    name: 'pressure',
    quantity: '|p| at the probe',
    source: 'transfer matrices (Munjal, 2.18); boxes: modes across in closed form',
  },
  { name: 'profile', quantity: 'p where it differs most / max|p|', source: 'as pressure' },
  { name: 'power', quantity: 'power that comes in', source: 'power that goes out and is lost' },
  { name: 'transmission loss', quantity: 'TL', source: 'transfer matrices (Munjal, 2.18)' },
  {
    name: 'meshes',
    quantity: 'the worst of the list',
    source:
      'meshes h, 2h, 4h by two orders at once: 4/3 of corners, 4 of elements (Grisvard, ch. 8); driven: at the probe and around it',
  },
  { name: 'none missed', quantity: 'modes below the highest', source: 'inertia of K − σM (Sylvester)' },
  { name: 'rectangle', quantity: 'f of the rectangle around', source: '(c/2)√Σ(nᵢ/Lᵢ)²' },
  { name: 'tube', quantity: '|p| at the far wall of a tube', source: 'ωρu₀/|k sin kL|' },
  { name: 'decay', quantity: 'the worst δ of the list', source: 'roots of the characteristic function' },
  { name: 'balance', quantity: 'decay of the mode', source: 'what its walls take over what it holds' },
  { name: 'count', quantity: 'modes of Q above 1/100 around the list', source: 'principle of the argument' },
  { name: 'residual', quantity: '|Tx| of the mode', source: '(K + ikC − k²M)x = 0' },
  {
    name: 'spectrum',
    quantity: '|p| of the spectrum at the frequency',
    source: 'the run on the same mesh; boxes: as pressure',
  },
  {
    name: 'piston',
    quantity: 'Σ(∫Y)²/∫Y² of the modes across a box',
    source: '1, as none is missing (Parseval)',
  },
];

const units = { modes: 'Hz', duct: 'Hz', forced: 'Pa', transmission: 'dB' } as const;

/**
 * Sound in boxes, cavities of cells and ducts: frequencies [Hz], the pressure that a piston makes [Pa], or the loss of a
 * wave that passes [dB]. In: lengths in m, c in m/s, frequency in Hz, density in kg/m³, impedances in Pa s/m.
 */
export const acoustic: Solver<AcousticInput> = {
  id: 'acoustic',
  title: 'Acoustics of cavities and ducts',
  summary:
    'Modes of boxes and ducts by quartic elements and inertia counts, between impedances followed from rigid or open walls with their decay, of cavities of cells by Lanczos on nine-node elements that are smaller towards corners, and followed likewise; ducts and cavities driven by a piston, ducts passed by a wave, by complex LDLᵀ; boxes driven between walls that give way, by all modes across and LDLᵀ along each pair. Ducts are held against transfer matrices, such boxes against the series of modes in closed form.',
  equation: String.raw`\nabla^2p+k^2p=-i\omega\rho q,\quad k=\tfrac{\omega}{c}(1-\tfrac{i\eta}{2})`,
  references: [
    'Munjal, Acoustics of Ducts and Mufflers, 2.3, 2.7 and 2.18',
    'Kuttruff, Room Acoustics, 3.1 and 3.3; Morse & Ingard, Theoretical Acoustics, 9.4 (walls of impedance)',
    'Ihlenburg, Finite Element Analysis of Acoustic Scattering, ch. 4',
    'Zienkiewicz & Taylor, The Finite Element Method 1, 8.3 (nine-node elements)',
    'Ericsson & Ruhe, Math. Comp. 35 (1980) 1251 (shift-invert Lanczos)',
    'Golub & Van Loan, Matrix Computations, 4.3.6 (banded LDLᵀ); Sylvester’s law of inertia',
    'Lynch, Rice & Thomas, Numer. Math. 6 (1964) 185 (tensor products)',
    'Grisvard, Elliptic Problems in Nonsmooth Domains, ch. 8 (corners)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: ({ analysis }) => units[analysis],
  assumed,
  quote,
  plan,
  next,
  present: (input, verdict, finished) => present(input, verdict, finished.length - 1),
  refusalDetails,
  examples: acousticExamples,
  probes: acousticProbes,
};

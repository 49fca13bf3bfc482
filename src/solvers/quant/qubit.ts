import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { readDiagnostics } from '../diagnostics.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Field, Presentation, Quote, Verdict } from '../solver.ts';
import {
  checkFields,
  type GateInput,
  gateNames,
  invalid,
  type QuantInput,
  type QubitType,
  qubitTypes,
  tooMuch,
} from './problem.ts';

/** Layouts and costs as assembly/kernels/quant-qubit.ts and assembly/verdicts/quant-qubit.ts have them. */
const RABI_STEPS = 256;
const MOST_ROWS = 256;
const SCALARS = 2;
const VERDICT_UNITS = 2_000_000;

const MAX_ITERATIONS = 2 ** 20;
const MAX_WORK = 2 ** 36;
/** Half turns in radians beyond which the phase of a sine has lost the digits that a bound of 1e-3 needs. */
const MAX_ANGLE = 1e9;

interface Qubit {
  readonly type: QubitType;
  readonly n: number;
  readonly steps: number;
  readonly stepsPerRow: number;
  readonly outcome: number;
}

/** @throws Refusal for what the schema cannot say */
function readQubit(input: QuantInput): Qubit {
  checkFields(input);
  const type = input.type as QubitType;
  if (type === 'rabi') return readRabi(input);
  const n = input.n!;
  if (type === 'circuit') {
    checkCircuit(input);
    const outcome = Number.parseInt([...input.outcome!].reverse().join(''), 2);
    return { type, n, steps: input.gates!.length, stepsPerRow: 1, outcome };
  }
  const k = input.k!;
  if (k > MAX_ITERATIONS) tooMuch('k', k, MAX_ITERATIONS);
  const problem: Qubit = {
    type,
    n,
    steps: k,
    stepsPerRow: Math.max(1, Math.ceil(k / MOST_ROWS)),
    outcome: 0,
  };
  if (k * unitsPerStep(problem) > MAX_WORK) tooMuch('k', k, Math.floor(MAX_WORK / unitsPerStep(problem)));
  return problem;
}

function readRabi({ Omega, Delta, t_max }: QuantInput): Qubit {
  const angle = 0.5 * t_max! * (Math.abs(Omega!) + Math.abs(Delta!));
  if (!(angle <= MAX_ANGLE)) tooMuch('t_max', angle, MAX_ANGLE);
  return { type: 'rabi', n: 1, steps: RABI_STEPS, stepsPerRow: 1, outcome: 0 };
}

function checkCircuit({ n, gates, outcome }: QuantInput): void {
  if (outcome!.length !== n)
    invalid('outcome', `${outcome!.length} characters for ${n} qubits`, `${n} characters 0 or 1`);
  for (const [i, gate] of gates!.entries()) checkGate(gate, `gates[${i}]`, n!);
}

const turned: readonly string[] = ['rx', 'ry', 'rz', 'p'];

function checkGate({ gate, targets, controls = [], angle }: GateInput, path: string, n: number): void {
  const wanted = gate === 'swap' ? 2 : 1;
  if (targets.length !== wanted)
    invalid(`${path}.targets`, `${gate} has ${targets.length} targets`, `${wanted} qubits`);
  for (const [name, qubits] of Object.entries({ targets, controls }))
    if (qubits.some((qubit) => qubit >= n))
      invalid(`${path}.${name}`, 'a qubit that is not there', `0 to ${n - 1}`);
  if (new Set([...targets, ...controls]).size !== targets.length + controls.length)
    invalid(`${path}.controls`, 'a qubit stands there twice', 'targets and controls all different');
  if (turned.includes(gate) && angle === undefined)
    invalid(`${path}.angle`, `${gate} needs an angle`, 'a number in rad');
  if (Math.abs(angle ?? 0) > MAX_ANGLE) tooMuch(`${path}.angle`, Math.abs(angle!), MAX_ANGLE);
}

// ---- runs ----------------------------------------------------------------------------------------------

function unitsPerStep({ type, n }: Qubit): number {
  return type === 'rabi' ? 200 : type === 'grover' ? 100 + 2 * 2 ** n : 300 + 3 * 2 ** n;
}

const amplitudeBytes = ({ type, n }: Qubit) => (type === 'grover' ? 8 : 16) * 2 ** n;
const samplesOf = ({ type, n, steps, stepsPerRow }: Qubit) =>
  type === 'circuit' ? 2 ** n : 1 + Math.floor(steps / stepsPerRow);

function parametersOf(input: QuantInput, { type, n, steps, stepsPerRow, outcome }: Qubit): Uint8Array {
  const { Omega = 0, Delta = 0, t_max = 0, gates = [] } = input;
  const head = new Layout().f64(
    qubitTypes.indexOf(type),
    n,
    steps,
    Omega,
    Delta,
    t_max,
    stepsPerRow,
    outcome,
  );
  for (const { gate, targets, controls = [], angle = 0 } of gates) {
    const mask = controls.reduce((sum, qubit) => sum + 2 ** qubit, 0);
    head.f64(gateNames.indexOf(gate), targets[0]!, targets[1] ?? -1, mask, angle);
  }
  return head.bytes();
}

function stateRun(input: QuantInput, problem: Qubit): RunPlan {
  const work = problem.steps * unitsPerStep(problem);
  return {
    kernel: 'quant-qubit',
    parts: [{ bytes: parametersOf(input, problem) }],
    stepsPerSegment: segmentSteps(16 + amplitudeBytes(problem), unitsPerStep(problem)),
    steps: problem.steps,
    work,
    memory: 2 ** 18 + 2 * amplitudeBytes(problem),
    label: `state vector, ${problem.steps} steps`,
  };
}

function verdictRun(input: QuantInput, problem: Qubit): RunPlan {
  const size = 2 ** problem.n;
  const rows = problem.type === 'circuit' ? 0 : samplesOf(problem);
  const parts: Part[] = [
    { bytes: parametersOf(input, problem) },
    { run: 0, of: 'result', from: 0, length: amplitudeBytes(problem) },
    { run: 0, of: 'rows', from: 0, length: 8 * rows },
  ];
  const work = VERDICT_UNITS + size * (problem.type === 'circuit' ? 24 * problem.steps + 60 : 1);
  const memory = 2 ** 18 + 3 * amplitudeBytes(problem) + 9 * 8 * samplesOf(problem);
  return {
    kernel: 'quant-qubit.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work,
    memory,
    label: 'verdict',
  };
}

export function planQubit(input: QuantInput): Round {
  return { runs: [stateRun(input, readQubit(input))] };
}

export function nextQubit(input: QuantInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > 1) return undefined;
  return { runs: [verdictRun(input, readQubit(input))], verdict: true };
}

export function quoteQubit(input: QuantInput): Quote {
  const problem = readQubit(input);
  const [run, verdict] = [stateRun(input, problem), verdictRun(input, problem)];
  return { work: run.work + verdict.work, exact: true, memory: Math.max(run.memory, verdict.memory) };
}

// ---- presentation --------------------------------------------------------------------------------------

const abscissae = {
  rabi: { name: 't', unit: 's' },
  grover: { name: 'iteration', unit: '1' },
  circuit: { name: 'outcome', unit: '1' },
};

export function presentQubit(
  input: QuantInput,
  verdict: Verdict,
  finished: readonly FinishedRun[],
): Presentation {
  const [normError, samples] = verdict.extras as unknown as [number, number];
  const { name, unit } = abscissae[input.type as QubitType];
  const from = 24 + 48 * verdict.gates.length + 8 * SCALARS;
  const column = (field: string, of: string, at: number): Field => ({
    name: field,
    unit: of,
    shape: [samples],
    source: { run: finished.length - 1, of: 'result', from: from + 8 * samples * at, length: 8 * samples },
    sealed: true,
  });
  return {
    outputs: { normError },
    fields: [column(name, unit, 0), column('probability', '1', 1)],
    plots: [{ kind: 'line', title: 'probability', x: name, y: ['probability'] }],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 2 * samples, {
      absentMasterEquation: 'fewer than three samples',
    }),
  };
}

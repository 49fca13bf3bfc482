import { Type } from 'typebox';
import { printable } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import {
  type Application,
  type AppliedCondition,
  applyInputs,
  type GivenInputs,
  unitSent,
} from '../operators/apply.ts';
import { compile, type Filled } from '../operators/bytecode.ts';
import { EQUATION, type GivenLetters, readEquation } from '../operators/equation.ts';
import { kernelProgramsHere } from '../operators/half-turns.ts';
import type { Operator } from '../operators/operator.ts';
import { expressionParameters, expressionWork } from '../operators/parameters.ts';
import { operator } from '../operators/registry.ts';
import type { FinishedRun, Round, RunPlan } from '../proof/job.ts';
import { FALLBACK_NOTE, isOde, odeQuote, odeRound, UNCERTAINTY_AT } from './compute-ode.ts';
import { expressionRefusal } from './compute-refusals.ts';
import { list, optional, record, type Static } from './input.ts';
import { segmentSteps } from './layout.ts';
import { solveGates } from './solve/gates.ts';
import type { Presentation, Solver, Verdict } from './solver.ts';
import { readVerdict } from './verdict.ts';

const MODULATION = 'KO42';
const MAX_OTHERS = 3;
/** Three f64 for each program: value, its second word, uncertainty (assembly/kernels/expression.ts). */
const EXTRAS = 3;
const STATE_ROW = 40;
const MEMORY = 2 ** 20;

const input = record({
  operators: optional(
    list(
      Type.String({ minLength: 1, maxLength: 64 }),
      'Ids of operators; KO42 is implied, at most 3 others.',
      { maxItems: 64 },
    ),
  ),
  equation: optional(
    Type.String({
      maxLength: 2000,
      description: 'Free-form formula, plain text or LaTeX, in place of operators; its letters are inputs.',
    }),
  ),
  inputs: Type.Record(
    Type.String(),
    Type.Union([
      Type.Number(),
      record({
        value: Type.Number(),
        unit: optional(Type.String({ maxLength: 100 })),
        uncertainty: optional(
          Type.Number({ minimum: 0, description: 'Standard uncertainty, in the unit of the value.' }),
        ),
      }),
      Type.String({ maxLength: 200, description: 'Number, uncertainty and unit: 3 ± 0.1 km/h.' }),
    ]),
    {
      description:
        'Input name or alias: a number in the unit of the operator, {value, unit, uncertainty}, or text such as 3 km/h.',
    },
  ),
});

export type ComputeInput = Static<typeof input>;

export interface Computation {
  /** Ids as they are applied, KO42 first. */
  readonly ids: readonly string[];
  /** What the kernel evaluates: the operators behind KO42, or KO42 where it stands alone. The first gives the value. */
  readonly applications: readonly Application[];
}

/** Where a request keeps what was read from it: no JSON sees a symbol, and a WeakMap costs the collector more. */
const computed = Symbol('computation');
type Known = ComputeInput & { [computed]?: Computation };

/** Reads a request once; plan, unit, assumed and present share it. Throws the Refusals of applyInputs. */
export function computation(request: Known): Computation {
  request[computed] ??= request.equation === undefined ? ofOperators(request) : ofEquation(request);
  return request[computed];
}

function ofOperators({ operators, inputs }: ComputeInput): Computation {
  if (operators === undefined) {
    return refuse(
      'INVALID_INPUT',
      'The request names neither operators nor an equation; accepted: one of the two.',
      {
        field: 'operators',
        accepts: 'operators or equation',
      },
    );
  }
  const others = operators.filter((id) => id !== MODULATION);
  const twice = others.find((id, i) => others.indexOf(id) !== i);
  if (twice !== undefined) {
    refuse('INVALID_INPUT', `operators names ${printable(twice)} twice; accepted: each operator once.`, {
      field: 'operators',
      accepts: 'each operator once',
    });
  }
  if (others.length > MAX_OTHERS) {
    refuse(
      'TOO_MANY_OPERATORS',
      `operators names ${others.length} beside KO42; accepted: at most ${MAX_OTHERS}.`,
      {
        field: 'operators',
        accepts: `at most ${MAX_OTHERS} beside KO42`,
      },
    );
  }
  const applied = (others.length ? others : [MODULATION]).map(operator);
  refuseBeside(applied);
  return { ids: [MODULATION, ...others], applications: applyInputs(applied, inputs as GivenInputs) };
}

/** A differential equation has a job of its own. */
function refuseBeside(applied: readonly Operator[]): void {
  const one = applied.find(({ ode }) => ode !== undefined);
  if (one === undefined || applied.length === 1) return;
  refuse(
    'UNSUPPORTED',
    `${one.id} is integrated, for it has no closed form; accepted: it alone beside KO42.`,
    { field: 'operators', accepts: `${one.id} alone beside ${MODULATION}` },
  );
}

function ofEquation({ operators, equation, inputs }: ComputeInput): Computation {
  if (operators !== undefined) {
    refuse('INVALID_INPUT', 'The request names operators and an equation; accepted: one of the two.', {
      field: 'equation',
      accepts: 'operators or equation',
    });
  }
  const applications = inEquation(() =>
    applyInputs([equationOperator(equation!, lettersOf(inputs))], inputs as GivenInputs),
  );
  return { ids: [MODULATION], applications };
}

/** What names no input of the request, such as two dimensions that a sum joins, is the equation's. */
function inEquation<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal) || error.details.field !== undefined || error.code !== 'INVALID_INPUT')
      throw error;
    throw new Refusal(error.code, error.message, { field: 'equation', ...error.details });
  }
}

const equations = new Map<string, Operator>();
const CACHED_EQUATIONS = 256;

function lettersOf(inputs: ComputeInput['inputs']): GivenLetters {
  return new Map(Object.entries(inputs as GivenInputs).map(([name, given]) => [name, unitSent(given)]));
}

/** A free-form equation as an operator whose inputs are its unbound symbols. */
function equationOperator(text: string, letters: GivenLetters): Operator {
  const key = `${text}\0${JSON.stringify([...letters])}`;
  const known = equations.get(key);
  if (known) return known;
  const { expression, inputs: symbols, hasEuler } = readEquation(text, letters);
  const inputs = symbols.map((symbol) => ({
    symbol,
    aliases: [],
    meaning: 'a symbol of the equation',
    unit: 'any',
    role: 'required' as const,
    dimension: undefined,
    standard: undefined,
  }));
  const made: Operator = {
    id: EQUATION,
    name: 'free-form equation',
    equation: text,
    expression,
    program: compile(expression),
    inputs,
    byName: new Map(inputs.map((each) => [each.symbol, each])),
    fixed: new Map(),
    conditions: [],
    hasEuler,
    result: { symbol: 'value', unit: 'derived', meaning: 'value of the equation' },
  };
  if (equations.size >= CACHED_EQUATIONS) equations.clear();
  equations.set(key, made);
  return made;
}

/** Whether the request is of an operator without closed form, whose runs are those of `solve`. */
export const isIntegrated = (request: ComputeInput): boolean => computation(request).applications.some(isOde);

const ownOf = (application: Application): Filled => kernelProgramsHere(application).own;

function run(programs: readonly Filled[], label: string): RunPlan {
  const work = expressionWork(programs);
  return {
    kernel: 'expression',
    parts: [{ bytes: expressionParameters(programs) }],
    stepsPerSegment: segmentSteps(16 + STATE_ROW * programs.length, work),
    steps: 1,
    work,
    memory: MEMORY,
    label,
  };
}

/** Operators that hold only where conditions do; each has a run for them, as one block takes 8 programs. */
const conditioned = (applications: readonly Application[]): Application[] =>
  applications.filter(({ conditions }) => conditions.length > 0);

/** Conditions go first: where one does not hold, the formula need not have a value. */
function roundAfter(request: ComputeInput, finished: readonly FinishedRun[]): Round | undefined {
  const { applications } = computation(request);
  const held = conditioned(applications);
  const [ode] = applications.filter(isOde);
  if (finished.length > held.length) return ode && odeRound(ode, finished, held.length);
  if (finished.length < held.length)
    return { runs: held.map((each) => run(kernelProgramsHere(each).conditions, 'conditions')) };
  for (const [j, application] of held.entries()) refuseUnheld(application, finished[j]!);
  return ode
    ? odeRound(ode, finished, held.length)
    : { verdict: true, runs: [run(applications.map(ownOf), 'verdict')] };
}

/** @throws the Refusal of the first condition whose figure is negative */
function refuseUnheld({ operator, conditions }: Application, { result }: FinishedRun): void {
  const { extras } = readVerdict(result, compute.gates);
  conditions.forEach((condition, j) => {
    const figure = extras[EXTRAS * j]!;
    if (figure < 0) throw unheld(operator, condition, figure);
  });
}

/** What a point outside the validity of an operator is refused with: the condition in words, and its figure. */
export function unheld({ id }: Operator, { text, meaning, unit }: AppliedCondition, figure: number): Refusal {
  const measured = unit === null || unit === '1' ? `${figure}` : `${figure} ${unit}`;
  return new Refusal('INVALID_INPUT', `${id} holds only where ${meaning}; here ${text} is ${measured}.`, {
    ...{ field: 'inputs', operator: id, condition: text },
    ...{ measured: figure, unit, bound: 0, accepts: `inputs where ${meaning}` },
  });
}

/** The same request with KO42 first, inputs under their symbols, in the units in which they came. */
function canonical(request: ComputeInput): ComputeInput {
  const known = computation(request);
  const { ids, applications } = known;
  const inputs = Object.fromEntries(
    applications.flatMap(({ given }) => [...given]),
  ) as ComputeInput['inputs'];
  return request.equation === undefined
    ? { operators: [...ids], inputs }
    : { equation: request.equation, inputs };
}

function present(request: ComputeInput, verdict: Verdict): Presentation {
  const { applications } = computation(request);
  if (applications.some(isOde)) return presentOde(applications[0]!, verdict);
  const operators = applications.map(({ operator: { id, name, equation }, unit }, j) => ({
    id,
    name,
    equation,
    value: verdict.extras[EXTRAS * j]!,
    unit,
    uncertainty: verdict.extras[EXTRAS * j + 2]!,
  }));
  const { unitUnknown, operator: first } = applications[0]!;
  return {
    outputs: {
      uncertainty: verdict.extras[2]!,
      operators,
      masterEquation: `R(t) = S\\left(1+\\alpha\\sin\\frac{2\\pi t}{T}\\right),\\quad S:\\; ${first.equation}`,
      method: 'closed form',
      ...(unitUnknown.length ? { unitUnknown } : {}),
    },
    fields: [],
    plots: [],
  };
}

/** The value is that of the integral; it has no closed form to show. */
function presentOde({ operator: { id, name, equation }, unit }: Application, verdict: Verdict): Presentation {
  const uncertainty = verdict.extras[UNCERTAINTY_AT]!;
  return {
    outputs: {
      uncertainty,
      operators: [{ id, name, equation, value: verdict.value, unit, uncertainty }],
      masterEquation: `R(t) = S\\left(1+\\alpha\\sin\\frac{2\\pi t}{T}\\right),\\quad S:\\; ${equation}`,
      method: 'RK4',
      note: FALLBACK_NOTE,
    },
    fields: [],
    plots: [],
  };
}

/**
 * The front door: up to three operators of the registry behind KO42, or a free-form equation, in closed form. The
 * value is that of the first operator behind KO42 (OPEN-42); the others are listed. The conditions of the operators
 * are a run of their own, before the verdict. Refuses with UNKNOWN_OPERATOR, TOO_MANY_OPERATORS, NON_SCALAR_RESULT, INVALID_INPUT, and MISSING_INPUT whose answer is HTTP 200 (CMP-04).
 */
export const compute: Solver<ComputeInput> = {
  id: 'compute',
  title: 'Operators in closed form',
  summary:
    'Evaluates operators of the registry, or a free-form equation, in double and in double-double precision; the difference of the two is the gate. KO42 is always applied, and first.',
  equation: 'R(t) = S\\left(1+\\alpha\\sin\\frac{2\\pi t}{T}\\right),\\quad S = f(x_1, \\dots, x_n)',
  references: [
    'Y. Hida, X. S. Li, D. H. Bailey, Algorithms for quad-double precision floating point arithmetic, ARITH-15 (2001)',
    'N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. (2002), 3.3: running error analysis',
    'JCGM 100:2008, 5.1.2: propagation of uncertainty',
  ],
  input,
  missingInputIs200: true,
  gates: [
    {
      name: 'evaluation',
      quantity: 'the expression in double precision',
      source: 'the same expression in double-double precision, whose functions are other code',
    },
    {
      name: 'rounding',
      quantity: 'the value',
      source: 'running error bound of the double-double evaluation',
    },
  ],
  gatesOf: (request) => (isIntegrated(request) ? solveGates : compute.gates),
  field: false,
  outputs: {
    uncertainty: ['value', 'What the value may be off by.'],
    operators: [null, 'Every operator: its equation, value, unit and uncertainty.'],
    masterEquation: [null, 'The master equation with the operator in it, in LaTeX.'],
    unitUnknown: [null, 'Inputs whose unit is not known.'],
    method: [null, 'closed form, or RK4 where the value is of an integral.'],
    note: [null, 'Where the value is of an integral: why.'],
  },
  canonical,
  operators: (request) => computation(request).ids.slice(1),
  unit: (request) => computation(request).applications[0]!.unit,
  assumed: (request) => computation(request).applications.flatMap(({ assumed }) => assumed),
  quote(request) {
    const { applications } = computation(request);
    const held = conditioned(applications).map((each) => kernelProgramsHere(each).conditions);
    const [ode] = applications.filter(isOde);
    const blocks = ode ? held : [...held, applications.map(ownOf)];
    const work = blocks.reduce((sum, block) => sum + expressionWork(block), 0);
    if (!ode) return { work, exact: true, memory: MEMORY };
    const integral = odeQuote(ode);
    return { work: work + integral.work, exact: true, memory: integral.memory };
  },
  plan: (request) => roundAfter(request, [])!,
  next: roundAfter,
  present,
  refusalDetails: (request, status, observed) =>
    expressionRefusal(
      request.equation === undefined ? 'operators' : 'equation',
      computation(request).applications,
      status,
      observed,
    ),
  examples: [
    {
      title: 'signal-to-noise ratio',
      body: {
        operators: ['SP7'],
        inputs: { P_signal: { value: 10, unit: 'W' }, P_noise: { value: 100, unit: 'mW' } },
      },
      expect: { value: 20, unit: 'dB' },
      tolerance: 0.001,
      source: 'specification, SP7: 10·log10(P_signal/P_noise)',
    },
    {
      title: 'damped oscillation',
      body: {
        operators: ['KO42', 'ECHO5'],
        inputs: { A: { value: 2, unit: 'V' }, t: 0.1, tau: { value: 500, unit: 'ms' }, omega: 10 },
      },
      expect: { value: 0.884724227546384, unit: 'V' },
      tolerance: 0.001,
      source: 'specification, ECHO5: A·e^(−t/τ)·cos(ωt)',
    },
    {
      title: 'missing input is answered 200',
      body: { operators: ['SP7'], inputs: { P_signal: { value: 10, unit: 'W' } } },
      expect: { status: 200, value: null, inputError: { code: 'MISSING_INPUT', missing: 'P_noise' } },
      tolerance: 0,
      source: 'specification, Errors; CMP-04',
    },
  ],
};

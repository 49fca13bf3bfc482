import { Type } from 'typebox';
import type { FinishedRun } from '../proof/job.ts';
import { readDiagnostics } from './diagnostics.ts';
import { outputs } from './grid/outputs.ts';
import { choice, flag, integer, list, optional, quantity, ratio, record } from './input.ts';
import { gridExamples } from './power-flow/examples.ts';
import { type CaseName, caseNames } from './power-flow/network.ts';
import { type GridInput, MAX_BRANCHES, MAX_BUSES, quantities, readProblem } from './power-flow/problem.ts';
import { firstRound, nextRound, quoteGrid } from './power-flow/runs.ts';
import type { Assumption, Field, Presentation, Solver, Verdict } from './solver.ts';

/** Numbers before the columns of the verdict's extras. */
const SCALARS = 12;

const number = (unit: string, description: string) => quantity(unit, description);
const maybe = (unit: string, description: string) => optional(quantity(unit, description));
const status = () =>
  optional(
    Type.Union([Type.Literal(0), Type.Literal(1)], { description: 'In service 1, out of it 0; absent: 1.' }),
  );
const busNumber = (description: string) => integer(description, { minimum: 0, maximum: 1e9 });

const network = record(
  {
    baseMVA: quantity('MVA', 'Power base.', { exclusiveMinimum: 0 }),
    buses: list(
      record({
        bus: busNumber('Number of the bus.'),
        type: Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(3), Type.Literal(4)], {
          description: '1 PQ, 2 PV, 3 slack (exactly one), 4 isolated.',
        }),
        Pd: number('MW', 'Load.'),
        Qd: number('MVAr', 'Reactive load.'),
        Gs: maybe('MW', 'Shunt conductance: what it takes at 1 pu.'),
        Bs: maybe('MVAr', 'Shunt susceptance: what it feeds at 1 pu.'),
        Vm: optional(
          quantity('pu', 'Not used: the start is at set-points and 1 pu.', { exclusiveMinimum: 0 }),
        ),
        Va: maybe('deg', 'Angle of the slack; not used elsewhere.'),
        baseKV: optional(quantity('kV', 'Shown only.', { minimum: 0 })),
      }),
      'Buses.',
      { minItems: 1, maxItems: MAX_BUSES },
    ),
    generators: list(
      record({
        bus: busNumber('Its bus.'),
        Pg: number('MW', 'Output; at the slack a result.'),
        Qg: maybe('MVAr', 'Reactive output at a PQ bus.'),
        Qmax: maybe('MVAr', 'Most reactive output; with enforceQ.'),
        Qmin: maybe('MVAr', 'Least reactive output; with enforceQ.'),
        Vg: quantity('pu', 'Voltage that it keeps.', { exclusiveMinimum: 0 }),
        status: status(),
      }),
      'Generators.',
      { maxItems: MAX_BUSES },
    ),
    branches: list(
      record({
        fbus: busNumber('From bus.'),
        tbus: busNumber('To bus.'),
        r: number('pu', 'Resistance.'),
        x: number('pu', 'Reactance; r and x are not both 0.'),
        b: number('pu', 'Charging of the whole line.'),
        ratio: optional(ratio('Tap at fbus; absent or 0: a line.', { minimum: 0 })),
        angle: maybe('deg', 'Phase shift at fbus.'),
        status: status(),
      }),
      'Branches.',
      { maxItems: MAX_BRANCHES },
    ),
  },
  { description: 'An own network, with the meanings of MATPOWER, per unit on baseMVA.' },
);

const schema = record({
  case: optional(
    choice(caseNames as [CaseName, ...CaseName[]], 'A published network; ieee30 is case30 of MATPOWER.'),
  ),
  network: optional(network),
  loadScale: optional(ratio('Factor on all loads; absent: 1.', { exclusiveMinimum: 0 })),
  outages: optional(
    list(integer('Index of a branch, from 0.', { minimum: 0 }), 'Branches taken out.', {
      maxItems: MAX_BRANCHES,
    }),
  ),
  enforceQ: optional(flag('Whether generators are held between Qmin and Qmax; absent: false.')),
  quantity: choice(quantities, 'What the value is; flow: what goes into the branch at fbus.'),
  bus: optional(busNumber('Of which bus; voltage, angle.')),
  branch: optional(integer('Of which branch, from 0; flow.', { minimum: 0 })),
});

function assumed(input: GridInput): Assumption[] {
  const choices: Assumption[] = [];
  const add = (name: string, value: unknown, because: string) => choices.push({ name, value, because });
  add('start', 'flat, turned by the phase shifts on the way from the slack', 'numerical choice');
  if (input.loadScale === undefined) add('loadScale', 1, 'loads as given');
  if (input.outages === undefined) add('outages', [], 'all branches that are in service');
  if (input.enforceQ === undefined) add('enforceQ', false, 'reactive limits are not in the equations');
  return choices;
}

/** Reads what the verdict wrote; the offsets are those at the head of assembly/verdicts/grid.ts. */
function present(input: GridInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const { buses, branches } = readProblem(input);
  const [loss, lossQ, slack, slackQ, iterations, rounds, mismatch, least, leastBus, held, load, loadQ] =
    verdict.extras;
  return {
    outputs: {
      losses: { P: loss, Q: lossQ },
      slack: { P: slack, Q: slackQ },
      load: { P: load, Q: loadQ },
      lowestVoltage: { bus: leastBus, V: least },
      iterations,
      mismatch,
      ...(input.enforceQ ? { busesAtLimit: held, rounds } : {}),
    },
    fields: fieldsOf(verdict, finished.length - 1, buses.length, branches.length),
    plots: [
      { kind: 'line', title: 'voltage (pu)', x: 'bus', y: ['V'] },
      { kind: 'line', title: 'angle (deg)', x: 'bus', y: ['angle'] },
    ],
    diagnostics: readDiagnostics(verdict.extras, SCALARS + 6 * buses.length + 7 * branches.length, {
      absentMasterEquation: 'there are fewer than three buses',
    }),
  };
}

const busColumns = [
  ['bus', '1'],
  ['V', 'pu'],
  ['angle', 'deg'],
  ['P', 'MW'],
  ['Q', 'MVAr'],
  ['held', '1'],
] as const;
const branchColumns = [
  ['branch', '1'],
  ['fbus', '1'],
  ['tbus', '1'],
  ['fromP', 'MW'],
  ['fromQ', 'MVAr'],
  ['toP', 'MW'],
  ['toQ', 'MVAr'],
] as const;

function fieldsOf({ gates }: Verdict, run: number, buses: number, branches: number): Field[] {
  const first = 24 + 48 * gates.length + 8 * SCALARS;
  const columns = (from: number, count: number, named: readonly (readonly [string, string])[]): Field[] =>
    named.map(([name, unit], column) => ({
      name,
      unit,
      shape: [count],
      source: { run, of: 'result', from: from + 8 * count * column, length: 8 * count },
      sealed: true,
    }));
  return [
    ...columns(first, buses, busColumns),
    ...(branches > 0 ? columns(first + 48 * buses, branches, branchColumns) : []),
  ];
}

/** Index of the gate. */
const SECOND_FORMULATION = 2;

function refusalDetails(
  { loadScale, outages }: GridInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  if (status === 17)
    return {
      reason: 'no solution was found: possibly the voltage collapses',
      accepts: ['smaller loads (loadScale)', 'generation nearer to them', 'branches of less impedance'],
      mismatch: observed[0],
      iterations: observed[1],
      ...(loadScale === undefined ? {} : { loadScale }),
      ...(outages === undefined ? {} : { outages }),
    };
  if (status === 18 && observed[0] === SECOND_FORMULATION)
    return {
      reason:
        'two formulations end on different solutions, of which neither is known to be that of the network',
      accepts: [
        'smaller loads (loadScale)',
        'phase shifts that add up to little around every loop',
        'branches with x above 0',
      ],
    };
  if (status === 22)
    return {
      field: 'network.branches',
      reason: 'the factors fill up: too many branches between too many buses',
      accepts: 'a network of fewer meshes',
    };
  return {};
}

/**
 * Power flow of a network. In: MW, MVAr, per unit on baseMVA, degrees. Out: a voltage in pu, an angle in degrees, losses,
 * the slack's output or the flow into a branch in MW.
 */
export const grid: Solver<GridInput> = {
  id: 'grid',
  title: 'Power flow',
  summary:
    'Solves the power flow of a network with taps, phase shifters, shunts and reactive limits by Newton’s method with a sparse direct solver; every bus is recomputed branch by branch, and a second formulation must find the same voltages.',
  equation: String.raw`S_i=V_i\sum_k Y_{ik}^*V_k^*`,
  references: [
    'Tinney & Hart, IEEE Trans. PAS-86 (1967) 1449 (Newton’s method)',
    'Tinney & Walker, Proc. IEEE 55 (1967) 1801 (order of elimination)',
    'da Costa, Martins & Pereira, IEEE Trans. Power Syst. 14 (1999) 1306 (current injection)',
    'Zimmerman, Murillo-Sánchez & Thomas, IEEE Trans. Power Syst. 26 (2011) 12 (MATPOWER: model, cases)',
  ],
  input: schema,
  gates: [
    {
      name: 'power balance',
      quantity: 'ΣP generated',
      source: 'loads, shunts and the losses of every branch',
    },
    {
      name: 'bus powers',
      quantity: 'P, Q or V of the worst bus, pu',
      source: 'what the request sets; flows branch by branch',
    },
    {
      name: 'second formulation',
      quantity: 'V of the worst bus, pu',
      source: 'injected currents in rectangular form, from the start',
    },
    { name: 'table', quantity: 'V or θ of the worst bus', source: 'solution of the published case' },
    { name: 'two-bus twin', quantity: 'V₂', source: 'root of its quadratic in V₂²' },
    { name: 'limits', quantity: 'buses on the wrong side of a limit', source: 'Qmin, Qmax and set-points' },
  ],
  field: true,
  outputs,
  unit: ({ quantity }) => (quantity === 'voltage' ? 'pu' : quantity === 'angle' ? 'deg' : 'MW'),
  assumed,
  quote: quoteGrid,
  plan: firstRound,
  next: nextRound,
  present,
  refusalDetails,
  examples: gridExamples,
};

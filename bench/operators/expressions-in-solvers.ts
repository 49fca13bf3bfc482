import { quant } from '../../src/solvers/quant.ts';
import { solve } from '../../src/solvers/solve.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { inputOf } from '../../test/solvers/solver-test.ts';
import { type Figure, quick, type Row } from '../figure.ts';
import { alternatingMedians } from '../timing.ts';

const rounds = quick ? 3 : 9;
const steps = quick ? 2 ** 12 : 2 ** 18;

/** The first run of a job, which may be longer for a formula of the caller's, and how many items it makes. */
function firstRun<Input>(solver: Solver<Input>, body: object, itemsPerStep: number) {
  const plan = solver.plan(inputOf(solver, body), { requestHash: new Uint8Array(32) }).runs[0]!;
  const parts = plan.parts.map((part) => (part as { bytes: Uint8Array }).bytes);
  const bytes = new Uint8Array(Buffer.concat(parts));
  return {
    items: plan.steps! * itemsPerStep,
    run: () => runKernel(plan.kernel, bytes, plan.stepsPerSegment),
  };
}

/** Items per second of processor time. */
function rateOf({ items, run }: ReturnType<typeof firstRun>): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (items / Math.max(1, user + system)) * 1e6;
}

const market = { mode: 'option', S0: 100, r: 0.05, sigma: 0.2, T: 1, seed: 7 };
const end = steps / 64;
const duffing = { t_end: end, m: 1, c: 0.02, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1 };

/** The same formula in both forms: as the kernel has it, and as the caller writes it. */
const pairs = [
  {
    figure: 'expressions in solvers: a payoff on strips of paths',
    unit: 'paths/s',
    goal: 2,
    solver: quant,
    built: { ...market, type: 'asian-arithmetic', right: 'call', K: 100, fixings: 12 },
    own: { ...market, type: 'payoff', payoff: 'max(A - 100, 0)', fixings: 12 },
    itemsPerStep: 4096,
  },
  {
    figure: 'expressions in solvers: a right-hand side at a point',
    unit: 'steps/s',
    goal: undefined,
    solver: solve,
    built: { inputs: { ...duffing, v0: 0 }, dt: 1 / 64 },
    own: {
      equation: "x'' = (F*cos(Omega*t) - c*x' - k*x - beta*x^3)/m",
      inputs: { ...duffing, x_dot0: 0 },
      dt: 1 / 64,
    },
    itemsPerStep: 1,
  },
] as const;

export const figure: Figure = {
  title:
    'operators: the same formula built into a kernel and written by the caller → runs/s, against the built-in form',
  async run() {
    const rows: Row[] = [];
    for (const { figure: name, unit, goal, solver, built, own, itemsPerStep } of pairs) {
      const [builtIn, written] = [built, own].map((body) => firstRun(solver as Solver, body, itemsPerStep));
      const { a, b } = await alternatingMedians(rounds, {
        a: () => rateOf(builtIn!),
        b: () => rateOf(written!),
      });
      rows.push({
        ...{ figure: name, value: b, unit, against: 'the built-in form', peer: a, ratio: a / b },
        ...(goal !== undefined && { goal: `N/W ≤ ${goal}`, met: a / b <= goal }),
      });
    }
    return rows;
  },
};

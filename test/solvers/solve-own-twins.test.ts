import t from 'tap';
import { solve } from '../../src/solvers/solve.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { runJob } from './run-job.ts';
import { inputOf } from './solver-test.ts';
import { refusalOfTwin } from './twin-job.ts';

// Kernels made wrong in one place, on systems of the caller's own.

const kernel = 'assembly/kernels/solve-system.ts';
const point = 'assembly/expression/point.ts';
const twins: [string, string, string, string][] = [
  ['a product for a quotient', point, 'last = leftOf(at) / rightOf(at);', 'last = leftOf(at) * rightOf(at);'],
  ['a minus that is lost', point, 'last = -leftOf(at);', 'last = leftOf(at);'],
  ['half a step too far', kernel, 'toStage(0.0, 1.0, 0.5 * h);', 'toStage(0.0, 1.0, h);'],
  ['weights of another scheme', kernel, 'toStage(1.0, 2.0, h);', 'toStage(1.0, 1.9, h);'],
  [
    'a start that is off by a percent',
    kernel,
    'store<f64>(at(y, i), start);',
    'store<f64>(at(y, i), 1.01 * start);',
  ],
  [
    'one rate for every component',
    kernel,
    'const slope = load<f64>(<usize>load<u32>(rates + (o >> 1)))',
    'const slope = load<f64>(<usize>load<u32>(rates))',
  ],
];
/** Of instructions that are joined, kept for an instant or found again. */
const joined: [string, string, string][] = [
  ['a time that stands still', '|| atTime != reinterpret<u64>(t)', ''],
  [
    'one product for every other',
    ' && load<u32>(at, 8) == b && load<i32>(at, 20) == third',
    ' && load<i32>(at, 20) == third',
  ],
  [
    'a product that is added',
    'last = last - leftOf(at) * rightOf(at);',
    'last = last + leftOf(at) * rightOf(at);',
  ],
  ['a quotient that is turned', 'last = last / rightOf(at);', 'last = rightOf(at) / last;'],
  ['a rate that is read when it is gone', 'if (at < <u32>cell(j)) {', 'if (at < <u32>cell(0)) {'],
];
const forced = inputOf(solve, {
  equation: "v' = (F*cos(Omega*t) - c*v - k*x - beta*x^3)/m + sin(F*x) - sin(F*v); x' = v",
  inputs: { t_end: 2, v0: 0.5, x0: 1, m: 2, c: 0.2, k: 1, beta: 0.5, F: 0.3, Omega: 1.2 },
  dt: 0.05,
});
const pendulum = inputOf(solve, {
  equation: "theta'' = -g/L*sin(theta)",
  inputs: { t_end: 2, theta0: 1, theta_dot0: 0.5, g: 9.81, L: 0.7 },
  conserved: 'theta_dot^2/2 - g/L*cos(theta)',
});

const all = [
  ...twins.map(([title, ...rest]) => [title, pendulum, ...rest] as const),
  ...joined.map(([title, ...rest]) => [title, forced, point, ...rest] as const),
];
for (const [title, input, file, find, replace] of all) {
  t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
    await t.resolves(runJob(solve, input), 'the whole kernel is sealed');
    const twin = await brokenTwin(kernel, { file, find, replace });
    const refusal = await refusalOfTwin(solve, input, 'solve-system', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|DID_NOT_CONVERGE|NON_FINITE/);
  });
}

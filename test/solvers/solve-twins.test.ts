import t from 'tap';
import type { SolveInput } from '../../src/solvers/solve/problem.ts';
import { solve } from '../../src/solvers/solve.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { refusalOfTwin } from './twin-job.ts';

const file = 'assembly/kernels/solve.ts';
const free = { inputs: { t_end: 5, m: 1, c: 0.1, k: 4, x0: 1, v0: 0.5 } };
const duffing = { inputs: { t_end: 5, m: 1, k: 1, beta: 1, x0: 1, v0: 0 } };
const forced = { inputs: { t_end: 5, m: 1, c: 0.2, k: 4, F: 1.5, Omega: 1.2, x0: 1, v0: 0 } };
const fallback = { inputs: { t_end: 5, m: 1, c: 0.2, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0 } };
const relaxing = { inputs: { t_end: 4, c: 1, k: 0.3, y0: 5 } };

const twins: [string, SolveInput, string, string][] = [
  [
    'damping of the wrong sign',
    free,
    'const a3 = rate<Damper>(x3, v3, k, b, g, c)',
    'const a3 = rate<Damper>(x3, v3, k, b, g, -c)',
  ],
  ['a damper that is left out', free, 'if (damping != 0.0)', 'if (damping == 0.0)'],
  [
    'a spring twice as stiff',
    free,
    'stiffness = parameterF64(24) / inertia;',
    'stiffness = 2.0 * parameterF64(24) / inertia;',
  ],
  [
    'half a step too far',
    free,
    'const x2 = x + half * v, v2 = v + half * a1;\n    const a2 = rate',
    'const x2 = x + step * v, v2 = v + step * a1;\n    const a2 = rate',
  ],
  [
    'one step that is missing',
    free,
    'closeMotion(): void {\n  const x = load<f64>(body), v',
    'closeMotion(): void {\n  const x = load<f64>(body) - h * load<f64>(body, 8), v',
  ],
  ['a stage that is left out', duffing, 'carryV) + sixth * a4;', 'carryV);'],
  ['no cubic term', duffing, 'cubic = parameterF64(32) / inertia;', 'cubic = 0.0;'],
  [
    'a force that is half a step late',
    forced,
    'const middle = drive(origin + (<f64>i + 0.5) * step);\n    const next = drive(origin + <f64>(i + 1) * step);\n    const a1',
    'const middle = drive(origin + <f64>i * step);\n    const next = drive(origin + (<f64>i + 0.5) * step);\n    const a1',
  ],
  ['a sine for the cosine', forced, 'force * Math.cos(omega * t)', 'force * Math.sin(omega * t)'],
  ['a force of twice the frequency', forced, 'omega = parameterF64(48);', 'omega = 2.0 * parameterF64(48);'],
  [
    'a coarse step in place of each level’s own',
    fallback,
    'h = (endTime - startTime) / <f64>steps;',
    'h = (endTime - startTime) / <f64>steps * (1.0 + 1.0 / <f64>steps);',
  ],
  [
    'an explicit Euler step at the end of each',
    fallback,
    'const dx = sixth * ((v + v4) + 2.0 * (v2 + v3)) + carryX;\n    const dv = sixth * ((a1 + a4) + 2.0 * (a2 + a3)) + carryV;\n    const nextX = x + dx, nextV = v + dv;\n    carryX = dx - (nextX - x);\n    carryV = dv - (nextV - v);\n    x = nextX;\n    v = nextV;\n    now',
    'const dx = step * v + carryX;\n    const dv = step * a1 + carryV;\n    const nextX = x + dx, nextV = v + dv;\n    carryX = dx - (nextX - x);\n    carryV = dv - (nextV - v);\n    x = nextX;\n    v = nextV;\n    now',
  ],
  [
    'a rate of the wrong sign at order 1',
    relaxing,
    'const k4 = acceleration(y + step * k3, 0.0, next);',
    'const k4 = -acceleration(y + step * k3, 0.0, next);',
  ],
  [
    'a start that is off by a percent',
    relaxing,
    'const x = parameterF64(64);\n  const v = order',
    'const x = 1.01 * parameterF64(64);\n  const v = order',
  ],
];

for (const [title, input, find, replace] of twins) {
  t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
    const twin = await brokenTwin(file, { file, find, replace });
    const refusal = await refusalOfTwin(solve, input, 'solve', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|DID_NOT_CONVERGE|NON_FINITE/);
  });
}

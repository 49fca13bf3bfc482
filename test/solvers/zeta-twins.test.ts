import t from 'tap';
import type { ZetaInput } from '../../src/solvers/zeta/problem.ts';
import { zeta } from '../../src/solvers/zeta.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { refusalOfTwin } from './twin-job.ts';

t.setTimeout(300_000);

const hardy = 'assembly/zeta/hardy.ts';
const mainSum = 'assembly/zeta/main-sum.ts';
const theta = 'assembly/zeta/theta.ts';
const grid = 'assembly/zeta/grid.ts';
const search = 'assembly/zeta/search.ts';
const kernel = 'assembly/kernels/zeta.ts';

const Z = (height: number): ZetaInput => ({ mode: 'Z', t: height });
const zero = (n: number): ZetaInput => ({ mode: 'zero', n });

const twins: [title: string, input: ZetaInput, file: string, find: string, replace: string][] = [
  [
    'a remainder of the wrong sign',
    Z(1000),
    hardy,
    '(terms & 1) == 1 ? size : -size',
    '(terms & 1) == 1 ? -size : size',
  ],
  ['no C₄', Z(250), hardy, 'i * (c3 + i * f64x2.extract_lane(c4, 0))', 'i * c3'],
  [
    'one term too few',
    Z(5e6),
    hardy,
    'nearbySum(t, thetaTurns(t), terms) + remainder',
    'nearbySum(t, thetaTurns(t), terms - 1) + remainder',
  ],
  ['a height on the wrong side of its anchor', Z(5e6), mainSum, 'splat(t - a)', 'splat(a - t)'],
  ['half the Bernoulli tail', Z(40), hardy, 're += b * pr;', 're += 0.5 * b * pr;'],
  ['π/8 of the wrong sign in θ', Z(1000), theta, '* INV_PI - 0.125)', '* INV_PI + 0.125)'],
  ['no 1/48t in θ', Z(1e5), theta, '(thetaTail(t) * INV_PI - 0.125)', '-0.125'],
  ['one shift of ln Γ that is forgotten', Z(12), theta, 'j < SHIFTS; j++', 'j < SHIFTS - 1; j++'],
  ['weights 1/n', Z(300), mainSum, '1.0 / sqrt(<f64>n)', '1.0 / <f64>n'],
  ['ln n cut to 26 bits', Z(1e6), mainSum, '(turnsHigh - h) + turnsLow', '0.0 * turnsLow'],
  ['rotations by half their angle', zero(1000), grid, 'f64x2.splat(2.0 * delta)', 'f64x2.splat(delta)'],
  ['a band moved to the wrong side', zero(1000), grid, 'turns - d * centre', 'turns + d * centre'],
  [
    'terms that begin inside a block left out',
    zero(1000),
    grid,
    'let n = terms + 1; n <= last',
    'let n = last + 1; n <= last',
  ],
  ['binomials without signs', zero(1000), grid, '(i & 1) == 1 ? -binomial : binomial', 'binomial'],
  [
    'Gram points off by half',
    zero(2000),
    'assembly/zeta/gram.ts',
    '(<f64>m - anchorIndex) - anchorPart',
    '(<f64>m - anchorIndex) - anchorPart + 0.5',
  ],
  [
    'a zero that is dropped',
    zero(1000),
    kernel,
    'if ((z > 0.0) != (z1 > 0.0)) locate',
    'if ((z > 0.0) != (z1 > 0.0) && abs(t - 1419.5) > 0.5) locate',
  ],
  [
    'a zero that is counted twice',
    zero(1000),
    search,
    '  found++;\n',
    '  found++; if (b > 1419.0 && b < 1420.0 && found == 1) locate(a, fa, b, fb);\n',
  ],
  ['wide brackets', zero(1000), search, 'let half = max(tolerance,', 'let half = max(0.01,'],
  [
    'too little scanned for Turing’s bound',
    { mode: 'count', T: 1e8 },
    kernel,
    'const ZONE: i64 = 24;',
    'const ZONE: i64 = 1;',
  ],
];

for (const [title, input, file, find, replace] of twins) {
  t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
    const twin = await brokenTwin(kernel, { file, find, replace });
    const refusal = await refusalOfTwin(zeta, input, 'zeta', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|DID_NOT_CONVERGE|NON_FINITE/);
  });
}

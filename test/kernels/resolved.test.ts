import t from 'tap';
import { formulaBlock, readFormula } from '../../src/solvers/expressions.ts';
import { assemblyModule } from './assembly-module.ts';

// What a formula is over a box, and what it may hold between points: assembly/expression/{taylor,resolved}.ts.

interface Enclosure {
  memory: WebAssembly.Memory;
  configure(length: number): number;
  room(bytes: number): number;
  open(at: number, length: number, axes: number): number;
  along(value: number, lo: number, hi: number): void;
  between(value: number, lo: number, hi: number): void;
  keep(value: number, x: number): void;
  refine(value: number, away: number): void;
  lowest(k: number): number;
  highest(k: number): number;
  axis(value: number, from: number, h: number, cells: number, mean: number): void;
  hidden(series: number, limit: number): number;
}

const source = `
import { allocate } from "../kernel/frame";
export { configure } from "../kernel/frame";
import { openPrograms } from "../expression/program";
import { lower, upper } from "../expression/interval";
import {
  coefficient, keepSeries, keepValues, openKept, refineSeries, refineValues, seriesOf, setAlong, setBetween, standApart,
} from "../expression/taylor";
import { addAxis, clearAxes, hiddenPart, openResolution } from "../expression/resolved";
export function room(bytes: i32): usize { return allocate(bytes); }
export function open(at: usize, length: i32, axes: i32): i32 {
  if (!openPrograms(at, length)) return 0;
  openResolution(axes);
  openKept();
  standApart();
  return 1;
}
export function keep(i: i32, x: f64): void { keepSeries(); setAlong(i, x, x); seriesOf(0, 4); keepValues(i + 1); }
export function refine(i: i32, away: f64): void { refineSeries(away, 4); refineValues(i + 1); }
export function along(i: i32, lo: f64, hi: f64): void { setAlong(i, lo, hi); }
export function between(i: i32, lo: f64, hi: f64): void { setBetween(i, lo, hi); }
export function lowest(k: i32): f64 { return lower(coefficient(seriesOf(0, 4), k)); }
export function highest(k: i32): f64 { return upper(coefficient(seriesOf(0, 4), k)); }
export function axis(i: i32, from: f64, h: f64, cells: i32, mean: f64): void { addAxis(i, from, h, cells, mean); }
export function hidden(series: i32, limit: f64): f64 { const part = hiddenPart(0, series, limit); clearAxes(); return part; }
`;

const names = ['x', 'y', 't'];
const module = await assemblyModule<Enclosure>(source);
module.configure(8);

function opened(text: string, axes = 1): void {
  const place = { field: 'formula', parametersField: 'parameters' };
  const formula = readFormula(
    text,
    names.map((name) => ({ name })),
    place,
  );
  const { bytes } = formulaBlock([formula], names, []);
  const at = module.room(bytes.length);
  new Uint8Array(module.memory.buffer).set(bytes, at);
  t.ok(module.open(at, bytes.length, axes), text);
}

/** Coefficients 0 … 4 over [lo, hi]. */
function seriesOf(text: string, lo: number, hi: number): [number, number][] {
  opened(text);
  module.along(0, lo, hi);
  module.between(1, 2, 2);
  return [0, 1, 2, 3, 4].map((k) => [module.lowest(k), module.highest(k)]);
}

// f⁽ᵏ⁾(x)/k! at 0.7, y = 2: mpmath 1.3.0, taylor(f, 0.7, 4), 30 digits.
const known: Readonly<Record<string, readonly number[]>> = {
  'x^3 - 2*x + y': [0.943, -0.53, 2.1, 1.0, 0.0],
  '1/(x + y)': [
    0.37037037037037035, -0.13717421124828533, 0.05080526342529086, -0.018816764231589206,
    0.006969171937625632,
  ],
  'exp(-((x - 0.4)/0.3)^2)': [
    0.36787944117144233, -2.4525296078096157, 4.087549346349359, 9.083442991887464, -37.847679132864435,
  ],
  'expm1(2*x)': [
    3.0551999668446745, 8.110399933689349, 8.110399933689349, 5.406933289126233, 2.7034666445631164,
  ],
  'ln(x)*y': [
    -0.7133498878774648, 2.857142857142857, -2.0408163265306123, 1.9436345966958213, -2.0824656393169514,
  ],
  'log10(x) + log2(x)': [
    -0.6694751328155014, 2.681413603988879, -1.9152954314206279, 1.8240908870672645, -1.9543830932863548,
  ],
  'log1p(x^2)': [
    0.3987761199573678, 0.9395973154362416, 0.22971938200981937, -0.3540965514683973, 0.17244408593081037,
  ],
  'sin(3*x)*cos(x)': [
    0.6602189400721825, -1.7144775384370754, -2.32540233061208, 4.911874388299349, 2.1150867108276463,
  ],
  'sin(x)/x': [
    0.9203109817681301, -0.22209827783377378, -0.14287223683581676, 0.021997912792955286,
    0.006920701202783581,
  ],
  'tan(x)': [
    0.8422883804630794, 1.7094497158631172, 1.4398496326574164, 1.7825851871557474, 1.981400667879362,
  ],
  'tanh(2*x)': [
    0.8853516482022625, 0.4323049180510744, -0.7654837434449255, 0.7790380304605727, -0.35880021730112427,
  ],
  'sinh(x) + cosh(2*x)': [
    2.909482167232674, 5.063772008534011, 4.681088781706047, 2.7482635028738693, 1.4655399645054077,
  ],
  'atan(3*x)': [
    1.1263771168937977, 0.5545286506469501, -0.6457542512154871, 0.6951478296246288, -0.6771262217159058,
  ],
  'asin(x)': [
    0.7753974966107531, 1.4002800840280099, 0.9609765282545165, 1.7765952623192742, 3.6761693410736025,
  ],
  'acos(x^2)': [
    1.0587065738607488, -1.606015799503962, -1.8720698146042365, -2.380407580808616, -5.392392732219745,
  ],
  'asinh(2*x)': [
    1.1379820462933674, 1.1624763874381927, -0.5498199129775236, 0.2582809115016681, -0.057733098970430254,
  ],
  'acosh(x + y)': [
    1.650193454979475, 0.39872611141445, -0.0855771463290155, 0.026169148360243803, -0.009506384781052092,
  ],
  'atanh(x)': [
    0.8673005276940532, 1.9607843137254901, 2.6912725874663592, 6.206763110216533, 15.417132469530468,
  ],
  'erf(x)': [
    0.6778011938374184, 0.6912748604105385, -0.483892402287377, -0.004608499069403591, 0.16291044210341693,
  ],
  'erfc(2*x)': [
    0.04771488023735119, -0.3178834153545558, 0.8900735629927561, -1.2376260971137372, 0.5459117853022237,
  ],
  'sqrt(x)': [
    0.8366600265340756, 0.5976143046671968, -0.21343368023828457, 0.15245262874163185, -0.13611841851931414,
  ],
  'cbrt(x)': [
    0.8879040017426008, 0.42281142940123845, -0.20133877590535162, 0.1597926792899616, -0.15218350408567774,
  ],
  'x^1.7': [
    0.5453391388693144, 1.3243950515397636, 0.6621975257698818, -0.09459964653855453, 0.04392126446432889,
  ],
  'x^(-3)': [
    2.9154518950437316, -12.494793835901708, 35.69941095971917, -84.99859752314087, 182.13985183530187,
  ],
  'x^x': [0.779055912670449, 0.5011861886935787, 0.7176813255195356, 0.1275758785357352, 0.33825433243053865],
  'y^x': [
    1.624504792712471, 1.1260209168747677, 0.3902491118916349, 0.09016669054123645, 0.015624696832269783,
  ],
  'atan2(x, y)': [
    0.33667481938672716, 0.44543429844098, -0.0694440999796628, -0.018633319858791693, 0.012090653862263403,
  ],
  'abs(x - 2)': [1.3, -1.0, 0.0, 0.0, 0.0],
  'min(x, y) + max(x^2, y)': [2.7, 1.0, 0.0, 0.0, 0.0],
};

for (const [text, coefficients] of Object.entries(known))
  t.test(`${text} has its Taylor coefficients`, (t) => {
    for (const width of [0, 1e-3, 0.1]) {
      const found = seriesOf(text, 0.7 - width, 0.7 + width);
      for (const [k, [lo, hi]] of found.entries())
        t.ok(
          lo <= coefficients[k]! && coefficients[k]! <= hi,
          `${k}: ${lo} ≤ ${coefficients[k]} ≤ ${hi} over ±${width}`,
        );
      if (width === 0)
        for (const [k, [lo, hi]] of found.entries())
          t.ok(hi - lo <= 1e-9 * Math.max(1, Math.abs(coefficients[k]!)), `${k}: ${hi - lo} wide`);
    }
    t.end();
  });

t.test('a series over a box holds that of every point in it', (t) => {
  for (const text of Object.keys(known)) {
    const around = seriesOf(text, 0.55, 0.85);
    for (let i = 0; i < 8; i++) {
      const inside = seriesOf(text, 0.55 + 0.0375 * i, 0.55 + 0.0375 * i);
      const holds = inside.every(([lo, hi], k) => around[k]![0] <= lo && hi <= around[k]![1]);
      if (!holds) t.fail(`${text} at ${i}: ${JSON.stringify(inside)} in ${JSON.stringify(around)}`);
    }
  }
  t.end();
});

t.test('from a point inside, a series over a box holds that of every point in it, and is narrower', (t) => {
  const refined = (text: string): [number, number][] => {
    opened(text);
    module.between(1, 2, 2);
    module.keep(0, 0.7);
    module.along(0, 0.55, 0.85);
    module.refine(0, 0.15);
    return [0, 1, 2, 3, 4].map((k) => [module.lowest(k), module.highest(k)]);
  };
  for (const text of Object.keys(known)) {
    const [around, over] = [refined(text), seriesOf(text, 0.55, 0.85)];
    for (const [k, [lo, hi]] of around.entries())
      t.ok(over[k]![0] <= lo && hi <= over[k]![1], `${text}: ${k} inside`);
    for (let i = 0; i <= 8; i++) {
      const inside = seriesOf(text, 0.55 + 0.0375 * i, 0.55 + 0.0375 * i);
      const holds = inside.every(([lo, hi], k) => around[k]![0] <= lo + 1e-12 && hi - 1e-12 <= around[k]![1]);
      if (!holds) t.fail(`${text} at ${i}: ${JSON.stringify(inside)} in ${JSON.stringify(around)}`);
    }
  }
  const [lo, hi] = refined('x*(1.4 - x)')[0]!;
  t.ok(hi - lo < 0.1, `${lo} to ${hi} of 0.4675 to 0.49, where the box alone gives 0.3025 to 0.7225`);
  t.end();
});

// Taylor coefficients 0 … 3 at two points of the box around the zero: mpmath, 40 digits.
const cancelling: Record<string, [zero: number, ...[offset: number, coefficients: number[]][]]> = {
  'x/(1 - exp(-x))': [
    0,
    [0.3, [1.157488774053025, 0.5498504807005264, 0.08258733437690848, -0.001648921478199506]],
    [-0.1, [0.950833194477505, 0.4833388869054231, 0.08325004958003585, 0.000554894642606738]],
  ],
  'sin(x)/x': [
    0,
    [0.3, [0.9850673555377986, -0.09910288804064188, -0.16219071763342635, 0.009893231486084515]],
    [-0.1, [0.9983341664682815, 0.03330001190255757, -0.16616696420856505, -0.003329366622274366]],
  ],
  '(exp(x) - 1)/x': [
    0,
    [0.3, [1.1661960252533436, 0.6122092744088647, 0.20906709793045603, 0.05303123332959278]],
    [-0.1, [0.9516258196404043, 0.46788401604444696, 0.15465307026467165, 0.03846833925345058]],
  ],
  'ln(1 + x)/x': [
    0,
    [0.3, [0.8745475482249702, -0.3510559299806698, 0.18399313938329778, -0.1075703139004277]],
    [-0.1, [1.053605156578263, -0.575059545328481, 0.42224405288802963, -0.3500331793958812]],
  ],
  '0.1*(x + 40)/(1 - exp(-(x + 40)/10))': [
    -40,
    [0.3, [1.015074998875024, 0.050499985000482125, 0.0008332583373510217, -1.6664881064875473e-7]],
    [-0.1, [0.9950083333194445, 0.0498333338888869, 0.0008333250000496029, 5.555489418452378e-8]],
  ],
};

for (const [text, [zero, ...places]] of Object.entries(cancelling))
  t.test(`${text} has no pole at ${zero}`, (t) => {
    for (const width of [0.4, 0.31, 0.3001]) {
      const found = seriesOf(text, zero - width, zero + width);
      for (const [offset, coefficients] of places)
        for (const [k, y] of coefficients.entries()) {
          const [lo, hi] = found[k]!;
          t.ok(lo <= y && y <= hi && hi - lo < 4, `${k} at ${offset}: ${lo} ≤ ${y} ≤ ${hi}`);
        }
    }
    t.end();
  });

for (const text of [
  '(x + 1e-9)/(1 - exp(-x))',
  'sin(x + 1e-12)/x',
  '(1 - cos(x))/x^2',
  '(1 - exp(-y*x))/(x*(x - 1e-9))',
])
  t.test(`${text} may have one`, (t) => {
    const [[lo, hi]] = seriesOf(text, -0.4, 0.4) as [[number, number]];
    t.same([lo, hi], [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
    t.end();
  });

/** Between the nodes of a line of unit length, in the mean over 8 cells, of what is allowed. */
function onLine(text: string, cells: number, limit = 1e-3): number {
  opened(text);
  module.axis(0, 0, 1 / cells, cells, 8);
  return module.hidden(1024, limit) / limit;
}

for (const [text, cells] of [
  ['sin(pi*x)', 16],
  ['sin(8*pi*x)', 64],
  ['exp(-((x - 0.31)/0.08)^2)', 64],
  ['exp(-((x - 0.31)/0.02)^2)', 256],
  ['3*x^3 - x + 1', 16],
  ['1/(1 + 25*(x - 0.5)^2)', 64],
  ['x*(1 - x)*exp(-3*x)*sin(5*x)', 32],
  ['max(0, 1 - 4*abs(x - 0.3))', 512],
  ['tanh((x - 0.4)/0.05)', 128],
  ['floor(x + 0.0001)*0', 16],
] as const)
  t.test(`${text} is seen by ${cells} cells`, (t) => {
    const part = onLine(text, cells);
    t.ok(part <= 1, `${part} of what is allowed`);
    t.end();
  });

for (const [text, cells] of [
  ['cos(128*pi*x)', 64],
  ['0.01*cos(256*pi*x)', 64],
  ['exp(-((x - 0.3337)/0.0003)^2)', 64],
  ['0.1*exp(-((x - 0.3337)/1e-9)^2)', 1024],
  ['1e-6/((x - 0.3337)^2 + 1e-6)', 64],
  ['sin(24*pi*x)', 64],
  ['1/(x - 0.7001)', 64],
  ['floor(x + 0.4321)', 64],
  ['mod(x, 0.0101)', 64],
] as const)
  t.test(`${text} is not seen by ${cells} cells`, (t) => {
    const part = onLine(text, cells);
    t.ok(part > 1, `${part} of what is allowed`);
    t.end();
  });

/** In the unit square and time. */
function inSpace(text: string, cells: readonly number[]): number {
  opened(text, cells.length);
  cells.forEach((n, value) => void module.axis(value, 0, 1 / n, n, 8));
  return module.hidden(256 * 4 ** cells.length, 1e-3) / 1e-3;
}

for (const [text, cells] of [
  ['exp(-((x - 0.5)^2 + (y - 0.4)^2)/0.02)', [64, 64]],
  ['sin(pi*x)*sin(2*pi*y)', [32, 32]],
  ['exp(-((x - 0.5)^2 + (y - 0.4)^2)/0.02)*sin(10*t)^2', [96, 96, 200]],
  ['x*sin(20*y - 5*t)', [64, 96, 128]],
] as const)
  t.test(`${text} is seen by ${cells.join(' × ')} cells`, (t) => {
    const part = inSpace(text, cells);
    t.ok(part <= 1, `${part} of what is allowed`);
    t.end();
  });

for (const [text, cells] of [
  ['exp(-((x - 0.5011)^2 + (y - 0.4011)^2)/1e-6)', [64, 64]],
  ['sin(pi*x)*cos(64*pi*y)', [32, 32]],
  ['sin(pi*x)*sin(pi*y)*(1 + 100*exp(-((t - 0.33337)/0.0003)^2))', [64, 64, 100]],
] as const)
  t.test(`${text} is not seen by ${cells.join(' × ')} cells`, (t) => {
    const part = inSpace(text, cells);
    t.ok(part > 1, `${part} of what is allowed`);
    t.end();
  });

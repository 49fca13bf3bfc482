// A kernel for the tests alone: every function of AssemblyScript's Math that a kernel may use, and those of
// assembly/math, on the same arguments. One step takes a block of arguments; its rows are the values.
//
// Parameters: f64 index of the function, then f64 arguments, a multiple of BLOCK of them.
// A NaN in a row is written as 0x7ff8000000000000: engines do not agree on its bits.

/** Functions of (x, y), as AssemblyScript. x is any pattern of bits, y the argument before it. */
const elementary = {
  exp: 'Math.exp(x)',
  log: 'Math.log(x)',
  sin: 'Math.sin(x)',
  cos: 'Math.cos(x)',
  tan: 'Math.tan(x)',
  pow: 'Math.pow(x, y)',
  'pow of small numbers': 'Math.pow(abs(moderate(x)), moderate(y))',
  atan: 'Math.atan(x)',
  atan2: 'Math.atan2(y, x)',
  asin: 'Math.asin(x)',
  acos: 'Math.acos(x)',
  cbrt: 'Math.cbrt(x)',
  tanh: 'Math.tanh(x)',
  sinh: 'Math.sinh(x)',
  cosh: 'Math.cosh(x)',
  log1p: 'Math.log1p(x)',
  expm1: 'Math.expm1(x)',
  log10: 'Math.log10(x)',
  log2: 'Math.log2(x)',
  hypot: 'Math.hypot(x, y)',
};

/** Operations of WebAssembly itself. The second would differ if an engine fused it. */
const operations = {
  'x + y': 'x + y',
  'x · y + x, rounded twice': 'x * y + x',
  'x · x − y · y, rounded thrice': 'x * x - y * y',
  'x ÷ y': 'x / y',
  sqrt: 'sqrt(x)',
  nearest: 'nearest(x)',
  'floor, ceil, trunc': 'floor(x) + ceil(y) * trunc(x)',
  'min, max, copysign': 'min(x, y) + copysign(max(x, y), x)',
  'to f32 and back': '<f64><f32>x',
  'to i32 and back': '<f64><i32>moderate(x)',
  'from u64': '<f64>reinterpret<u64>(x)',
  'two lanes, rounded each time': 'lanes(x, y)',
  'two lanes, smaller and larger': 'lanesOrdered(x, y)',
};

const doubleDouble = {
  ddAdd: 'dd(ddAdd(x, tiny(x), y, tiny(y)), low)',
  ddMul: 'dd(ddMul(x, tiny(x), y, tiny(y)), low)',
  ddDiv: 'dd(ddDiv(x, tiny(x), y, tiny(y)), low)',
  ddLog: 'dd(ddLog(abs(moderate(x)) + 1e-300, 0), low)',
  squareRoot: 'dd(squareRoot(abs(x), 0), tail)',
  ddExp: 'dd(ddExp(x, tiny(x)), tail)',
  ddExpm1: 'dd(ddExpm1(moderate(x), 0), tail)',
  ddLn: 'dd(ddLn(x, tiny(x)), tail)',
  ddLog1p: 'dd(ddLog1p(moderate(x), 0), tail)',
  ddSin: 'dd(ddSin(x, tiny(x)), tail)',
  ddCos: 'dd(ddCos(x, tiny(x)), tail)',
  ddTan: 'dd(ddTan(moderate(x), 0), tail)',
  ddSinPi: 'dd(ddSinPi(moderate(x), 0), tail)',
  ddAtan2: 'dd(ddAtan2(y, 0, x, 0), tail)',
  ddAsin: 'dd(ddAsin(0.02 * moderate(x), 0), tail)',
  ddSinh: 'dd(ddSinh(moderate(x), 0), tail)',
  ddTanh: 'dd(ddTanh(moderate(x), 0), tail)',
  ddPow: 'dd(ddPow(abs(moderate(x)), 0, moderate(y), 0), tail)',
  ddCbrt: 'dd(ddCbrt(x, 0), tail)',
  ddMod: 'dd(ddMod(moderate(x), 0, moderate(y), 0), tail)',
};

const special = {
  'normal quantile': 'normal(inUnit(x))',
  agm: 'agm(1.0, inUnit(x))',
  ellipticK: 'ellipticK(inUnit(x))',
  'jacobi sn, cn, dn': 'jacobiOf(moderate(x), inUnit(y))',
  'Bessel ratio': 'besselRatio(1 + <i32>(8.0 * inUnit(y)), moderate(x))',
  'divided difference of exp': 'dividedOf(moderate(x), moderate(y))',
  philox: 'philoxOf(reinterpret<u64>(x), reinterpret<u64>(y))',
  'Richardson estimate': 'estimateOfLevels(x, y, moderate(x), 4.0, 1.0)',
  'dot of a block': 'dot(block, block, BLOCK, scratch) * moderate(x)',
  'sum of a block': 'sum(block, BLOCK, scratch) + x',
};

const functions: Readonly<Record<string, string>> = {
  ...elementary,
  ...operations,
  ...doubleDouble,
  ...special,
};

/** In the order of their indices. */
export const functionNames: readonly string[] = Object.keys(functions);

/** Arguments to a step. */
export const BLOCK = 256;

const cases = Object.values(functions).map((expression, i) => `    case ${i}: return ${expression};`);

export const mathKernelSource = `
import { allocate, appendRow, countStep, finish, openResult, openRows, openState, parameterF64, parameters,
  parametersLength, restoreState, rowsFull, running, spend, stepsDone } from "../kernel/frame";
import { ddAdd, ddDiv, ddLog, ddMul, low } from "../math/dd";
import { ddAsin, ddAtan2, ddCbrt, ddCos, ddExp, ddExpm1, ddLn, ddLog1p, ddMod, ddPow, ddSin, ddSinh, ddSinPi, ddTan,
  ddTanh, squareRoot, tail } from "../math/dd-functions";
import { agm, ellipticK, jacobi } from "../math/jacobi";
import { besselRatio } from "../math/bessel";
import { dividedExp2 } from "../math/divided-exp";
import { normal } from "../math/normal";
import { philox } from "../math/philox";
import { dot, sum } from "../math/reduce";
import { estimateOfLevels } from "../math/richardson";
export { configure, status, state, stateLength, drain, drainLength, observe, observeLength,
  result, resultLength, work } from "../kernel/frame";

const BLOCK: i32 = ${BLOCK};
let blocks: u64 = 0;
let block: usize = 0;
let scratch: usize = 0;

/** The bits of x as a number of (0, 1), and of about ±50: for functions that are made for such. */
function inUnit(x: f64): f64 {
  return (<f64>((reinterpret<u64>(x) * 0x9e3779b97f4a7c15) >> 12) + 0.5) * 2.220446049250313e-16;
}
function moderate(x: f64): f64 { return abs(x) < 50.0 ? x : 100.0 * inUnit(x) - 50.0; }
function tiny(x: f64): f64 { return x * 5e-17; }
function dd(hi: f64, lo: f64): f64 { store<f64>(scratch, lo); return hi; }

function lanes(x: f64, y: f64): f64 {
  const a = f64x2.replace_lane(f64x2.splat(x), 1, y), b = f64x2.replace_lane(f64x2.splat(y), 1, moderate(x));
  const c = f64x2.add(f64x2.mul(a, b), f64x2.div(a, f64x2.sqrt(f64x2.abs(b))));
  store<f64>(scratch, f64x2.extract_lane(c, 1));
  return f64x2.extract_lane(c, 0);
}
function lanesOrdered(x: f64, y: f64): f64 {
  const a = f64x2.replace_lane(f64x2.splat(x), 1, y), b = f64x2.replace_lane(f64x2.splat(y), 1, -x);
  const c = f64x2.max(f64x2.min(a, b), f64x2.pmin(b, f64x2.nearest(a)));
  store<f64>(scratch, f64x2.extract_lane(c, 1));
  return f64x2.extract_lane(c, 0);
}
function jacobiOf(u: f64, n: f64): f64 {
  jacobi(u, n, 1.0 - n, scratch, scratch + 32);
  return load<f64>(scratch, 8) + load<f64>(scratch, 16);
}
function dividedOf(x: f64, y: f64): f64 {
  dividedExp2(x, y, y, -x, scratch);
  return load<f64>(scratch, 8);
}
function philoxOf(counter: u64, key: u64): f64 {
  philox(<u32>counter, <u32>(counter >> 32), 3, 4, <u32>key, <u32>(key >> 32), scratch);
  return <f64>load<u32>(scratch, 8) + 4294967296.0 * <f64>load<u32>(scratch, 12);
}

function valueOf(index: i32, x: f64, y: f64): f64 {
  switch (index) {
${cases.join('\n')}
    default: return NaN;
  }
}

function canonical(x: f64): f64 { return x == x ? x : reinterpret<f64>(0x7ff8000000000000); }

function layout(): void {
  openState(8);
  openRows(BLOCK * 16);
  openResult(8);
  scratch = allocate(4096);
  blocks = <u64>((parametersLength() - 8) / (BLOCK * 8));
}

export function start(budget: i32): i32 { layout(); return 1; }
export function restore(length: i32): usize { layout(); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }

export function advance(steps: i32, budget: i32): i32 {
  let taken = 0;
  for (; taken < steps && running() && !rowsFull(BLOCK * 16); taken++) {
    block = parameters() + 8 + <usize>stepsDone() * (BLOCK * 8);
    takeBlock();
    countStep();
    spend(BLOCK * 100);
    if (stepsDone() == blocks) finish();
  }
  return taken;
}

/** A row of the values, then a row of what else a function gave. */
function takeBlock(): void {
  const index = <i32>parameterF64(0);
  const row = appendRow(BLOCK * 16);
  for (let i = 0; i < BLOCK; i++) {
    const x = load<f64>(block + (<usize>i << 3)), y = load<f64>(block + (<usize>((i + 37) % BLOCK) << 3));
    store<f64>(scratch, 0.0);
    const value = valueOf(index, x, y);
    store<f64>(row + (<usize>i << 4), canonical(value));
    store<f64>(row + (<usize>i << 4), canonical(load<f64>(scratch)), 8);
  }
}
`;

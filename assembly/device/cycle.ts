// One V-cycle for A = −∇·(λ²∇) + d on the control volumes of a plane: z ≈ A⁻¹ r, symmetric and positive, so that it may stand
// before conjugate gradients (Trottenberg, Oosterlee & Schüller, Multigrid, §2.4, 5.1, 7.8).
//
// From grid to grid an axis has half its cells, rounded up, unless its cells are much the longer ones: where one coupling
// is the stronger, only along it are errors smooth (semi-coarsening, §5.1.2). The last grid is one row or one column of
// unknowns and is eliminated. Values are linear between the nodes of a coarser grid; residuals and d, which are integrals
// over volumes, go the transposed way.
//
// Smoothing is a damped step of Jacobi before and after. With −N for what A has beside its diagonal D:
//   z = ω D⁻¹ r,  r − A z = (1 − ω) r + N z        z ← (1 − ω) z + ω D⁻¹ (r + N z)
// so that D itself is never needed.
//
// A field is ny + 1 rows of `strideOf(nx)` bytes, its first and nx-th numbers at contacts, where 1/D = 0 and so z = 0.

import { allocate } from "../kernel/frame";

const DAMPING: f64 = 0.8;
/** How many times longer cells are along one axis where the other is coarsened alone. */
const STRETCH: f64 = 1.5;
const MOST_GRIDS: i32 = 32;

/** Of a grid: nx, ny, λ² h_y/h_x, λ² h_x/h_y, 1/D, z, r, and where columns and rows lie on the coarser one. */
const ENTRY: usize = 64;
let table: usize = 0, last: i32 = 0;
let padding: usize = 0, line: usize = 0, other: usize = 0;

@inline function entry(k: i32): usize { return table + <usize>k * ENTRY; }
@inline function columnsOf(k: i32): i32 { return load<i32>(entry(k)); }
@inline function rowsOf(k: i32): i32 { return load<i32>(entry(k), 4); }
@inline function alongX(k: i32): f64 { return load<f64>(entry(k), 8); }
@inline function alongY(k: i32): f64 { return load<f64>(entry(k), 16); }
@inline function inverseOf(k: i32): usize { return load<usize>(entry(k), 24); }
@inline function solutionOf(k: i32): usize { return load<usize>(entry(k), 32); }
@inline function residualOf(k: i32): usize { return load<usize>(entry(k), 40); }
@inline function coarseColumns(k: i32): usize { return load<usize>(entry(k), 48); }
@inline function coarseRows(k: i32): usize { return load<usize>(entry(k), 56); }
@inline function number(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** Bytes of a row: nx + 1 numbers and a zero or two, in pairs. */
@inline export function strideOf(nx: i32): usize { return <usize>((nx + 3) & ~1) << 3; }
/** Height of the volumes of row j, over h_y. */
@inline function shareOf(j: i32, ny: i32): f64 { return ny > 0 && (j == 0 || j == ny) ? 0.5 : 1.0; }

// ---- grids -----------------------------------------------------------------------------------------------

/** Grids below nx × ny cells of hx × hy; `inverse`: 1/D of the finest. */
export function layGrids(nx: i32, ny: i32, hx: f64, hy: f64, lambda2: f64, inverse: usize): void {
  table = allocate(<usize>MOST_GRIDS * ENTRY);
  padding = allocate(strideOf(nx) + 32) + 16;
  line = allocate(strideOf(max(nx, ny)) + 32) + 16;
  other = allocate(strideOf(max(nx, ny)) + 32) + 16;
  layGrid(0, nx, ny, lambda2 * hy / hx, lambda2 * hx / hy, inverse, 0, 0);
  last = 0;
  while (nx > 2 && ny > 0) {
    const m = hx <= STRETCH * hy ? max(2, (nx + 1) >> 1) : nx, n = hy <= STRETCH * hx ? (ny == 1 ? 0 : (ny + 1) >> 1) : ny;
    store<usize>(entry(last), layPlaces(nx, m), 48);
    store<usize>(entry(last), layPlaces(ny, n), 56);
    hx *= <f64>nx / <f64>m;
    if (n > 0) hy *= <f64>ny / <f64>n;
    nx = m; ny = n;
    const field = strideOf(nx) * <usize>(ny + 1);
    last++;
    layGrid(last, nx, ny, lambda2 * hy / hx, lambda2 * hx / hy, allocate(field), allocate(field + 32) + 16, allocate(field + 32) + 16);
  }
}

function layGrid(k: i32, nx: i32, ny: i32, cx: f64, cy: f64, inverse: usize, z: usize, r: usize): void {
  const at = entry(k);
  store<i32>(at, nx); store<i32>(at, ny, 4); store<f64>(at, cx, 8); store<f64>(at, cy, 16);
  store<usize>(at, inverse, 24); store<usize>(at, z, 32); store<usize>(at, r, 40);
}

/** Of the n + 1 nodes the one of m + 1 to their left, and how far they lie from it towards the next. */
function layPlaces(n: i32, m: i32): usize {
  const places = allocate(<usize>(n + 1) << 4);
  for (let i = 0; i <= n; i++) {
    const whole = n > 0 ? i * m / n : 0;
    store<i32>(places + (<usize>i << 4), whole);
    store<f64>(places + (<usize>i << 4), n > 0 ? <f64>(i * m - whole * n) / <f64>n : 0.0, 8);
  }
  return places;
}

/** D⁻¹ of all grids; of the finest d stands at `d`, and becomes D. */
export function layDiagonals(d: usize): void {
  for (let k = 0; k < last; k++) {
    const m = columnsOf(k + 1), n = rowsOf(k + 1), to = inverseOf(k + 1), from = k == 0 ? d : inverseOf(k);
    memory.fill(to, 0, strideOf(m) * <usize>(n + 1));
    for (let j = 0, ny = rowsOf(k); j <= ny; j++) spreadRow(k, j, from + strideOf(columnsOf(k)) * <usize>j, to);
  }
  for (let k = 0; k <= last; k++) {
    const nx = columnsOf(k), ny = rowsOf(k), stride = strideOf(nx);
    for (let j = 0; j <= ny; j++) {
      const to = inverseOf(k) + stride * <usize>j, from = k == 0 ? d + stride * <usize>j : to;
      const edges = 2.0 * alongX(k) * shareOf(j, ny) + (ny == 0 ? 0.0 : alongY(k) * (j == 0 || j == ny ? 1.0 : 2.0));
      for (let i = 1; i < nx; i++) {
        const D = number(from, i) + edges;
        if (k == 0) put(from, i, D);
        put(to, i, 1.0 / D);
      }
      put(to, 0, 0.0); put(to, nx, 0.0);
    }
  }
}

// ---- between grids -----------------------------------------------------------------------------------------

/** What row j of a field of integrals brings to the coarser grid at `to`. */
function spreadRow(k: i32, j: i32, row: usize, to: usize): void {
  const nx = columnsOf(k), m = columnsOf(k + 1), stride = strideOf(m);
  gatherColumns(k, nx, m, row);
  const place = coarseRows(k) + (<usize>j << 4), first = to + stride * <usize>load<i32>(place), weight = load<f64>(place, 8);
  addRow(first, other, 1.0 - weight, stride);
  if (weight > 0.0) addRow(first + stride, other, weight, stride);
}

/** A row of integrals on coarser columns, to `other`. */
function gatherColumns(k: i32, nx: i32, m: i32, row: usize): void {
  if (nx == m) { memory.copy(other, row, <usize>nx << 3); }
  else if (nx == 2 * m) {
    for (let i = 1, at = row + 16; i < m; i++, at += 16) put(other, i, load<f64>(at) + 0.5 * (load<f64>(at - 8) + load<f64>(at, 8)));
  } else {
    memory.fill(other, 0, strideOf(m));
    for (let i = 1, place = coarseColumns(k) + 16; i < nx; i++, place += 16) {
      const at = other + (<usize>load<i32>(place) << 3), weight = load<f64>(place, 8), value = number(row, i);
      store<f64>(at, load<f64>(at) + (1.0 - weight) * value);
      store<f64>(at, load<f64>(at, 8) + weight * value, 8);
    }
  }
  const end = <usize>m << 3;
  put(other, 0, 0.0);
  memory.fill(other + end, 0, strideOf(m) - end);
}

function addRow(to: usize, from: usize, factor: f64, bytes: usize): void {
  const f = f64x2.splat(factor);
  for (let b: usize = 0; b < bytes; b += 16) v128.store(to + b, f64x2.add(v128.load(to + b), f64x2.mul(f, v128.load(from + b))));
}

/** Row j of z, from the coarser grid, is added to it. */
function correctRow(k: i32, j: i32, row: usize): void {
  const nx = columnsOf(k), m = columnsOf(k + 1), stride = strideOf(m);
  const place = coarseRows(k) + (<usize>j << 4), first = solutionOf(k + 1) + stride * <usize>load<i32>(place), weight = load<f64>(place, 8);
  let from = first;
  if (weight > 0.0) {
    const a = f64x2.splat(1.0 - weight), b = f64x2.splat(weight);
    for (let at: usize = 0; at < stride; at += 16) v128.store(other + at, f64x2.add(f64x2.mul(a, v128.load(first + at)), f64x2.mul(b, v128.load(first + stride + at))));
    from = other;
  }
  if (nx == m) { addRow(row, from, 1.0, stride); return; }
  if (nx == 2 * m) {
    for (let i = 0, to = row; i < m; i++, to += 16) {
      const left = number(from, i), middle = 0.5 * (left + number(from, i + 1));
      v128.store(to, f64x2.add(v128.load(to), f64x2.replace_lane(f64x2.splat(left), 1, middle)));
    }
    return;
  }
  for (let i = 1, at = coarseColumns(k) + 16; i < nx; i++, at += 16) {
    const left = from + (<usize>load<i32>(at) << 3), w = load<f64>(at, 8);
    put(row, i, number(row, i) + (1.0 - w) * load<f64>(left) + w * load<f64>(left, 8));
  }
}

// ---- on a grid -----------------------------------------------------------------------------------------------

/** z = ω D⁻¹ r. */
function begin(k: i32, z: usize, r: usize): void {
  const bytes = strideOf(columnsOf(k)) * <usize>(rowsOf(k) + 1), inverse = inverseOf(k), w = f64x2.splat(DAMPING);
  for (let b: usize = 0; b < bytes; b += 16) v128.store(z + b, f64x2.mul(w, f64x2.mul(v128.load(inverse + b), v128.load(r + b))));
}

/** r − A z of row j = (1 − ω) r + N z, to the coarser grid. */
function passDown(k: i32, z: usize, r: usize): void {
  const nx = columnsOf(k), ny = rowsOf(k), stride = strideOf(nx), to = residualOf(k + 1);
  const y = f64x2.splat(alongY(k)), rest = f64x2.splat(1.0 - DAMPING);
  memory.fill(to, 0, strideOf(columnsOf(k + 1)) * <usize>(rowsOf(k + 1) + 1));
  for (let j = 0; j <= ny; j++) {
    const here = z + stride * <usize>j, below = j > 0 ? here - stride : padding, above = j < ny ? here + stride : padding;
    const source = r + stride * <usize>j, x = f64x2.splat(alongX(k) * shareOf(j, ny));
    for (let b: usize = 0; b < stride; b += 16) {
      const sides = f64x2.add(v128.load(here + b - 8), v128.load(here + b + 8)), ends = f64x2.add(v128.load(below + b), v128.load(above + b));
      const beside = f64x2.add(f64x2.mul(x, sides), f64x2.mul(y, ends));
      v128.store(line + b, f64x2.add(f64x2.mul(rest, v128.load(source + b)), beside));
    }
    spreadRow(k, j, line, to);
  }
}

/** z ← (1 − ω) z + ω D⁻¹ (r + N z) with the coarser grid's z; says r·z. */
function passUp(k: i32, z: usize, r: usize): f64 {
  const nx = columnsOf(k), ny = rowsOf(k), stride = strideOf(nx), inverse = inverseOf(k);
  const y = f64x2.splat(alongY(k)), w = f64x2.splat(DAMPING), rest = f64x2.splat(1.0 - DAMPING);
  let sum = f64x2.splat(0);
  for (let j = 0; j <= ny; j++) correctRow(k, j, z + stride * <usize>j);
  memory.fill(line, 0, stride);
  for (let j = 0; j <= ny; j++) {
    const here = z + stride * <usize>j, above = j < ny ? here + stride : padding;
    const source = r + stride * <usize>j, D = inverse + stride * <usize>j, x = f64x2.splat(alongX(k) * shareOf(j, ny));
    let left = f64x2.splat(0);
    for (let b: usize = 0; b < stride; b += 16) {
      // The row below, and the number to the left, as they were.
      const c = v128.load(here + b), next = v128.load(here + b + 16);
      const sides = f64x2.add(v128.shuffle<f64>(left, c, 1, 2), v128.shuffle<f64>(c, next, 1, 2));
      const beside = f64x2.add(f64x2.mul(x, sides), f64x2.mul(y, f64x2.add(v128.load(line + b), v128.load(above + b))));
      const s = v128.load(source + b), value = f64x2.add(f64x2.mul(rest, c), f64x2.mul(f64x2.mul(w, v128.load(D + b)), f64x2.add(s, beside)));
      v128.store(line + b, c);
      v128.store(here + b, value);
      left = c;
      sum = f64x2.add(sum, f64x2.mul(s, value));
    }
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** The last grid, by elimination along its row or its column of unknowns (Thomas). */
function eliminate(k: i32, z: usize, r: usize): f64 {
  const nx = columnsOf(k), ny = rowsOf(k), isRow = ny == 0, from = isRow ? 1 : 0, to = isRow ? nx - 1 : ny;
  const step: usize = isRow ? 8 : strideOf(nx), at: usize = isRow ? 0 : 8, coupling = isRow ? alongX(k) : alongY(k);
  let before = 0.0, share = 0.0;
  for (let i = from; i <= to; i++) {
    const place = at + step * <usize>i, pivot = 1.0 / load<f64>(inverseOf(k) + place) - coupling * share;
    before = (load<f64>(r + place) + coupling * before) / pivot;
    share = coupling / pivot;
    put(line, i, share);
    store<f64>(z + place, before);
  }
  let sum = 0.0;
  for (let i = to; i >= from; i--) {
    const place = at + step * <usize>i;
    if (i < to) store<f64>(z + place, load<f64>(z + place) + number(line, i) * load<f64>(z + place + step));
    sum += load<f64>(z + place) * load<f64>(r + place);
  }
  return sum;
}

/** z ≈ A⁻¹ r on the finest grid; says r·z. */
export function cycle(z: usize, r: usize): f64 {
  if (last == 0) return eliminate(0, z, r);
  for (let k = 0; k < last; k++) {
    const solution = k == 0 ? z : solutionOf(k), rest = k == 0 ? r : residualOf(k);
    begin(k, solution, rest);
    passDown(k, solution, rest);
  }
  eliminate(last, solutionOf(last), residualOf(last));
  for (let k = last - 1; k > 0; k--) passUp(k, solutionOf(k), residualOf(k));
  return passUp(0, z, r);
}

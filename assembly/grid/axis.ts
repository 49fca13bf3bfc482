// One axis of a box on a grid of vertices: n cells of width dx, nodes 0 … n, an end at each side. The second
// difference along it is (T₋ − 2T + T₊)/dx², with these ends:
//
//   FIXED     the node keeps its value
//   NATURAL   ∂T/∂ν = (γ − βT)/dx outward: by the ghost node, 2(T₁ − T₀ − βT₀ + γ)/dx². β = γ = 0: no flux.
//             With conductivity k: β = h dx/k and γ = (q + h T∞) dx/k (Morton & Mayers, §2.13)
//   PERIODIC  node n is node 0
//
// An axis is a block of 96 bytes in memory that the kernel allocates.

export namespace End {
  export const FIXED: i32 = 0;
  export const NATURAL: i32 = 1;
  export const PERIODIC: i32 = 2;
}

export const AXIS_BYTES: usize = 96;

/** `ends`: two times four f64 {kind, fixed value, β/dx [1/m], γ/dx}, the lower end first. No cells: no axis. */
export function layAxis(axis: usize, cells: i32, length: f64, ends: usize): void {
  const dx = cells > 0 ? length / <f64>cells : 1.0;
  store<i32>(axis, cells);
  store<i32>(axis, <i32>load<f64>(ends), 4);
  store<i32>(axis, <i32>load<f64>(ends, 32), 8);
  store<f64>(axis, dx, 16);
  for (let side: usize = 0; side < 2; side++) {
    const end = ends + 32 * side, to = axis + 24 + 24 * side;
    store<f64>(to, load<f64>(end, 8));
    store<f64>(to, load<f64>(end, 16) * dx, 8);
    store<f64>(to, load<f64>(end, 24) * dx, 16);
  }
}

@inline export function cellsOf(axis: usize): i32 { return load<i32>(axis); }
@inline export function lowerKind(axis: usize): i32 { return load<i32>(axis, 4); }
@inline export function upperKind(axis: usize): i32 { return load<i32>(axis, 8); }
@inline export function widthOf(axis: usize): f64 { return load<f64>(axis, 16); }
@inline export function lowerValue(axis: usize): f64 { return load<f64>(axis, 24); }
@inline export function lowerBeta(axis: usize): f64 { return load<f64>(axis, 32); }
@inline export function lowerGamma(axis: usize): f64 { return load<f64>(axis, 40); }
@inline export function upperValue(axis: usize): f64 { return load<f64>(axis, 48); }
@inline export function upperBeta(axis: usize): f64 { return load<f64>(axis, 56); }
@inline export function upperGamma(axis: usize): f64 { return load<f64>(axis, 64); }
@inline export function isPeriodic(axis: usize): bool { return lowerKind(axis) == End.PERIODIC; }

/** First and last node that a step changes, a periodic axis' last node apart, which is a copy. */
@inline export function firstFree(axis: usize): i32 { return lowerKind(axis) == End.FIXED && cellsOf(axis) > 0 ? 1 : 0; }
@inline export function lastFree(axis: usize): i32 {
  return cellsOf(axis) == 0 || upperKind(axis) == End.NATURAL ? cellsOf(axis) : cellsOf(axis) - 1;
}

/** Share of a cell that belongs to node i: of a fixed node none, of a natural end half. An axis that is none: 1. */
export function shareOf(axis: usize, i: i32): f64 {
  if (cellsOf(axis) == 0) return 1.0;
  if (i < firstFree(axis) || i > lastFree(axis)) return 0.0;
  return (i == 0 || i == cellsOf(axis)) && !isPeriodic(axis) ? 0.5 : 1.0;
}

// Parameters of the N-body kernels `multibody` and `multibody-radau15`, little-endian f64 by index.
//
//    0  N, number of bodies
//    1  n, number of steps (radau15: the fewest, t_max / dt)
//    2  t0, time label of the start (s)
//    3  t_max, length of the run (s)
//    4  G (m³ kg⁻¹ s⁻²)
//    5  ε, softening (m), 0 = none
//    6  scheme: 0 leapfrog, 1 pefrl, 2 yoshida6, 3 radau15
//    7  force: 0 direct sum, 1 tree
//    8  θ, opening angle of the tree
//    9  every how many steps a row is kept (radau15: number of equal time intervals with a row at each end)
//   10  S, how many bodies a row shows
//   11  radau15: most work units allowed
//   12  radau15: ε of the step controller
//   13  1 = the run goes on from the state that follows (./continued.ts), 0 = it starts from x and v
//   14  tree: K, of how many bodies the result shows acceleration and potential
//   16  m[N] (kg), x[N][3] (m), v[N][3] (m/s): the first start also of a run that goes on; then the state if 13 says so

import { parameterF64, parameters } from "../kernel/frame";

export const HEADER_F64: i32 = 16;

@inline export function bodyCount(): i32 { return <i32>parameterF64(0); }
@inline export function stepCount(): u64 { return <u64>parameterF64(8); }
@inline export function startTime(): f64 { return parameterF64(16); }
@inline export function duration(): f64 { return parameterF64(24); }
@inline export function gravity(): f64 { return parameterF64(32); }
@inline export function softening(): f64 { return parameterF64(40); }
@inline export function schemeCode(): i32 { return <i32>parameterF64(48); }
@inline export function usesTree(): bool { return parameterF64(56) != 0; }
@inline export function openingAngle(): f64 { return parameterF64(64); }
@inline export function sampling(): u64 { return <u64>parameterF64(72); }
@inline export function shownBodies(): i32 { return <i32>parameterF64(80); }
@inline export function workLimit(): u64 { return <u64>parameterF64(88); }
@inline export function controllerEpsilon(): f64 { return parameterF64(96); }
@inline export function sampledBodies(): i32 { return <i32>parameterF64(112); }
@inline export function isContinued(): bool { return parameterF64(104) != 0; }

@inline export function massesGiven(): usize { return parameters() + <usize>HEADER_F64 * 8; }
@inline export function positionsGiven(): usize { return massesGiven() + <usize>bodyCount() * 8; }
@inline export function velocitiesGiven(): usize { return positionsGiven() + <usize>bodyCount() * 24; }
/** Where the state to go on from begins, or a verdict's own parameters. */
export function runParametersEnd(): usize { return velocitiesGiven() + <usize>bodyCount() * 24; }

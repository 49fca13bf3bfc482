// Power flow by injected currents in rectangular form (da Costa, Martins & Pereira, IEEE Trans. Power Syst. 14 (1999)
// 1306): unknowns V = e + jf,
//
//   PQ   Σ Y_ik V_k = (S_i/V_i)*  in both parts        PV   Re(V_i I_i*) = P_i,  e² + f² = V_g²
//
// Types and held limits are those that the polar run ended with; the start is the polar one's.

import { blockAt, openRow } from "./blocks";
import {
  activeAt, buses, conductance, layStartAngles, leastReactive, mostReactive, neighbour, reactiveAt, rowStart, setPoint,
  susceptance,
} from "./network";
import { first, flagOf, second, setResidual, setUnknowns, Type, typeNow, unknownsAt } from "./state";

let real: f64 = 0, imaginary: f64 = 0;

export function startCurrent(): void {
  layStartAngles(unknownsAt());
  for (let i = 0; i < buses(); i++) {
    const type = typeNow(i), V = type == Type.ISOLATED ? 0.0 : type == Type.PQ ? 1.0 : setPoint(i);
    setUnknowns(i, V * Math.cos(first(i)), V * Math.sin(first(i)));
  }
}

function currentAt(i: i32): void {
  real = 0.0;
  imaginary = 0.0;
  for (let at = rowStart(i); at < rowStart(i + 1); at++) {
    const k = neighbour(at), G = conductance(at), B = susceptance(at);
    real += G * first(k) - B * second(k);
    imaginary += G * second(k) + B * first(k);
  }
}

@inline function wanted(i: i32): f64 {
  const flag = flagOf(i);
  return flag == 0.0 ? reactiveAt(i) : flag > 0.0 ? mostReactive(i) : leastReactive(i);
}

export function mismatchCurrent(): f64 {
  let most = 0.0;
  for (let i = 0; i < buses(); i++) {
    const type = typeNow(i), e = first(i), f = second(i), square = e * e + f * f;
    if (type == Type.SLACK || type == Type.ISOLATED) { setResidual(i, 0.0, 0.0); continue; }
    currentAt(i);
    let a = 0.0, b = 0.0;
    if (type == Type.PV) {
      a = activeAt(i) - (e * real + f * imaginary);
      b = setPoint(i) * setPoint(i) - square;
    } else {
      a = (activeAt(i) * e + wanted(i) * f) / square - real;
      b = (activeAt(i) * f - wanted(i) * e) / square - imaginary;
    }
    setResidual(i, a, b);
    most = max(most, max(abs(a), abs(b)));
  }
  return most;
}

/** Opens row i of the Jacobian of what the equations give, by (e, f). */
export function rowCurrent(i: i32): void {
  openRow(i);
  const type = typeNow(i), own = blockAt(i), e = first(i), f = second(i);
  if (type == Type.SLACK || type == Type.ISOLATED) { store<f64>(own, 1.0); store<f64>(own, 1.0, 24); return; }
  for (let at = rowStart(i); at < rowStart(i + 1); at++) {
    const k = neighbour(at), other = typeNow(k), to = blockAt(k), G = conductance(at), B = susceptance(at);
    if (other == Type.SLACK || other == Type.ISOLATED) continue;
    if (type == Type.PV) {
      store<f64>(to, e * G + f * B);
      store<f64>(to, f * G - e * B, 8);
    } else {
      store<f64>(to, G); store<f64>(to, -B, 8); store<f64>(to, B, 16); store<f64>(to, G, 24);
    }
  }
  if (type == Type.PV) addVoltage(i, own, e, f);
  else addLoad(own, activeAt(i), wanted(i), e, f);
}

function addVoltage(i: i32, own: usize, e: f64, f: f64): void {
  currentAt(i);
  store<f64>(own, load<f64>(own) + real);
  store<f64>(own, load<f64>(own, 8) + imaginary, 8);
  store<f64>(own, 2.0 * e, 16);
  store<f64>(own, 2.0 * f, 24);
}

/** Less the derivatives of (S/V)* = (Pe + Qf, Pf − Qe)/(e² + f²). */
function addLoad(own: usize, P: f64, Q: f64, e: f64, f: f64): void {
  const square = e * e + f * f, x = (P * e + Q * f) / square, y = (P * f - Q * e) / square;
  store<f64>(own, load<f64>(own) - (P - 2.0 * e * x) / square);
  store<f64>(own, load<f64>(own, 8) - (Q - 2.0 * f * x) / square, 8);
  store<f64>(own, load<f64>(own, 16) - (-Q - 2.0 * e * y) / square, 16);
  store<f64>(own, load<f64>(own, 24) - (P - 2.0 * f * y) / square, 24);
}

export function moveCurrent(before: usize, step: usize, part: f64): void {
  for (let i = 0; i < buses(); i++) {
    const at = <usize>i << 4;
    setUnknowns(i, load<f64>(before + at) + part * load<f64>(step + at), load<f64>(before + at, 8) + part * load<f64>(step + at, 8));
  }
}

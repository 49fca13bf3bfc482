// Power flow in polar form (Tinney & Hart, IEEE Trans. PAS-86 (1967) 1449): unknowns θ_i, V_i, with θ_ik = θ_i − θ_k
//
//   P_i = V_i Σ V_k (G_ik cos θ_ik + B_ik sin θ_ik),   Q_i = V_i Σ V_k (G_ik sin θ_ik − B_ik cos θ_ik)
//
// The Jacobian is of (P, Q) by (θ, ln V); a PV bus keeps V, the slack keeps both.

import { blockAt, openRow } from "./blocks";
import {
  activeAt, buses, conductance, layStartAngles, leastReactive, mostReactive, neighbour, reactiveAt, rowStart, setPoint,
  susceptance,
} from "./network";
import { first, flagOf, second, setFlag, setResidual, setType, setUnknowns, Type, typeNow, unknownsAt } from "./state";

let active: f64 = 0, reactive: f64 = 0;

export function startPolar(): void {
  layStartAngles(unknownsAt());
  for (let i = 0; i < buses(); i++) {
    const type = typeNow(i);
    setUnknowns(i, first(i), type == Type.PV || type == Type.SLACK ? setPoint(i) : type == Type.PQ ? 1.0 : 0.0);
  }
}

function powerAt(i: i32): void {
  const theta = first(i), V = second(i);
  let p = 0.0, q = 0.0;
  for (let at = rowStart(i); at < rowStart(i + 1); at++) {
    const k = neighbour(at), angle = theta - first(k), c = Math.cos(angle), s = Math.sin(angle), G = conductance(at), B = susceptance(at);
    p += second(k) * (G * c + B * s);
    q += second(k) * (G * s - B * c);
  }
  active = V * p;
  reactive = V * q;
}

/** Power that a bus is to feed: at a limit its reactive power is that limit. */
@inline function wantedReactive(i: i32): f64 {
  const flag = flagOf(i);
  return flag == 0.0 ? reactiveAt(i) : flag > 0.0 ? mostReactive(i) : leastReactive(i);
}

/** The largest mismatch, pu; the residuals are what is missing. */
export function mismatchPolar(): f64 {
  let most = 0.0;
  for (let i = 0; i < buses(); i++) {
    const type = typeNow(i);
    if (type == Type.SLACK || type == Type.ISOLATED) { setResidual(i, 0.0, 0.0); continue; }
    powerAt(i);
    const p = activeAt(i) - active, q = type == Type.PV ? 0.0 : wantedReactive(i) - reactive;
    setResidual(i, p, q);
    most = max(most, max(abs(p), abs(q)));
  }
  return most;
}

/** Opens row i of the Jacobian. */
export function rowPolar(i: i32): void {
  openRow(i);
  const type = typeNow(i), own = blockAt(i), keepsV = type != Type.PQ, keepsAngle = type == Type.SLACK || type == Type.ISOLATED;
  if (keepsAngle) { store<f64>(own, 1.0); store<f64>(own, 1.0, 24); return; }
  powerAt(i);
  const first_ = rowStart(i), theta = first(i), V = second(i), G = conductance(first_) * V * V, B = susceptance(first_) * V * V;
  store<f64>(own, -reactive - B);
  store<f64>(own, keepsV ? 0.0 : active + G, 8);
  store<f64>(own, keepsV ? 0.0 : active - G, 16);
  store<f64>(own, keepsV ? 1.0 : reactive - B, 24);
  for (let at = first_ + 1; at < rowStart(i + 1); at++) {
    const k = neighbour(at), other = typeNow(k), to = blockAt(k), angle = theta - first(k), c = Math.cos(angle), s = Math.sin(angle);
    if (other == Type.SLACK || other == Type.ISOLATED) continue;
    const size = V * second(k), H = size * (conductance(at) * s - susceptance(at) * c), N = size * (conductance(at) * c + susceptance(at) * s);
    store<f64>(to, H);
    if (other == Type.PQ) store<f64>(to, N, 8);
    if (!keepsV) store<f64>(to, -N, 16);
    if (!keepsV && other == Type.PQ) store<f64>(to, H, 24);
  }
}

/** The unknowns after `part` of the step (Δθ, ΔV/V) from those at `before`. */
export function movePolar(before: usize, step: usize, part: f64): void {
  for (let i = 0; i < buses(); i++) {
    const at = <usize>i << 4, V = load<f64>(before + at, 8);
    setUnknowns(i, load<f64>(before + at) + part * load<f64>(step + at), typeNow(i) == Type.PQ ? V + part * V * load<f64>(step + at, 8) : V);
  }
}

/**
 * Generators that leave their reactive limits are held there; one that is held and would come back by itself, because the
 * voltage is past its set-point, is let go. True where something changed.
 */
export function holdLimits(): bool {
  let changed = false;
  for (let i = 0; i < buses(); i++) {
    const flag = flagOf(i);
    if (typeNow(i) == Type.PV) {
      powerAt(i);
      const over = reactive > mostReactive(i) + 1e-9, under = reactive < leastReactive(i) - 1e-9;
      if (!over && !under) continue;
      setFlag(i, over ? 1.0 : -1.0);
      setType(i, Type.PQ);
      changed = true;
    } else if (flag != 0.0 && flag * (second(i) - setPoint(i)) > 1e-9) {
      setFlag(i, 0.0);
      setType(i, Type.PV);
      setUnknowns(i, first(i), setPoint(i));
      changed = true;
    }
  }
  return changed;
}

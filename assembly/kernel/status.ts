// Status codes of a kernel: part of every segment digest, so that a refusal can be disputed like a result.
// From 16 on a code is an error of the catalogue in src/errors/catalogue.ts (field `kernelStatus`), which a
// test holds against this file. A number is never reused.
export namespace Status {
  export const RUNNING: i32 = 0;
  export const FINISHED: i32 = 1;
  export const NON_FINITE: i32 = 16;
  export const DID_NOT_CONVERGE: i32 = 17;
  export const OUTSIDE_TOLERANCE: i32 = 18;
  export const ENERGY_NOT_CONSERVED: i32 = 19;
  export const INVALID_INPUT: i32 = 20;
  export const STABILITY_LIMIT: i32 = 21;
  export const LIMIT_EXCEEDED: i32 = 22;
  export const UNDER_CONSTRAINED: i32 = 23;
  export const UNSUPPORTED: i32 = 24;
  export const NON_SCALAR_RESULT: i32 = 25;
  export const NEGATIVE_CONCENTRATION: i32 = 26;
  export const EULER_INVALID: i32 = 27;
  export const RESONANCE: i32 = 28;
}

import type { Refused } from '../solver-test.ts';

const suns = { M: 1.98841e31 };
const orbit = { ...suns, mode: 'orbit', E: 0.957727194617729, L: 16779782976556.5, quantity: 'advance' };
const { quantity: _, ...withoutQuantity } = orbit;
const { L: __, ...withoutL } = orbit;

export const refused: readonly Refused[] = [
  { title: 'no mass', body: { mode: 'horizon' }, code: 'MISSING_INPUT', field: 'M' },
  { title: 'no mode', body: suns, code: 'MISSING_INPUT', field: 'mode' },
  { title: 'no impact parameter', body: { ...suns, mode: 'deflection' }, code: 'MISSING_INPUT', field: 'b' },
  {
    title: 'no eccentricity',
    body: { ...suns, mode: 'precession', a: 1e6 },
    code: 'MISSING_INPUT',
    field: 'e',
  },
  { title: 'no angular momentum', body: withoutL, code: 'MISSING_INPUT', field: 'L' },
  { title: 'an orbit without a question', body: withoutQuantity, code: 'MISSING_INPUT', field: 'quantity' },
  { title: 'no radius', body: { ...suns, mode: 'frequency' }, code: 'MISSING_INPUT', field: 'r' },
  {
    title: 'a radius of a horizon',
    body: { ...suns, mode: 'horizon', r: 1 },
    code: 'INVALID_INPUT',
    field: 'r',
  },
  { title: 'a mass of zero', body: { M: 0, mode: 'horizon' }, code: 'INVALID_INPUT', field: 'M' },
  { title: 'spin', body: { ...suns, mode: 'isco', spin: 0.5 }, code: 'UNSUPPORTED', field: 'spin' },
  {
    title: 'a captured ray',
    body: { ...suns, mode: 'deflection', b: 76727 },
    code: 'INVALID_INPUT',
    field: 'b',
  },
  {
    title: 'a ray too far',
    body: { ...suns, mode: 'deflection', b: 1e20 },
    code: 'LIMIT_EXCEEDED',
    field: 'b',
  },
  {
    title: 'a plunging orbit',
    body: { ...suns, mode: 'precession', a: 9e4, e: 0.2 },
    code: 'INVALID_INPUT',
    field: 'a',
  },
  {
    title: 'no ellipse',
    body: { ...suns, mode: 'precession', a: 1e7, e: 1 },
    code: 'INVALID_INPUT',
    field: 'e',
  },
  { title: 'an orbit that is not bound', body: { ...orbit, E: 1 }, code: 'INVALID_INPUT', field: 'E' },
  { title: 'an orbit without energy', body: { ...orbit, E: 0.9 }, code: 'INVALID_INPUT', field: 'E' },
  {
    title: 'an orbit that plunges',
    body: { ...orbit, L: 1.6e13, E: 0.99 },
    code: 'INVALID_INPUT',
    field: 'E',
  },
  { title: 'too little angular momentum', body: { ...orbit, L: 1e13 }, code: 'INVALID_INPUT', field: 'L' },
  {
    title: 'a circle of light',
    body: { ...suns, mode: 'frequency', r: 44298 },
    code: 'INVALID_INPUT',
    field: 'r',
  },
];

import type { Refused } from '../solver-test.ts';

const classical = { sigma: 10, rho: 28, beta: 8 / 3 };
const motion = { ...classical, mode: 'trajectory', x0: 1, y0: 1, z0: 1, t_max: 10 };
const { t_max: _, ...withoutEnd } = motion;
const { z0: __, ...withoutZ } = motion;
const { x0: ___, y0: ____, ...withoutStart } = withoutZ;
const exponents = { ...classical, mode: 'exponents', t_max: 100 };

export const refused: readonly Refused[] = [
  { title: 'no mode', body: { ...classical }, code: 'MISSING_INPUT', field: 'mode' },
  {
    title: 'no parameter',
    body: { mode: 'fixed-point', sigma: 10, rho: 28 },
    code: 'MISSING_INPUT',
    field: 'beta',
  },
  { title: 'a parameter of zero', body: { ...motion, sigma: 0 }, code: 'INVALID_INPUT', field: 'sigma' },
  { title: 'a negative parameter', body: { ...motion, rho: -1 }, code: 'INVALID_INPUT', field: 'rho' },
  { title: 'no end', body: withoutEnd, code: 'MISSING_INPUT', field: 't_max' },
  {
    title: 'no time of the chains',
    body: { ...classical, mode: 'exponents' },
    code: 'MISSING_INPUT',
    field: 't_max',
  },
  { title: 'half a start', body: withoutZ, code: 'MISSING_INPUT', field: 'z0' },
  { title: 'no start', body: withoutStart, code: 'MISSING_INPUT', field: 'x0' },
  {
    title: 'two starts',
    body: { ...motion, initialState: { x: 1, y: 1, z: 1 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { x: 1, y: 1 } },
    code: 'MISSING_INPUT',
    field: 'initialState.z',
  },
  { title: 'a seed of a trajectory', body: { ...motion, seed: 1 }, code: 'INVALID_INPUT', field: 'seed' },
  { title: 'a start of exponents', body: { ...exponents, x0: 1 }, code: 'INVALID_INPUT', field: 'x0' },
  {
    title: 'an end of a fixed point',
    body: { ...classical, mode: 'fixed-point', t_max: 1 },
    code: 'INVALID_INPUT',
    field: 't_max',
  },
  { title: 'a very long run', body: { ...motion, t_max: 1e9 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  { title: 'very long chains', body: { ...exponents, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a motion beyond its horizon',
    body: { ...motion, t_max: 60 },
    code: 'DID_NOT_CONVERGE',
    field: 't_max',
  },
  {
    title: 'chains that are too short',
    body: { ...exponents, t_max: 20000, seed: 1 },
    code: 'DID_NOT_CONVERGE',
  },
];

import { solvers } from '../solvers/registry.ts';

/** A request whose runs are among the probes of the self-test. */
export interface ProbeRequest {
  readonly solver: string;
  readonly title: string;
  readonly body: unknown;
}

/** Examples that take more than half a second; their kernels have others, or a smaller request below. */
const tooLong = new Set([
  ...['Lyapunov exponents', 'L-shaped cavity', 'reflection at ε_r 1 → 4', 'lid-driven cavity, Re 100'],
  ...['Taylor–Green decay', "Cook's membrane", 'U(1) Wilson loop 2×2', 'Z2 plaquette', 'SU(2) plaquette'],
]);

const silicon = { temperature: 300, epsR: 11.7, ni: 1e16 };
const cavity = { case: 'cavity', nu: 1, Lx: 1, Ly: 1, U: 1, lidProfile: 'regularised' };
const corner = [
  [1, 1],
  [1, 0],
];
const junction = [
  [-1e22, -1e22, 1e22, 1e22],
  [-1e22, -1e22, -1e22, 1e22],
];
const quartic = { type: 'polynomial', terms: [{ c: 1, powers: [4] }] };
const room = {
  ...{ analysis: 'forced', c: 343, rho: 1.204, frequency: 210, u0: 1e-3, probe: [1.5, 0.25] },
  domain: { type: 'mask', cells: [[1, 1, 1]], h: 0.5 },
  boundary: { right: 'rigid', bottom: 'rigid', top: 'rigid' },
};

/** Small ones for kernels that no short example reaches. */
const small: readonly ProbeRequest[] = [
  {
    solver: 'schrodinger',
    title: 'p² + x⁴ in sinc functions',
    body: {
      ...{ mode: 'eigen1d', units: 'reduced', mass: 0.5, potential: quartic, domain: [-5, 5] },
      ...{ scheme: 'dvr', N: 128, n: 1 },
    },
  },
  {
    solver: 'device',
    title: 'a junction in the plane',
    body: { ...silicon, Lx: 3e-6, Ly: 1e-6, N: 48, quantity: 'Vbi', doping: junction },
  },
  { solver: 'flow', title: 'a slow cavity', body: { ...cavity, N: 64, quantity: 'psiMin' } },
  {
    solver: 'lorenz',
    title: 'exponents of a fixed point',
    body: { mode: 'exponents', sigma: 10, rho: 10, beta: 8 / 3, t_max: 2000 },
  },
  {
    solver: 'acoustic',
    title: 'modes of an L of few cells',
    body: {
      ...{ analysis: 'modes', c: 343, boundary: 'rigid', count: 2, N: 8 },
      domain: { type: 'mask', cells: corner, h: 1 },
    },
  },
  { solver: 'acoustic', title: 'a driven cavity of cells', body: room },
  {
    solver: 'acoustic',
    title: 'a mode of one cell between walls that take',
    body: {
      ...{ analysis: 'modes', c: 343, rho: 1.204, count: 1, N: 8 },
      ...{ boundary: { type: 'impedance', Z: 4130 }, domain: { type: 'mask', cells: [[1]], h: 1 } },
    },
  },
];

/** What is computed to find the probes: an example that is refused says so by `expect.status`. */
export const probeRequests = (): readonly ProbeRequest[] => [
  ...solvers.flatMap(({ id, examples }) =>
    examples
      .filter(({ title, expect }) => !('status' in expect) && !tooLong.has(title))
      .map(({ title, body }) => ({ solver: id, title, body })),
  ),
  ...small,
];

import type { Example, Probe } from '../solver.ts';

const junction = {
  dim: 1,
  temperature: 300,
  epsR: 11.7,
  ni: 1e16,
  Na: 1e22,
  Nd: 1e22,
  Lp: 1e-6,
  Ln: 1e-6,
};

export const deviceExamples: readonly Example[] = [
  {
    title: 'built-in potential',
    body: {
      ...junction,
      ni: { value: 1e10, unit: 'cm^-3' },
      Na: { value: 1e16, unit: 'cm^-3' },
      Nd: { value: 1e16, unit: 'cm^-3' },
      quantity: 'Vbi',
    },
    expect: { value: 0.714317152, unit: 'V' },
    tolerance: 1e-3,
    source: '(kT/q)(asinh Nd/2ni + asinh Na/2ni)',
  },
  {
    title: 'largest field',
    body: { ...junction, quantity: 'Emax' },
    expect: { value: 3201237.98, unit: 'V/m' },
    tolerance: 1e-3,
    source: 'first integral of Poisson’s equation, without the depletion approximation',
  },
  {
    title: 'uniform n bar, current density',
    body: {
      doping: 1e21,
      L: 1e-5,
      temperature: 300,
      epsR: 11.7,
      ni: 1e16,
      V: 0.01,
      mun: 0.135,
      mup: 0.048,
      recombination: 'none',
      quantity: 'J',
    },
    expect: { value: 21629.384559, unit: 'A/m^2' },
    tolerance: 1e-3,
    source: 'J = qµnE',
  },
];

export const deviceProbes: readonly Probe[] = [
  {
    title: 'a junction in the plane',
    body: {
      ...{ temperature: 300, epsR: 11.7, ni: 1e16, Lx: 3e-6, Ly: 1e-6, N: 48, quantity: 'Vbi' },
      doping: [
        [-1e22, -1e22, 1e22, 1e22],
        [-1e22, -1e22, -1e22, 1e22],
      ],
    },
  },
];

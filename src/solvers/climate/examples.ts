import type { Example } from '../solver.ts';

const year = (value: number, unit: string) => ({ value, unit });

export const climateExamples: readonly Example[] = [
  {
    title: 'effective temperature',
    body: { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 1, steady: true },
    expect: { value: 254.57814, unit: 'K' },
    tolerance: 1e-6,
    source: '(S₀(1 − α)/4σ)^(1/4)',
  },
  {
    title: 'one grey layer',
    body: { model: 'grey', S0: 1361, albedo: 0.3, n: 1 },
    expect: { value: 302.74614, unit: 'K' },
    tolerance: 1e-6,
    source: 'T_e 2^(1/4)',
  },
  {
    title: 'forcing of doubled CO₂',
    body: { model: 'forcing', co2: 560, co2Ref: 280, quantity: 'forcing' },
    expect: { value: 3.7083374, unit: 'W/m^2' },
    tolerance: 1e-6,
    source: '5.35 ln 2 (Myhre 1998)',
  },
  {
    title: 'two layers after ten years',
    body: {
      model: 'two-layer',
      F: 3.71,
      lambda: 1.13,
      gamma: 0.73,
      C: year(7.3, 'W*yr/(m^2*K)'),
      Cd: year(106, 'W*yr/(m^2*K)'),
      t_end: year(10, 'yr'),
    },
    expect: { value: 1.857341, unit: 'K', finalState: { Td: 0.085753 } },
    tolerance: 1e-5,
    source: 'Geoffroy et al. 2013, eigenmodes',
  },
  {
    title: 'energy balance with ice, warm branch',
    body: {
      model: 'ebm',
      S0: 1365.2,
      A: 210,
      B: 2,
      D: 0.55,
      s2: -0.48,
      a0: 0.3,
      a2: 0.078,
      ai: 0.62,
      Tf: { value: -10, unit: 'degC' },
      start: 'warm',
      N: 400,
      quantity: 'iceLatitude',
    },
    expect: { value: 73.1314, unit: 'deg', meanTemperature: 287.884149 },
    tolerance: 1e-4,
    source: 'North 1975, Chebyshev collocation',
  },
];

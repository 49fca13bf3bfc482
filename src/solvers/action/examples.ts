import type { Example } from '../solver.ts';

export const actionExamples: readonly Example[] = [
  {
    title: 'harmonic oscillator, action',
    body: { system: 'harmonic', m: 1, k: 4, q0: 1, p0: 0, dt: 0.005, t_max: 0.5 },
    expect: { value: -0.454648713412841, unit: 'J*s' },
    tolerance: 1e-6,
    source: 'S = [qp]/2 = −sin(2)/2',
  },
  {
    title: 'pendulum from 90°, period',
    body: {
      system: 'pendulum',
      m: 1,
      L: 1,
      g: 1,
      q0: { value: 90, unit: 'deg' },
      p0: 0,
      dt: 0.01,
      t_max: 15,
      quantity: 'period',
    },
    expect: { value: 7.41629870920549, unit: 's' },
    tolerance: 1e-6,
    source: '4 K(sin 45°) = 2π · 1.18034059901609623 (Abramowitz & Stegun, 17.3)',
  },
  {
    title: 'Hénon–Heiles',
    body: { system: 'henon-heiles', lambda: 1, q0: [0, 0.1], p0: [0.35, 0], dt: 0.01, t_max: 20 },
    expect: {
      value: -0.0142569333803973,
      finalState: { q: [0.18619758040984, 0.10220863417358] },
    },
    tolerance: 1e-4,
    source: 'Taylor integration with 30 digits',
  },
];

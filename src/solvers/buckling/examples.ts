import type { Example } from '../solver.ts';

export const bucklingExamples: readonly Example[] = [
  {
    title: 'pinned round bar',
    body: {
      E: { value: 200, unit: 'GPa' },
      I: 3.067961575771282e-7,
      L: 3,
      ends: 'pinned-pinned',
      A: 0.001963495408493621,
      sigmaY: { value: 250, unit: 'MPa' },
    },
    expect: { value: 67287.92682, unit: 'N' },
    tolerance: 1e-3,
    source: 'Euler, π²EI/L²; d = 50 mm',
  },
  {
    title: 'stepped cantilever',
    body: {
      E: 2e11,
      I: {
        steps: [
          { L: 0.5, I: 2e-8 },
          { L: 0.5, I: 1e-8 },
        ],
      },
      L: 1,
      ends: 'fixed-free',
    },
    expect: { value: 8268.931586, unit: 'N' },
    tolerance: 1e-3,
    source: 'tan(k₁/2) tan(k₂/2) = k₂/k₁ (Timoshenko & Gere, 2.14): 4.134465793 EI',
  },
  {
    title: 'pinned cone, radius ratio 1.5',
    body: {
      E: 2e11,
      I: { taper: { I0: 1e-8, I1: 5.0625e-8, power: 4 } },
      L: 1,
      ends: 'pinned-pinned',
    },
    expect: { value: 44413.2198, unit: 'N' },
    tolerance: 1e-3,
    source: 'w = z sin(k/z) (Timoshenko & Gere, 2.14): (1.5π)² EI₀/L²',
  },
  {
    title: 'pinned on an elastic foundation',
    body: { E: 2e11, I: 1e-8, L: 2, ends: 'pinned-pinned', kf: 1e5 },
    expect: { value: 29871.3271664, unit: 'N' },
    tolerance: 1e-3,
    source: 'EI(mπ/L)² + k_f(L/mπ)² with m = 2 (Timoshenko & Gere, 2.10)',
  },
];

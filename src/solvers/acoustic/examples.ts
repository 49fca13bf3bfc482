import type { Example, Probe } from '../solver.ts';

export const acousticExamples: readonly Example[] = [
  {
    title: 'room modes',
    body: {
      analysis: 'modes',
      c: 343,
      domain: { type: 'box', Lx: 5, Ly: 4, Lz: 3 },
      boundary: 'rigid',
      count: 6,
    },
    expect: { value: 34.3, unit: 'Hz', frequencies: [34.3, 42.875, 54.90679, 57.16667, 66.66722, 68.6] },
    tolerance: 1e-3,
    source: '(c/2)√Σ(nᵢ/Lᵢ)²',
  },
  {
    title: 'L-shaped cavity',
    slow: true,
    body: {
      analysis: 'modes',
      c: 343,
      domain: {
        type: 'mask',
        cells: [
          [1, 1],
          [1, 0],
        ],
        h: 1,
      },
      boundary: 'rigid',
      count: 2,
      N: 32,
    },
    expect: { value: 66.3134748716, unit: 'Hz' },
    tolerance: 1e-3,
    source: 'c√1.47562182/2π (Dauge, Benchmark computations for Maxwell equations)',
  },
  {
    title: 'closed-open tube',
    body: {
      analysis: 'duct',
      c: 343,
      domain: { type: 'duct', L: 0.85 },
      boundary: { left: 'rigid', right: 'open' },
      count: 2,
    },
    expect: { value: 100.88235, unit: 'Hz', frequencies: [100.88235, 302.64706] },
    tolerance: 1e-3,
    source: '(2n − 1)c/4L',
  },
  {
    title: 'tube against an absorbing wall',
    body: {
      analysis: 'duct',
      c: 343,
      rho: 1.2,
      domain: { type: 'duct', L: 1 },
      boundary: { left: 'rigid', right: { type: 'impedance', Z: 1646.4 } },
      count: 2,
    },
    expect: {
      value: 171.5,
      unit: 'Hz',
      frequencies: [171.5, 343],
      decayRates: [87.60659447587, 87.60659447587],
    },
    tolerance: 1e-3,
    source: 'kL = nπ + i artanh(ρc/Z) (Kuttruff, Room Acoustics, 3.3)',
  },
  {
    title: 'piston in a tube',
    body: {
      analysis: 'forced',
      c: 343,
      rho: 1.204,
      domain: { type: 'duct', L: 1.5 },
      boundary: { right: 'rigid' },
      frequency: 210,
      u0: { value: 1, unit: 'mm/s' },
      probe: [1.5],
    },
    expect: { value: 0.8415676152, unit: 'Pa' },
    tolerance: 1e-3,
    source: 'ρcu₀/sin kL',
  },
  {
    title: 'piston in a box that is open above and below',
    body: {
      analysis: 'forced',
      c: 343,
      rho: 1.204,
      domain: { type: 'box', Lx: 1.5, Ly: 1, Lz: 0.8 },
      boundary: { right: 'rigid', bottom: 'open', top: 'open', front: 'rigid', back: 'rigid' },
      frequency: 210,
      u0: { value: 1, unit: 'mm/s' },
      probe: [1.5, 0.3, 0.2],
    },
    expect: { value: 3.9338959712, unit: 'Pa' },
    tolerance: 1e-3,
    source: 'ωρu₀ Σ 4/nπ sin(nπy/L_y) cos k_x(L − x)/(k_x sin k_xL), k_x² = k² − (nπ/L_y)², n odd',
  },
  {
    title: 'expansion chamber',
    body: {
      analysis: 'transmission',
      c: 343,
      domain: {
        type: 'duct',
        steps: [
          { L: 0.1, S: 0.001 },
          { L: 0.3, S: 0.009 },
          { L: 0.1, S: 0.001 },
        ],
      },
      frequency: 200,
    },
    expect: { value: 12.22053, unit: 'dB' },
    tolerance: 1e-3,
    source: '10 log₁₀[1 + ¼(m − 1/m)² sin²kL], m = 9 (Munjal, Acoustics of Ducts and Mufflers, 2.7)',
  },
];

export const acousticProbes: readonly Probe[] = [
  {
    title: 'modes of an L of few cells',
    body: {
      ...{ analysis: 'modes', c: 343, boundary: 'rigid', count: 2, N: 8 },
      domain: {
        type: 'mask',
        cells: [
          [1, 1],
          [1, 0],
        ],
        h: 1,
      },
    },
  },
  {
    title: 'a driven cavity of cells',
    body: {
      ...{ analysis: 'forced', c: 343, rho: 1.204, frequency: 210, u0: 1e-3, probe: [1.5, 0.25] },
      domain: { type: 'mask', cells: [[1, 1, 1]], h: 0.5 },
      boundary: { right: 'rigid', bottom: 'rigid', top: 'rigid' },
    },
  },
  {
    title: 'a box driven between impedances',
    body: {
      ...{ analysis: 'forced', c: 343, rho: 1.204, frequency: 210, u0: 1e-3, probe: [0, 0.1, 0.2] },
      domain: { type: 'box', Lx: 0.6, Ly: 0.5, Lz: 0.4 },
      boundary: { type: 'impedance', Z: 800, X: -200 },
      eta: 0.02,
    },
  },
  {
    title: 'a mode of one cell between walls that take',
    body: {
      ...{ analysis: 'modes', c: 343, rho: 1.204, count: 1, N: 8 },
      boundary: { type: 'impedance', Z: 4130 },
      domain: { type: 'mask', cells: [[1]], h: 1 },
    },
  },
];

import type { Example } from '../solver.ts';

export const gridExamples: readonly Example[] = [
  {
    title: '9-bus, voltage at bus 5',
    body: { case: 'ieee9', quantity: 'voltage', bus: 5 },
    expect: { value: 1.01265432, unit: 'pu' },
    tolerance: 1e-7,
    source: 'Newton’s method with dense elimination, in Python',
  },
  {
    title: '14-bus, losses',
    body: { case: 'ieee14', quantity: 'loss' },
    expect: { value: 13.393272, unit: 'MW' },
    tolerance: 1e-7,
    source: 'Newton’s method with dense elimination, in Python',
  },
  {
    title: '30-bus, angle at bus 30',
    body: { case: 'ieee30', quantity: 'angle', bus: 30 },
    expect: { value: -3.041524, unit: 'deg' },
    tolerance: 1e-6,
    source: 'Newton’s method with dense elimination, in Python',
  },
  {
    title: 'own network of two buses',
    body: {
      network: {
        baseMVA: 100,
        buses: [
          { bus: 1, type: 3, Pd: 0, Qd: 0 },
          { bus: 2, type: 1, Pd: 50, Qd: 20 },
        ],
        generators: [{ bus: 1, Pg: 0, Vg: 1 }],
        branches: [{ fbus: 1, tbus: 2, r: 0.02, x: 0.1, b: 0 }],
      },
      quantity: 'voltage',
      bus: 2,
    },
    expect: { value: 0.967874197567052, unit: 'pu' },
    tolerance: 1e-12,
    source: 'root of V₂⁴ + [2(PR + QX) − V₁²]V₂² + (P² + Q²)(R² + X²) = 0',
  },
];

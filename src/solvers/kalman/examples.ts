import type { Example } from '../solver.ts';

/** Discharge of the Nile at Aswan, 1871 to 1970, in 10⁸ m³ (Cobb, Biometrika 65 (1978) 243). */
const nile = [
  1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958,
  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020,
  1050, 969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040,
  759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890,
  744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740,
];

export const kalmanExamples: readonly Example[] = [
  {
    title: 'random walk, steady gain',
    body: {
      F: [[1]],
      H: [[1]],
      Q: [[1]],
      R: [[1]],
      x0: [0],
      P0: [[1]],
      steady: true,
      quantity: 'gain',
      component: [0, 0],
    },
    expect: { value: 0.618033988749895, unit: '1' },
    tolerance: 1e-12,
    source: 'golden ratio: P = (Q + √(Q² + 4QR))/2',
  },
  {
    title: 'α–β filter, Λ = 1',
    body: {
      F: [
        [1, 1],
        [0, 1],
      ],
      H: [[1, 0]],
      Q: [
        [0.25, 0.5],
        [0.5, 1],
      ],
      R: [[1]],
      x0: [0, 0],
      P0: [
        [1, 0],
        [0, 1],
      ],
      steady: true,
      quantity: 'priorCovariance',
      component: [0, 0],
    },
    expect: { value: 3, unit: '1' },
    tolerance: 1e-9,
    source: 'Kalata 1984',
  },
  {
    title: 'three measurements of a steered constant',
    body: {
      F: [[1]],
      B: [[1]],
      H: [[1]],
      Q: [[0]],
      R: [[1]],
      x0: [0],
      P0: [[1]],
      u: [[1], [1], [1]],
      z: [[2], [3], [4]],
      quantity: 'state',
      component: [0],
    },
    expect: { value: 3.75, unit: '1' },
    tolerance: 1e-12,
    source: 'least squares: 3 + (1+1+1)/4',
  },
  {
    title: 'the level of the Nile, smoothed',
    body: {
      F: [[1]],
      H: [[1]],
      Q: [[1469.1]],
      R: [[15099]],
      x0: [0],
      P0: [[1e7]],
      z: nile.map((discharge) => [discharge]),
      smoother: true,
      quantity: 'state',
      component: [0],
    },
    expect: { value: 798.3702926083641, unit: '1' },
    tolerance: 1e-9,
    source:
      '798.37 in Durbin & Koopman, Time Series Analysis by State Space Methods, §2.2; in fractions by Python',
  },
];

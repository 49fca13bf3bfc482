/** The signal-to-noise ratio over a square of powers: what the benches of a lattice ask for. */
export const sp7Lattice = (side: number) => ({
  operators: ['SP7'],
  inputs: {},
  axes: [
    { name: 'P_signal', start: 1, stop: 1e6, count: side, scale: 'log', unit: 'W' },
    { name: 'P_noise', start: 1, stop: 2, count: side },
  ],
  reduce: 'mean',
});

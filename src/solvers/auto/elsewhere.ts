import type { Target } from './target.ts';

// What the solvers are asked that take no words: who asks here is told where.

const asked = (id: string, phrases: Readonly<Record<string, number>>): Target => ({ id, phrases, names: {} });

/** Of a solver for which nothing is written: its own name. */
export const byName = ({ id, title }: { readonly id: string; readonly title: string }): Target =>
  asked(id, { [id]: 6, [title.toLowerCase()]: 6 });

/** How questions about solvers are worded for which no rules bind inputs. */
export const elsewhere: readonly Target[] = [
  asked('acoustic', {
    acoustic: 4,
    acoustics: 4,
    'acoustic modes': 6,
    'room modes': 5,
    reverberation: 4,
    'sound pressure': 4,
    'transmission loss': 4,
    muffler: 5,
    'expansion chamber': 5,
    sound: 2,
  }),
  asked('blackhole', {
    'black hole': 6,
    schwarzschild: 5,
    kerr: 5,
    'event horizon': 5,
    'photon sphere': 6,
    'photon ring': 6,
  }),
  asked('buckling', { buckling: 6, buckle: 4, 'euler buckling': 7, 'critical load': 4, column: 2 }),
  asked('kalman', { kalman: 5, 'kalman filter': 6, 'state estimation': 4, smoother: 3 }),
  asked('lotka', { 'lotka volterra': 6, 'predator prey': 6, predator: 3, prey: 3, predators: 3 }),
  asked('multibody', {
    'three body': 5,
    'n body': 5,
    'two body': 4,
    'solar system': 5,
    'figure eight': 4,
    planets: 3,
    orbits: 3,
    orbit: 3,
    orbiting: 3,
  }),
  asked('schrodinger', {
    schrodinger: 6,
    schrödinger: 6,
    schroedinger: 6,
    'wave function': 4,
    wavefunction: 4,
    'wave packet': 4,
    'particle in a box': 6,
    'quantum well': 5,
    'quantum harmonic oscillator': 6,
    'hydrogen atom': 4,
    tunnelling: 4,
    tunneling: 4,
  }),
  asked('tumor', { tumor: 5, tumour: 5, tumors: 5, tumours: 5, glioma: 5, gompertz: 4, chemotherapy: 3 }),
  asked('solve', {
    'differential equation': 5,
    ode: 4,
    'initial value problem': 6,
    'dy dt': 5,
    'dx dt': 5,
    'dy dx': 5,
    'runge kutta': 4,
  }),
  asked('lattice', { 'parameter sweep': 5, 'sweep over': 4, 'table of values': 4 }),
  asked('shift', { 'sensitivity of': 4, 'what changes when': 4 }),
  asked('compute', {
    'kinetic energy': 3,
    'potential energy': 3,
    momentum: 3,
    'signal to noise': 4,
    snr: 4,
    'half life': 3,
    'in parallel': 3,
    formula: 3,
    'molar mass': 3,
    'area of': 3,
    'volume of': 3,
  }),
];

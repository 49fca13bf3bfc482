/**
 * Sun (with the inner planets' mass), Jupiter, Saturn, Uranus, Neptune and Pluto on 5 September 1994, 0h00.
 * E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed. (2006), §I.2.4: masses relative to the
 * sun, heliocentric positions in au, velocities in au a day, G = 2.95912208286e-4.
 */
const table = [
  { name: 'Sun', mass: 1.00000597682, position: [0, 0, 0], velocity: [0, 0, 0] },
  {
    name: 'Jupiter',
    mass: 0.000954786104043,
    position: [-3.5023653, -3.8169847, -1.5507963],
    velocity: [0.00565429, -0.0041249, -0.00190589],
  },
  {
    name: 'Saturn',
    mass: 0.000285583733151,
    position: [9.0755314, -3.0458353, -1.6483708],
    velocity: [0.00168318, 0.00483525, 0.00192462],
  },
  {
    name: 'Uranus',
    mass: 0.0000437273164546,
    position: [8.310142, -16.2901086, -7.2521278],
    velocity: [0.00354178, 0.00137102, 0.00055029],
  },
  {
    name: 'Neptune',
    mass: 0.0000517759138449,
    position: [11.4707666, -25.7294829, -10.8169456],
    velocity: [0.0028893, 0.00114527, 0.00039677],
  },
  {
    name: 'Pluto',
    mass: 1 / 1.3e8,
    position: [-15.5387357, -25.2225594, -3.1902382],
    velocity: [0.00276725, -0.00170702, -0.00136504],
  },
] as const;

export const bodies = table.map(({ name }) => name);
export const source = 'Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), §I.2.4';
export const G = 2.95912208286e-4;
export const METRES_PER_AU = 149_597_870_700;

/** The request for `years` in steps of `stepDays`, as POST /api/svc/multibody takes it: with the table's own units. */
export function outerSolarSystem(years: number, stepDays: number): Record<string, unknown> {
  const column = (name: 'position' | 'velocity') => table.map((body) => [...body[name]]);
  return {
    position: { value: column('position'), unit: 'au' },
    velocity: { value: column('velocity'), unit: 'au/d' },
    mass: { value: table.map(({ mass }) => mass), unit: 'M_sun' },
    G: { value: G, unit: 'au^3/(M_sun d^2)' },
    referenceMode: 'gravity',
    integrator: 'yoshida6',
    dt: { value: stepDays, unit: 'd' },
    t_max: { value: years, unit: 'yr' },
  };
}

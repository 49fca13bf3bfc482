import t from 'tap';
import { solverOf } from '../../src/solvers/registry.ts';
import { fieldOf, solved } from './solver-test.ts';

// The receipt's diagnostics are those of the series that the answer shows: found anew from the field (ENV-07).

/** Solver, example, field, and of its rows of this many numbers the first one. */
const described: readonly [solver: string, example: number, field: string, stride?: number][] = [
  ['multibody', 0, 'x', 3],
  ['multibody', 2, 'x', 2],
  ['evolve', 0, 'kinetic'],
  ['gauge', 0, 'share'],
  ['fea', 3, 'axialForce'],
  ['opt', 1, 'x'],
  ['lattice', 1, 'values'],
  ['lattice', 0, 'values'],
];

/** χ(m) for p = 257 by Euler's criterion: m^128 mod p is 1 or −1. */
function legendre(m: number): number {
  let power = 1;
  for (let i = 0; i < 128; i++) power = (power * m) % 257;
  return power === 256 ? -1 : power;
}

interface Described {
  readonly masterEquation: { max: number; at: number; terms: { diffusion: { value: number } } };
  readonly functionalEquation: { reflection: { lambda: number; warn: boolean } };
  readonly spectralPropagator: { band: { warn: boolean } };
}

for (const [id, example, name, stride = 1] of described) {
  t.test(`${id}, ‘${solverOf(id).examples[example]!.title}’: diagnostics are those of ${name}`, async (t) => {
    const job = await solved(solverOf(id), solverOf(id).examples[example]!.body);
    const u = fieldOf(job, name).filter((_, i) => i % stride === 0);
    const { masterEquation, functionalEquation, spectralPropagator } = job.presentation
      .diagnostics as unknown as Described;
    const most = Math.max(...u.map(Math.abs));
    t.ok(Math.abs(masterEquation.max / most - 1) < 1e-12);
    const inside = [...u].slice(1, -1).map(Math.abs);
    t.equal(masterEquation.at, 1 + inside.indexOf(Math.max(...inside)));
    const at = masterEquation.at;
    const bend = (-(u[at - 1]! - 2 * u[at]! + u[at + 1]!) * (u.length - 1) ** 2) / most;
    t.ok(
      Math.abs(masterEquation.terms.diffusion.value - bend) <= 1e-9 * (u.length - 1) ** 2,
      'second difference',
    );
    const lambda = u.reduce((sum, x, i) => sum + x * legendre(i % 257), 0);
    t.ok(Math.abs(functionalEquation.reflection.lambda - lambda) <= 1e-12 * most * u.length, 'Σ f χ');
    t.notOk(functionalEquation.reflection.warn || spectralPropagator.band.warn);
  });
}

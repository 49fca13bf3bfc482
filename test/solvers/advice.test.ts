import t from 'tap';
import { solverOf } from '../../src/solvers/registry.ts';
import { refusalOf, solved } from './solver-test.ts';

// Examples with one number changed until a gate or a limit refuses them: the refusal names what would be accepted, and where
// that is a number it is followed.

type Body = Record<string, unknown>;

/** A copy of a body with another number at a path. */
function changed(body: object, path: string, value: number): Body {
  const copy = structuredClone(body) as Body;
  const keys = path.split('.');
  const last = keys.pop()!;
  const holder = keys.reduce<Body>((each, key) => each[key] as Body, copy);
  holder[last] = value;
  return copy;
}

interface Case {
  readonly solver: string;
  readonly example: number;
  readonly path: string;
  readonly value: number;
  readonly code: string;
  /** How what is accepted is said: a number of it stands at the path `at`. */
  readonly says: RegExp;
  readonly at?: string;
}

const cases: readonly Case[] = [
  {
    ...{ solver: 'multibody', example: 1, path: 'position.0.0', value: 100 },
    ...{ code: 'DID_NOT_CONVERGE', says: /an end before that.*softening/ },
  },
  {
    ...{ solver: 'evolve', example: 1, path: 'r_c', value: 0.75 },
    ...{ code: 'ENERGY_NOT_CONSERVED', says: /dt = ([\d.]+) or less, or a larger r_c/, at: 'dt' },
  },
  {
    ...{ solver: 'evolve', example: 1, path: 'initialState.temperature', value: 72.8 },
    ...{ code: 'NON_FINITE', says: /dt = ([\d.]+) or less/, at: 'dt' },
  },
  {
    ...{ solver: 'fracture', example: 2, path: 'loading.steps', value: 1 },
    ...{ code: 'OUTSIDE_TOLERANCE', says: /(\d+) load steps/, at: 'loading.steps' },
  },
  {
    ...{ solver: 'fracture', example: 2, path: 'E', value: 2.1e13 },
    ...{ code: 'OUTSIDE_TOLERANCE', says: /(\d+) load steps/, at: 'loading.steps' },
  },
  {
    ...{ solver: 'lattice', example: 3, path: 'inputs.t', value: 500 },
    ...{ code: 'OUTSIDE_TOLERANCE', says: /a shorter stretch.*solve with the same operators/ },
  },
  {
    ...{ solver: 'shift', example: 0, path: 'inputs.K', value: 1 },
    ...{ code: 'OUTSIDE_TOLERANCE', says: /a larger shift/ },
  },
  {
    ...{ solver: 'grid', example: 3, path: 'network.buses.1.Pd', value: 5000 },
    ...{ code: 'DID_NOT_CONVERGE', says: /smaller loads/ },
  },
  {
    ...{ solver: 'buckling', example: 0, path: 'L', value: 1 },
    ...{ code: 'EULER_INVALID', says: /L = ([\d.]+) m or more/, at: 'L' },
  },
  {
    ...{ solver: 'flow', example: 4, path: 't_end', value: 0.005 },
    ...{ code: 'OUTSIDE_TOLERANCE', says: /momentum.* dt = ([\d.]+) s/, at: 'dt' },
  },
];

for (const { solver: id, example, path, value, code, says, at } of cases) {
  t.test(
    `${id} with ${path} = ${value} is told what would be accepted${at ? ', and that is' : ''}`,
    async (t) => {
      const solver = solverOf(id);
      const body = changed(solver.examples[example]!.body as object, path, value);
      const refused = await refusalOf(solver, body);
      t.equal(refused.code, code);
      t.match(refused.message, says);
      if (!at) return;
      const [, wanted] = says.exec(refused.message) ?? [];
      await solved(solver, changed(body, at, Number(wanted)));
    },
  );
}

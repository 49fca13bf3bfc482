import t from 'tap';
import { solvers } from '../../src/solvers/registry.ts';

// Stateful solvers start from an initialState: given, or the end of an earlier job (SOLV-21).

const properties = (schema: unknown) => (schema as { properties?: Record<string, unknown> }).properties ?? {};
const stateOf = ({ input }: { readonly input: unknown }) => properties(input).initialState;

/** What the request of each takes in initialState beside `continue`. */
const physical: Readonly<Record<string, readonly string[]>> = {
  solve: ['x', 'v', 'y', 't0'],
  multibody: ['position', 'velocity', 't0'],
  evolve: ['position', 'velocity', 'cells', 'density', 'temperature', 't0'],
  action: ['q', 'p', 't0'],
  heat: ['T', 't0'],
  lorenz: ['x', 'y', 'z', 't0'],
  wave: ['u', 'v', 'Ez', 'Hx', 'Hy', 't0'],
  flow: ['u', 'v', 't0'],
  fracture: ['u', 'd', 'step'],
  react: ['u', 'v', 't0'],
  epi: ['S', 'E', 'I', 't0'],
  sat: [],
  gauge: [],
  climate: ['T', 'Td', 't0'],
  schrodinger: ['psiRe', 'psiIm', 't0'],
  tumor: ['V', 'u', 't0'],
  lotka: ['x', 'y', 't0'],
  kalman: ['x', 'P'],
};

t.test('every stateful solver starts from an initialState, given or of an earlier job', (t) => {
  for (const solver of solvers) {
    const fields = physical[solver.id];
    t.equal(stateOf(solver) !== undefined, fields !== undefined, solver.id);
    if (fields === undefined) continue;
    t.strictSame(Object.keys(properties(stateOf(solver))).sort(), [...fields, 'continue'].sort(), solver.id);
    t.ok(solver.continuation, `${solver.id} continues jobs`);
  }
  t.end();
});

t.test('the fields of a start, which a continuation leaves out, are fields of the request', (t) => {
  for (const { id, input, continuation } of solvers) {
    const { start = [] } = continuation ?? {};
    for (const path of typeof start === 'function' ? start({ inputs: {} }) : start)
      t.ok(properties(input)[path.split('.')[0]!], `${id}: ${path}`);
  }
  t.end();
});

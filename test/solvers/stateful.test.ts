import t from 'tap';
import { solverOf, solvers } from '../../src/solvers/registry.ts';

// Stateful solvers start from an initialState: given, or the end of an earlier job (SOLV-21).

const properties = (schema: unknown) => (schema as { properties?: Record<string, unknown> }).properties ?? {};
const stateOf = ({ input }: { readonly input: unknown }) => properties(input).initialState;

/** What the request of each of the specified ones takes in initialState beside `continue`. */
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
    const state = stateOf(solver);
    t.equal(state !== undefined, solver.continuation !== undefined, `${solver.id}: a state is continued`);
    if (state) t.ok('continue' in properties(state), `${solver.id} continues jobs`);
  }
  for (const [id, fields] of Object.entries(physical))
    t.strictSame(Object.keys(properties(stateOf(solverOf(id)))).sort(), [...fields, 'continue'].sort(), id);
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

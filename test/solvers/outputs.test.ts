import t from 'tap';
import { type Outputs, outputAt, saidOf } from '../../src/solvers/outputs.ts';
import { solvers } from '../../src/solvers/registry.ts';
import { parseUnit } from '../../src/units/unit.ts';
import { inputOf } from './solver-test.ts';

// That every number which a job shows is declared is held by run-job.ts, in every job of every test.

/** Units that are words of their trade or of the answer: `value` stands for the unit of the value. */
const words = new Set(['value', 'MVAr', '%']);

t.test(
  'each unit of an output, and each that an example gives it, is one that inputs may be in',
  async (t) => {
    for (const solver of solvers) {
      const inputs = solver.examples
        .filter(({ expect }) => !('status' in expect))
        .map(({ body }) => inputOf(solver, body));
      for (const [path, [unit, meaning]] of Object.entries(solver.outputs)) {
        t.match(meaning, /\.$/, `${solver.id}: ${path} says what it is`);
        const units =
          typeof unit === 'function' ? inputs.map((input) => unit(input, solver.unit(input))) : [unit];
        for (const found of units)
          if (found !== null && !words.has(found))
            t.doesNotThrow(() => parseUnit(found), `${solver.id}: ${path} in ${found}`);
      }
    }
  },
);

t.test('a job that goes on from what an earlier one gave says from where, and no other', async (t) => {
  // A search for models is given nothing: with a larger budget it goes the same way again.
  for (const { id, outputs, continuation } of solvers)
    t.equal('continues' in outputs, (continuation?.results.length ?? 0) > 0, id);
});

const outputs: Outputs<{ readonly reduced: boolean }> = {
  plain: ['s', 'A time.'],
  like: ['value', 'Like the value.', 'unsealed'],
  chosen: [({ reduced }) => (reduced ? '1' : 'J'), 'By the request.', ({ reduced }) => reduced],
  state: ['1', 'A state.', 'unsealed'],
  'state.t0': ['s', 'Its time.'],
  'at.inputs.m': ['kg', 'A place.'],
  unknown: [() => null, 'Of a formula.'],
  word: [null, 'No number.'],
  absent: ['m', 'Not there.', 'unsealed'],
};
const declared = { outputs, unit: () => 'K' };

t.test('units list the numbers that are there', async (t) => {
  const shown = {
    plain: 1,
    like: [1, 2],
    chosen: null,
    state: { x: [0.5], t0: 2 },
    at: { 'inputs.m': 3 },
    unknown: 4,
    word: 'yes',
  };
  const said = saidOf(declared, { reduced: false }, shown);
  t.strictSame(said.units, {
    s: ['plain', 'state.t0'],
    K: ['like'],
    1: ['state'],
    kg: ['at.inputs.m'],
    'not known': ['unknown'],
  });
  t.strictSame(saidOf(declared, { reduced: true }, { chosen: 0 }).units, { 1: ['chosen'] });
});

t.test('what no gate looks at is open, with what is below it and has no word of its own', async (t) => {
  const { isUnsealed } = saidOf(declared, { reduced: false }, {});
  const open = (path: string) => isUnsealed!(path);
  t.strictSame(['like', 'plain', 'state.x', 'state.t0', 'chosen'].map(open), [
    true,
    false,
    true,
    false,
    false,
  ]);
  t.ok(saidOf(declared, { reduced: true }, {}).isUnsealed!('chosen'));
  t.equal(
    saidOf({ ...declared, outputs: { plain: outputs.plain! } }, { reduced: false }, {}).isUnsealed,
    undefined,
  );
});

t.test('a path speaks for what is below it and has none of its own', async (t) => {
  t.equal(outputAt(outputs as Outputs, 'state.t0')![0], 's');
  t.equal(outputAt(outputs as Outputs, 'state.x')![0], '1');
  t.equal(outputAt(outputs as Outputs, 'constructor'), undefined);
  t.equal(outputAt(outputs as Outputs, 'stat'), undefined);
});

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { sat } from '../../src/solvers/sat.ts';
import { resolveParameters } from '../../src/spine/rounds.ts';
import { driveRun, instantiateKernel, RunInProgress } from '../../workers/kernel-host.ts';
import { goOn, startJob } from './continue-job.ts';
import { modelsOf, pigeonhole, queens, ramsey33, random3, schur3 } from './formulas.ts';
import type { Refused } from './refusals.ts';
import { kernelDigest, kernelModule, runKernel } from './run-job.ts';
import {
  inputOf,
  memoryOf,
  type Reference,
  refusalOf,
  solved,
  type Twin,
  testSolver,
} from './solver-test.ts';

const decide = (clauses: unknown, more: object = {}) => ({ mode: 'decide', clauses, ...more });
const count = (clauses: number[][], more: object = {}) => ({ mode: 'count', clauses, ...more });
const dimacs = (n: number, clauses: number[][]) =>
  `c a comment\np cnf ${n} ${clauses.length}\n${clauses.map((each) => `${each.join(' ')} 0\n`).join('')}%\n0\n`;

/** A file of SATLIB's kind, from the sources, and its first clauses as lists. */
const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/sat/${name}.cnf`, import.meta.url), 'utf8');
const uf20 = fixture('uf20-01');
const random50 = fixture('random-50-218');
const firstOf = (text: string, most: number) =>
  text
    .split('\n')
    .filter((line) => /^\s*-?\d+ .* 0$/.test(line))
    .slice(0, most)
    .map((line) => line.trim().split(' ').slice(0, -1).map(Number));
const search = 'test/fixtures/sat/count.py';

const facts: [string, object, number, string][] = [
  ['hole6', decide(pigeonhole(7, 6)), 0, 'pigeonhole principle (Cook 1976)'],
  ['hole7', decide(pigeonhole(8, 7)), 0, 'pigeonhole principle (Cook 1976)'],
  ['as many holes as pigeons', decide(pigeonhole(8, 8)), 1, 'by hand'],
  ['R(3,3) > 5: colourings of K5', count(ramsey33(5)), 12, 'Greenwood & Gleason 1955: 5!/10 pentagons'],
  ['R(3,3) ≤ 6', decide(ramsey33(6)), 0, 'Greenwood & Gleason 1955'],
  ['five queens', count(queens(5)), 10, 'OEIS A000170'],
  ['eight queens', count(queens(8)), 92, 'OEIS A000170'],
  ['eight queens stand', decide(queens(8)), 1, 'OEIS A000170'],
  ['three queens do not', decide(queens(3)), 0, 'OEIS A000170'],
  ['Schur, 13 numbers', count(schur3(13)), 18, 'Schur 1917: S(3) = 13, in 3 · 3! colourings'],
  ['Schur, 14 numbers', decide(schur3(14)), 0, 'Schur 1917: S(3) = 13'],
  ['five pigeons in five holes', count(pigeonhole(5, 5, true)), 120, '5!'],
  ['no clause', count([], { variables: 10 }), 1024, '2^10'],
  ['no clause and no variable', decide([]), 1, 'the empty conjunction'],
  ['the empty clause', decide([[1], []]), 0, 'the empty disjunction'],
  ['the empty clause has no model', count([[1], []]), 0, 'the empty disjunction'],
  [
    'a clause that is always true',
    count([
      [1, -1],
      [2, 2],
    ]),
    2,
    'by hand',
  ],
  ['hole8', decide(pigeonhole(9, 8), { conflictBudget: 400_000 }), 0, 'pigeonhole principle (Cook 1976)'],
  ['SATLIB uf50-01', { mode: 'decide', dimacs: fixture('uf50-01') }, 1, 'SATLIB: uf50 is satisfiable'],
  ['SATLIB uuf50-01', { mode: 'decide', dimacs: fixture('uuf50-01') }, 0, 'SATLIB: uuf50 is unsatisfiable'],
  ['SATLIB uf20-01', { mode: 'decide', dimacs: uf20 }, 1, 'SATLIB: uf20 is satisfiable'],
  ['SATLIB uf250-01', { mode: 'decide', dimacs: fixture('uf250-01') }, 1, 'SATLIB: uf250 is satisfiable'],
  ['models of SATLIB uf20-01', { mode: 'count', dimacs: uf20 }, 8, search],
  ['50 variables, 218 clauses', { mode: 'decide', dimacs: random50 }, 0, search],
  ['50 variables, 218 clauses have no model', { mode: 'count', dimacs: random50 }, 0, search],
  ['50 variables, the first 190 clauses', count(firstOf(random50, 190), { variables: 50 }), 48, search],
  ['50 variables, the first 170 clauses', count(firstOf(random50, 170), { variables: 50 }), 8498, search],
  ['six pigeons in six holes', count(pigeonhole(6, 6, true)), 720, '6!'],
  ['seven pigeons in six holes', count(pigeonhole(7, 6)), 0, 'pigeonhole principle'],
  ['an empty clause among 30 variables', count([[30], []], { variables: 30 }), 0, 'the empty disjunction'],
  ['2^53 models', count([[1], [54, 54]], { variables: 55 }), 2 ** 53, '2^53'],
  ['units against each other', decide([[1], [-1, 2], [-2]]), 0, 'by hand'],
  [
    'a text as SATLIB has it',
    { mode: 'decide', dimacs: dimacs(42, pigeonhole(7, 6)) },
    0,
    'hole6: 42 variables, 133 clauses',
  ],
];
const references: Reference[] = facts.map(([title, body, expect, source]) => ({
  title,
  body,
  expect,
  tolerance: 0,
  scale: 1,
  source,
}));

// ---- laws ----------------------------------------------------------------------------------------------

const literals = (n: number) => fc.integer({ min: 1, max: n }).chain((v) => fc.constantFrom(v, -v));
const formulas = (n: number, most: number) =>
  fc.array(fc.array(literals(n), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: most });

t.test('decision and count agree with every assignment tried, whatever the formula', async (t) => {
  await fc.assert(
    fc.asyncProperty(formulas(8, 40), async (clauses) => {
      const models = modelsOf(clauses, 8);
      const [found, counted] = await Promise.all([
        solved(sat, decide(clauses, { variables: 8 })),
        solved(sat, count(clauses, { variables: 8 })),
      ]);
      t.equal(found.verdict.value, models > 0 ? 1 : 0);
      t.equal(counted.verdict.value, models);
    }),
    { numRuns: 150, endOnFailure: true },
  );
});

t.test('the answer does not depend on names: variables, signs, order (renaming)', async (t) => {
  const n = 70;
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const clauses = random3(n, 300, seed);
    const order = random3(n, 400, seed + 100)
      .flat()
      .map(Math.abs);
    const names = [...new Set([...order, ...Array.from({ length: n }, (_, v) => v + 1)])];
    const renamed = clauses.map((clause) =>
      clause.map((literal) => Math.sign(literal) * names[Math.abs(literal) - 1]!),
    );
    const flipped = renamed.map((clause) =>
      clause.map((each) => (Math.abs(each) % 2 ? -each : each)).reverse(),
    );
    const values = await Promise.all(
      [clauses, renamed, flipped.reverse()].map(
        async (each) => (await solved(sat, decide(each))).verdict.value,
      ),
    );
    t.ok(values[0] === values[1] && values[1] === values[2], `seed ${seed}: ${values}`);
  }
});

t.test('random formulas of 200 variables, either way, in cubes', async (t) => {
  const values: number[] = [];
  for (const seed of [1, 2]) {
    const job = await solved(sat, decide(random3(200, 852, seed)));
    const { model, proof, cubes } = job.presentation.outputs as Record<string, unknown>;
    values.push(job.verdict.value);
    if (job.verdict.value === 1) {
      const isTrue = new Set(model as number[]);
      t.ok(random3(200, 852, seed).every((clause) => clause.some((each) => isTrue.has(each))));
    } else t.ok((proof as { bytes: number }).bytes > 0 && cubes === 4);
  }
  t.strictSame(values, [0, 1]);
});

t.test('the digest of the proof is that of its rows', async (t) => {
  const job = await solved(sat, decide(pigeonhole(7, 6)));
  const rows = Buffer.concat(job.finished.slice(0, -1).flatMap((run) => run.rows));
  const { proof } = job.presentation.outputs as { proof: { bytes: number; sha256: string } };
  t.equal(proof.bytes, rows.length);
  t.equal(proof.sha256, createHash('sha256').update(rows).digest('hex'));
});

t.test('a proof with a bit that is wrong is not accepted', async (t) => {
  const input = inputOf(sat, decide(pigeonhole(5, 4)));
  const context = { requestHash: new Uint8Array(32) };
  const blob = () => Promise.reject(new Error('no blobs here'));
  const [search] = sat.plan(input, context).runs;
  const run = runKernel('sat', await resolveParameters(search!.parts, [], blob), search!.stepsPerSegment);
  const [verdict] = sat.next(input, [run], context)!.runs;
  const parameters = await resolveParameters(verdict!.parts, [run], blob);
  const proof = run.rows.reduce((sum, { length }) => sum + length, 0);
  t.equal(runKernel('sat.verdict', parameters, 1).status, 1, 'the whole proof is');
  let accepted = 0;
  const words = Array.from({ length: proof / 4 }, (_, i) => parameters.length - proof + 4 * i);
  for (const word of words) {
    const mutated = parameters.slice();
    mutated[word]! ^= 1;
    if (runKernel('sat.verdict', mutated, 1).status === 1) accepted++;
  }
  // Some words may be another's as well: a hint that is not needed, a literal that is false anyway.
  t.ok(accepted < 0.1 * words.length, `${accepted} of ${words.length}`);
  const ended = parameters.slice();
  ended.fill(0, parameters.length - 4);
  t.not(runKernel('sat.verdict', ended, 1).status, 1, 'nor one whose last clause has no ground');
});

t.test('a tree with a bit that is wrong proves no other count', async (t) => {
  const input = inputOf(sat, count(pigeonhole(6, 6, true)));
  const context = { requestHash: new Uint8Array(32) };
  const blob = () => Promise.reject(new Error('no blobs here'));
  const runs = await Promise.all(
    sat
      .plan(input, context)
      .runs.map(async ({ kernel, parts, stepsPerSegment }) =>
        runKernel(kernel, await resolveParameters(parts, [], blob), stepsPerSegment),
      ),
  );
  const [verdict] = sat.next(input, runs, context)!.runs;
  const parameters = await resolveParameters(verdict!.parts, runs, blob);
  const whole = runKernel('sat-count.verdict', parameters, 1);
  t.equal(whole.status, 1, 'the whole tree does');
  t.equal(Number(whole.work), verdict!.work, 'for the work that was planned');
  const tree = runs[0]!.rows.reduce((sum, { length }) => sum + length, 0);
  t.ok(tree > 400);
  let accepted = 0;
  const words = Math.min(300, tree / 4);
  for (let word = 0; word < words; word++) {
    const at = parameters.length - tree + 4 * Math.floor((word * (tree / 4)) / words);
    const mutated = parameters.slice();
    mutated[at]! ^= 1 << (word % 8);
    if (runKernel('sat-count.verdict', mutated, 1).status === 1) accepted++;
  }
  // A forced literal may stand behind another clause that forces it, an end at another clause that is false.
  t.ok(accepted < 0.1 * words, `${accepted} of ${words} words`);
  t.not(runKernel('sat-count.verdict', parameters.slice(0, -4), 1).status, 1, 'nor one that ends before');
});

const spentOn = async (body: object) =>
  (await solved(sat, body)).finished.reduce((sum, { work }) => sum + Number(work), 0);
const quoteOf = (body: object) => sat.quote(inputOf(sat, body), { requestHash: new Uint8Array(32) }).work;

t.test('what a model costs does not hang on the proof that the instance checked before', async (t) => {
  const model = { mode: 'decide', dimacs: uf20 };
  await solved(sat, decide(pigeonhole(5, 4)));
  const afterShort = await spentOn(model);
  await solved(sat, decide(pigeonhole(6, 5)));
  t.equal(await spentOn(model), afterShort);
});

t.test('without a budget nothing is quoted above ten seconds, or below what is spent', async (t) => {
  const [few, many] = [random3(60, 255, 11), random3(150, 640, 12)];
  const bodies = [decide(pigeonhole(8, 7)), decide(queens(8)), decide(schur3(14)), count(queens(5))];
  for (const body of [...bodies, { mode: 'decide', dimacs: uf20 }, decide(few), decide(many)]) {
    const quote = quoteOf(body);
    t.ok(quote <= 1e10 && (await spentOn(body)) <= quote, `${quote}`);
  }
  t.ok(quoteOf(decide(pigeonhole(6, 5))) <= 60 * (await spentOn(decide(pigeonhole(6, 5)))));
});

t.test('a search cut anywhere and resumed is the same to the bit', async (t) => {
  const [search] = sat.plan(inputOf(sat, decide(random3(100, 430, 7))), {
    requestHash: new Uint8Array(32),
  }).runs;
  const parameters = (search!.parts[0] as { bytes: Uint8Array }).bytes;
  const spec = { kernel: kernelDigest('sat'), parameters, stepsPerSegment: 50, memory: 2 ** 28, work: 0 };
  const fresh = () => instantiateKernel(kernelModule('sat'));
  const whole = driveRun(fresh(), spec);
  t.ok(whole.digests.length > 4, `${whole.digests.length} segments`);
  const part = new RunInProgress(fresh(), spec);
  part.start({});
  for (let i = 0; i < 2; i++) part.advanceSegment({});
  t.same(driveRun(fresh(), spec, { resumeFrom: part.checkpoint(0) }), whole);
  t.same(driveRun(fresh(), spec, { budget: 1000 }).digests, whole.digests);
});

t.test('a search takes at most 1.5 times its state, and no more than it asks for', async (t) => {
  const chain = Array.from({ length: 30_000 }, (_, i) => [-(i + 1), i + 2]);
  for (const clauses of [
    random3(60, 240, 5),
    pigeonhole(8, 7),
    random3(20_000, 60_000, 3),
    [[1], ...chain],
  ]) {
    const [run] = sat.plan(inputOf(sat, decide(clauses)), { requestHash: new Uint8Array(32) }).runs;
    const { taken, state } = memoryOf(run!);
    t.ok(taken <= run!.memory, `${taken} of ${run!.memory}`);
    t.ok(run!.memory <= 1.5 * state + 2 ** 16, `${run!.memory / state}`);
  }
});

t.test('a job goes on with a larger budget to the same answer and proof', async (t) => {
  const body = decide(pigeonhole(6, 5), { conflictBudget: 5000 });
  const earlier = await startJob(sat, inputOf(sat, body));
  const again = await goOn(sat, earlier, inputOf(sat, { ...body, conflictBudget: 9000 }));
  t.same(again.verdict, earlier.verdict);
  t.same(again.finished[0]!.rows, earlier.finished[0]!.rows);
  const shorter = inputOf(sat, { ...body, conflictBudget: 4000 });
  await t.rejects(async () => goOn(sat, earlier, shorter), { code: 'INVALID_INPUT' });
});

t.test('what is spent when the budget ends is told', async (t) => {
  const { details } = await refusalOf(sat, decide(pigeonhole(9, 8), { conflictBudget: 100 }));
  t.ok((details.conflicts as number) >= 100);
});

t.test('a search that ends by its work says so, not that its conflicts are spent', (t) => {
  const early = (body: object, conflicts: number) =>
    sat.refusalDetails!(inputOf(sat, body), 17, [conflicts, 0]);
  const byDefault = early(decide(pigeonhole(9, 8)), 25_797);
  t.match(
    byDefault.message,
    /25797 conflicts gave no answer, and the work is spent.*accepted: conflictBudget above/,
  );
  t.equal(byDefault.field, 'conflictBudget');
  t.match(
    early(decide(pigeonhole(9, 8), { conflictBudget: 100 }), 100).message,
    /the budget of 100 is spent/,
  );
  t.end();
});

t.test('a search whose proof has no more room is not sent for a larger budget', async (t) => {
  const body = decide(pigeonhole(9, 8), { conflictBudget: 100_000 });
  const input = inputOf(sat, body);
  const [search] = (await startJob(sat, inputOf(sat, decide(pigeonhole(6, 5))))).finished;
  const asRoomEnded = [search!, search!].map((run) => {
    const result = run.result.slice();
    new DataView(result.buffer).setFloat64(0, 2, true);
    return { ...run, result, rows: [new Uint8Array(4 * 2 ** 24)] };
  });
  const context = { requestHash: new Uint8Array(32) };
  const { runs } = sat.next(input, asRoomEnded, context)!;
  const head = runs[0]!.parts[0] as { bytes: Uint8Array };
  t.equal(new DataView(head.bytes.buffer, head.bytes.byteOffset).getFloat64(64, true), 1);
  for (const body of [decide(pigeonhole(9, 8)), count(pigeonhole(9, 8))]) {
    const observed = 'mode' in body && body.mode === 'count' ? [0, 500, 1] : [500, 1];
    const said = sat.refusalDetails!(inputOf(sat, body), 17, observed);
    t.equal(said.field, 'clauses');
    t.match(said.message, /500 conflicts.*the room for the proof is filled/);
  }
});

// ---- broken twins --------------------------------------------------------------------------------------

const analyze = 'assembly/sat/analyze.ts';
const clauses = 'assembly/sat/clauses.ts';
const hole = decide(pigeonhole(6, 5));
const found = decide(random3(60, 240, 5));
const twins: Twin[] = [
  {
    title: 'a learnt clause of the wrong sign',
    body: hole,
    file: analyze,
    find: 'put(learnt, 0, literal ^ 1)',
    replace: 'put(learnt, 0, literal)',
  },
  {
    title: 'literals that are left out though they are needed',
    body: hole,
    file: analyze,
    find: '|| !isImplied(v)) put(learnt',
    replace: '&& !isImplied(v)) put(learnt',
  },
  {
    title: 'a proof without its reasons',
    body: hole,
    file: analyze,
    find: '    use(literal >> 1);\n',
    replace: '',
  },
  {
    title: 'a conflict that is overlooked',
    body: found,
    file: clauses,
    find: 'if (valueOf(other) == 2) return offset;',
    replace: 'if (valueOf(other) == 2) { link = next; offset = load<i32>(next); continue; }',
  },
  {
    title: 'a model that is turned round',
    body: found,
    find: 'valueOf(2 * v) == 1 ? 1 : 0',
    replace: 'valueOf(2 * v) == 1 ? 0 : 1',
  },
  {
    title: 'a count without the open variables',
    body: count(queens(5).slice(0, 40)),
    kernel: 'sat-count',
    find: '<u64>1 << open;',
    replace: '1;',
  },
  {
    title: 'a count of 50 variables that forgets what is open',
    body: count(firstOf(random50, 170), { variables: 50 }),
    kernel: 'sat-count',
    find: '<u64>1 << open;',
    replace: '1;',
  },
  {
    title: 'a count of 50 variables that overlooks half of the clauses',
    body: count(firstOf(random50, 170), { variables: 50 }),
    kernel: 'sat-count',
    find: 'for (let c = 0; c < M && isDone; c++)',
    replace: 'for (let c = M / 2; c < M && isDone; c++)',
  },
  {
    title: 'a count that takes one branch',
    body: count(ramsey33(5)),
    kernel: 'sat-count',
    find: 'if (at(second, level) == 1) continue;',
    replace: 'if (at(second, level) == 1 || level > 3) continue;',
  },
];

// ---- requests that are refused -------------------------------------------------------------------------

const text = (dimacs: string) => ({ mode: 'decide', dimacs });
/** Seven pigeons in six holes. */
const pigeons = [
  ...Array.from({ length: 7 }, (_, p) => Array.from({ length: 6 }, (_, h) => 6 * p + h + 1)),
  ...Array.from({ length: 6 }, (_, h) =>
    Array.from({ length: 7 }, (_, p) =>
      Array.from({ length: p }, (_, q) => [-(6 * p + h + 1), -(6 * q + h + 1)]),
    ),
  ).flat(2),
];

const refused: readonly Refused[] = [
  { title: 'no mode', body: { clauses: [[1]] }, code: 'MISSING_INPUT', field: 'mode' },
  { title: 'no formula', body: { mode: 'decide' }, code: 'MISSING_INPUT', field: 'clauses' },
  {
    title: 'two formulas',
    body: { ...text('p cnf 1 1\n1 0\n'), clauses: [[1]] },
    code: 'INVALID_INPUT',
    field: 'clauses',
  },
  { title: 'the literal 0', body: decide([[1, 0]]), code: 'INVALID_INPUT', field: 'clauses[0][1]' },
  {
    title: 'a literal out of range',
    body: decide([[1], [-3]], { variables: 2 }),
    code: 'INVALID_INPUT',
    field: 'clauses[1][0]',
  },
  { title: 'half a literal', body: decide([[1.5]]), code: 'INVALID_INPUT', field: 'clauses[0][0]' },
  { title: 'no header', body: text('1 2 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  {
    title: 'a header of another kind',
    body: text('p sat 2 1\n1 2 0\n'),
    code: 'INVALID_INPUT',
    field: 'dimacs',
  },
  { title: 'an unknown variable', body: text('p cnf 2 1\n1 3 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  { title: 'words in a clause', body: text('p cnf 2 1\n1 two 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  {
    title: 'a clause without an end',
    body: text('p cnf 2 1\n1 2\n'),
    code: 'INVALID_INPUT',
    field: 'dimacs',
  },
  { title: 'a clause too few', body: text('p cnf 2 2\n1 2 0\n'), code: 'INVALID_INPUT', field: 'dimacs' },
  {
    title: 'variables beside a text',
    body: { ...text('p cnf 1 1\n1 0\n'), variables: 1 },
    code: 'INVALID_INPUT',
    field: 'variables',
  },
  {
    title: 'a count over too many variables',
    body: { mode: 'count', clauses: [[1]], variables: 101 },
    code: 'LIMIT_EXCEEDED',
    field: 'clauses',
  },
  {
    title: 'variables without end',
    body: decide([[1]], { variables: 1e9 }),
    code: 'LIMIT_EXCEEDED',
    field: 'clauses',
  },
  {
    title: 'more models than a double holds',
    body: { mode: 'count', clauses: [[1]], variables: 60 },
    code: 'LIMIT_EXCEEDED',
    field: 'mode',
  },
  {
    title: 'a budget of nothing',
    body: decide([[1]], { conflictBudget: 0 }),
    code: 'INVALID_INPUT',
    field: 'conflictBudget',
  },
  {
    title: 'a budget that is spent',
    body: decide(pigeons, { conflictBudget: 20 }),
    code: 'DID_NOT_CONVERGE',
  },
  {
    title: 'a count whose budget is spent',
    body: { mode: 'count', clauses: pigeons, conflictBudget: 20 },
    code: 'DID_NOT_CONVERGE',
  },
];

const orders = 'an answer is a model, a proof or a count, and exact';
testSolver(sat, { references, orders, twins, refused });

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { sha256 } from '#crypto';
import { ServiceNode } from '../../src/node.ts';
import type { Answer } from '../../src/proof/answer.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import type { FinishedRun, Part } from '../../src/proof/job.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { solvers } from '../../src/solvers/registry.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { type PlannedAgain, planAgain } from '../../src/spine/planned-again.ts';
import { prepareFrom } from '../../src/spine/request.ts';
import type { Executor, RunSpec } from '../../workers/executor.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { sealedBy } from '../challenges/lying.ts';
import { cheapest } from '../solvers/solver-test.ts';
import { figureEight, hour } from './test-node.ts';

// What a re-execution of the kernels cannot say, and the solver of the same release can: that these are the runs
// which the request asks for, and these the numbers that it calls by these names.

type Loose = Record<string, unknown> & { -readonly [K in keyof Answer]: Answer[K] };

t.setTimeout(180_000);
const dataDir = mkdtempSync(join(tmpdir(), 'planned-again-'));
t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
const node = await ServiceNode.open({ dataDir, threads: 1 });
t.teardown(() => node.close());
const { zid } = await node.accounts.create({ fuel: 10n * hour });

const given = new Map<string, FinishedRun>();

/** Executes in this thread and keeps what came out, by run hash. */
const recording: Executor = {
  async execute(spec: RunSpec) {
    const module = new WebAssembly.Module(node.catalogue.bytes(spec.kernel)!.slice());
    const run = driveRun(instantiateKernel(module), spec);
    given.set(run.runHash, run);
    return run;
  },
  async close() {},
};

const sealed = (solver: string, body: unknown) => sealedBy(node, dataDir, zid, recording, [solver, body]);

function again(text: string, change: (answer: Loose) => void = () => undefined): Promise<PlannedAgain> {
  const bundle = JSON.parse(text);
  change(bundle.answer);
  const file = readAnswer(bundle);
  const runs = file.runs.map(({ runHash }) => given.get(runHash)!);
  return planAgain(file, runs, (name) => node.catalogue.digest(name));
}

for (const solver of solvers)
  t.test(`${solver.id}: the solver plans the runs of its answer again and shows what it shows`, async (t) => {
    const { text } = await sealed(solver.id, cheapest(solver));
    t.match(await again(text), { agrees: true });
  });

/** The same answer to another request. */
const asking = (change: object) => (a: Loose) => {
  const request = { ...(a.request as object), ...change };
  const requestHash = toHex(sha256(canonicalBytes(request)));
  Object.assign(a, { request, envelope: { ...a.envelope, requestHash } });
};

t.test('a node that seals other words, places, runs or units than its solver is found out', async (t) => {
  const { text } = await sealed('zeta', { mode: 'zero', n: 1000 });
  const cases: [title: string, where: RegExp, change: (answer: Loose) => void][] = [
    ['an output under another name', /^\/n$/, (a) => Object.assign(a, { n: 999 })],
    [
      'a gate with another source',
      /^\/gates\/0\/source$/,
      (a) => Object.assign(a.gates[0]!, { source: 'a table' }),
    ],
    [
      'a run with another label',
      /^\/runs\/0\/label$/,
      (a) => Object.assign((a.runs as object[])[0]!, { label: 'x' }),
    ],
    ['a warning left out or added', /^\/warnings\/0$/, (a) => Object.assign(a, { warnings: ['none'] })],
    ['another value', /^\/value$/, (a) => Object.assign(a, { value: 5 })],
    [
      'another worst gate',
      /^\/envelope\/precisionActual$/,
      (a) => Object.assign(a.envelope, { precisionActual: 0 }),
    ],
    ['another unit', /^\/envelope\/unit$/, (a) => Object.assign(a.envelope, { unit: 'm' })],
    ['runs of another request', /^\/runs\/\d+$/, asking({ n: 1001 })],
    [
      'a request of another digest',
      /^\/request$/,
      (a) => Object.assign(a, { request: { ...(a.request as object), n: 1001 } }),
    ],
    ['a request that it refuses', /^\/request$/, (a) => Object.assign(a, { request: { n: -1 } })],
  ];
  for (const [title, where, change] of cases)
    t.match(await again(text, change), { agrees: false, where }, title);
});

/** The same JSON with the members of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
}

const nowhere = () => Promise.reject(new Error('no blobs here'));

async function plannedRuns(solver: Solver, body: unknown): Promise<unknown> {
  const sources = { loaded: new Map(), blob: nowhere, continued: nowhere };
  const { input, context, requestHash } = await prepareFrom(solver, body, sources);
  const digest = (part: Part) => ('bytes' in part ? toHex(sha256(part.bytes)) : part);
  const { runs } = solver.plan(input, context);
  return [requestHash, runs.map(({ parts, ...run }) => ({ ...run, parts: parts.map(digest) }))];
}

t.test('the order of a request’s members changes neither its digest nor its runs', async (t) => {
  for (const solver of solvers)
    for (const { title, body, expect } of solver.examples) {
      if ('status' in expect) continue;
      t.same(
        await plannedRuns(solver, turned(body)),
        await plannedRuns(solver, body),
        `${solver.id}: ${title}`,
      );
    }
});

t.test(
  'an answer to a formula of one’s own, its parameters sent in any order, is planned again',
  async (t) => {
    const own = solvers.find(({ id }) => id === 'solve')!.examples;
    for (const { body } of own.filter((each) => 'equation' in each.body)) {
      const { text } = await sealed('solve', turned(body));
      t.match(await again(text), { agrees: true });
    }
  },
);

t.test('a request of another price is not laid out: it could ask for any amount of memory', async (t) => {
  const { text } = await sealed('multibody', { ...figureEight, t_max: 0.5 });
  t.match(await again(text, asking({ t_max: 1e6 })), { agrees: false, where: '/envelope/work' });
  const file = readAnswer(text);
  const runs = file.runs.map(({ runHash }) => given.get(runHash)!);
  t.match(await planAgain(file, runs, (name) => node.catalogue.digest(name), 1000), {
    agrees: null,
    detail: /would take \d+ bytes, and 1000 may be taken/,
  });
});

t.test('what cannot be told here is left open', async (t) => {
  const { text } = await sealed('zeta', { mode: 'zero', n: 1000 });
  const cases: [title: string, says: RegExp, change: (answer: Loose) => void][] = [
    [
      'another release',
      /answer is of 0\.1\.0/,
      (a) => Object.assign(a.envelope, { engine_version: '0.1.0' }),
    ],
    [
      'a request elsewhere',
      /is not in the file/,
      (a) => Object.assign(a, { request: { $blob: `sha256:${'0'.repeat(64)}`, length: 70_000 } }),
    ],
  ];
  for (const [title, says, change] of cases)
    t.match(await again(text, change), { agrees: null, detail: says }, title);
  const { position: _, velocity: __, ...bodies } = figureEight;
  const first = await sealed('multibody', { ...figureEight, t_max: 0.5 });
  const second = await sealed('multibody', { ...bodies, initialState: { continue: first.job }, t_max: 1 });
  t.match(await again(second.text), { agrees: null, detail: /which only its node has/ });
});

import t from 'tap';
import { sha256 } from '#crypto';
import { makeBundle } from '../../src/proof/bundle.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import type { SealedJob } from '../../src/proof/make-answer.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import type { Releases } from '../../src/proof/releases.ts';
import { gateKindsOf, kindNames, readVerdictBytes, worstError } from '../../src/proof/verdict-bytes.ts';
import { type Trust, verifyAnswer } from '../../src/proof/verify.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { MissingPiece, reexecute } from '../../workers/reexecute.ts';
import { exampleRuns, exampleVkey, sealedBy, triangle, triangleDigest } from './example-job.ts';

// Files of a node that has its key and lies: every digest, hash and signature holds, and one thing is wrong.

type Row = readonly [
  kind: (typeof kindNames)[number],
  measured: number,
  reference: number,
  error: number,
  bound: number,
];

/** The example under a verdict of these rows, which a kernel of the node's own is said to have given. */
function withVerdict(rows: readonly Row[], precision?: number, ...extras: number[]): string {
  const numbers = rows.flatMap(([kind, ...row], index) => [index, kindNames.indexOf(kind), ...row]);
  const layout = (worst: number) =>
    new Layout().f64(1540, worst, rows.length, ...numbers, ...extras, 55).bytes();
  const verdict = readVerdictBytes(layout(0));
  const worst = precision ?? worstError(verdict.rows);
  const [first, last] = exampleRuns() as [FinishedRun, FinishedRun];
  const gates = rows.map(() => ({ name: 'gate', quantity: 'sum', source: 'the node' }));
  const sealed = { precisionActual: worst, gateKinds: gateKindsOf(verdict.rows) };
  const { answer } = sealedBy(sealed, { gates }, [first, { ...last, result: layout(worst) }]);
  return JSON.stringify(answer);
}

const verified = (file: unknown, trust: Partial<Trust> = {}) =>
  verifyAnswer(readAnswer(file), { vkeys: [exampleVkey], ...trust });
const failed = (file: unknown, trust: Partial<Trust> = {}) =>
  verified(file, trust).checks.flatMap(({ ok, where, detail }) => (ok ? [] : [`${where}: ${detail}`]));

const exact: Row = ['exact', 1540, 1540.77, 5e-4, 1e-3];
const estimate: Row = ['estimate', 0.01, 0.02, 1e-4, 2.5e-4];

t.test('a verdict that the rules do not know is not sound, whoever sealed it', async (t) => {
  const cases: [title: string, file: string, says: RegExp][] = [
    ['no rows', withVerdict([]), /^\/verdict: no gate stands behind the value$/],
    [
      'kinds that are no reference',
      withVerdict([
        ['invariant', 3, 3, 0, 1e-3],
        ['twin', 4, 4, 0, 1e-3],
      ]),
      /^\/verdict: no exact, certificate or estimate row/,
    ],
    [
      'a reference in standard errors only',
      withVerdict([['exact', 1540, 1540, 0, 4.5]]),
      /^\/verdict: no exact.*\n\/gates\/0: .*no estimate row bounds the standard error$/s,
    ],
    ['a bound of 1 %', withVerdict([exact, ['estimate', 1, 1, 5e-3, 1e-2]]), /^\/gates\/1: .*no precision$/],
    [
      'a wide certificate',
      withVerdict([exact, ['certificate', 1, 1, 0, 0.5]]),
      /^\/gates\/1: .*nor a ratio$/,
    ],
    ['a wide ratio', withVerdict([exact, ['twin', 2, 0, 2, 1e9]]), /^\/gates\/1: .*nor a ratio$/],
    ['many standard errors', withVerdict([exact, estimate, ['exact', 3, 3, 0, 5]]), /^\/gates\/2: .*no prec/],
    [
      'standard errors as large as the number',
      withVerdict([exact, estimate, ['exact', 2, 1, 1, 4.5]]),
      /^\/gates\/2: 1 standard errors between 2 and 1 are too large ones$/,
    ],
    [
      'a ratio of other numbers',
      withVerdict([exact, ['certificate', 8, 2, 0.5, 1]]),
      /^\/gates\/1: error 0.5 is neither the difference nor the ratio of 8 and 2$/,
    ],
    ['a count that differs', withVerdict([exact, ['certificate', 3, 2, 0, 0]]), /^\/gates\/1: a count/],
    [
      'no error where there is one',
      withVerdict([['exact', 1540, 1550, 0, 1e-3]]),
      /^\/gates\/0: error 0 between 1540 and 1550$/,
    ],
    ['an error below 0', withVerdict([['exact', 1540, 1540, -1, 1e-3]]), /^\/gates\/0: error -1 is below 0$/],
    [
      'an error above its bound',
      withVerdict([exact, ['twin', 2, 1, 2, 1e-3]], 5e-4),
      /\/gates\/1: error 2 abo/,
    ],
    ['a better precision than its rows', withVerdict([exact], 1e-9), /^\/verdict: not 0.0005$/],
    ['numbers that are none', withVerdict([exact], undefined, Number.NaN), /^\/verdict: .*finite$/],
  ];
  for (const [title, file, says] of cases) {
    t.equal(verified(file).verdict, 'NOT_SOUND', title);
    t.match(failed(file).join('\n'), says, `${title}, and nothing else`);
  }
});

t.test('rows of each sort that a solver writes are sound', async (t) => {
  const cases: [title: string, rows: Row[]][] = [
    ['a closed form', [exact, ['invariant', 2, 2, 0, 1e-10]]],
    ['means of samples', [exact, estimate, ['invariant', 2.001, 2, 0.5, 4.5], ['exact', 3, 3, 0, 4.5]]],
    [
      'counts and ratios',
      [
        ['certificate', 0.2, 0, 0.2, 1],
        ['certificate', 8, 2, 0.25, 1],
        ['certificate', 7, 7, 0, 0],
        ['certificate', 3e-9, 0, 3e-9, 1e-3],
      ],
    ],
    ['a size that is no comparison', [['estimate', 0, 2, 0, 2.5e-4]]],
    ['rounding', [exact, ['twin', 1, 1 + 2 ** -50, 0, 1e-3]]],
  ];
  for (const [title, rows] of cases) t.same(failed(withVerdict(rows)), [], title);
});

const plans: SealedJob['plans'] = [
  { kernel: 'sum', label: 'sum', parts: [{ bytes: new Layout().f64(10).bytes() }] },
  { kernel: 'sum.verdict', label: 'verdict', parts: [{ run: 0, of: 'result', from: 0, length: 8 }] },
];
const own = { sum: triangleDigest, 'sum.verdict': triangleDigest };
const other = 'f'.repeat(64);
const released = (engineVersion: string, names = ['sum', 'sum.verdict']): string =>
  JSON.stringify(
    sealedBy({ engineVersion }, { plans: plans.map((plan, i) => ({ ...plan, kernel: names[i]! })) }).answer,
  );

t.test('kernels that are not those of the release that the envelope names are not sound', async (t) => {
  const cases: [title: string, file: string, releases: Releases, says: string[]][] = [
    ['the very kernels', released('7.0.0'), { '7.0.0': own }, []],
    [
      'another verdict under its name',
      released('7.0.0'),
      { '7.0.0': { ...own, 'sum.verdict': other } },
      [`/runs/1/kernel: release 7.0.0 calls ${other} sum.verdict, not ${triangleDigest}`],
    ],
    [
      'a name that the release has not',
      released('7.0.0', ['sum', 'constructor']),
      { '7.0.0': own },
      ['/runs/1/kernel: release 7.0.0 has no kernel called constructor'],
    ],
    [
      'a kernel of the release that is no verdict',
      released('7.0.0', ['sum', 'sum']),
      { '7.0.0': own },
      ["/runs/1/kernel: sum is the last run's kernel, and no verdict"],
    ],
    [
      'kernels of another release',
      released('7.0.1'),
      { '7.0.0': own, '7.0.1': { sum: other, 'sum.verdict': triangleDigest } },
      [`/runs/0/kernel: release 7.0.1 calls ${other} sum, not ${triangleDigest}`],
    ],
  ];
  for (const [title, file, releases, says] of cases) {
    const found = verified(file, { releases });
    t.same(failed(file, { releases }), says, title);
    t.match(found, { sound: says.length === 0, release: { known: true } }, title);
    t.ok(found.checks.some(({ name }) => name === 'kernel'));
    const again = await reexecute(readAnswer(file), { releases, kernel: () => triangle });
    t.equal(again.agrees, says.length === 0, `${title}, executed again`);
    if (!again.agrees) t.match(again, { runs: 0, divergence: { what: 'kernel' } }, 'nothing is begun');
  }
});

t.test('a release that is not known is said, and refused by who asks for it', async (t) => {
  for (const version of ['9.9.9', 'constructor', '__proto__']) {
    const file = released(version);
    const trust = { releases: { '7.0.0': own } };
    t.match(verified(file, trust), { verdict: 'SOUND', release: { version, known: false } }, version);
    t.match(verified(file, { ...trust, strict: true }), {
      verdict: 'UNKNOWN_RELEASE',
      sound: false,
      detail: new RegExp(`^this copy does not know release ${version}`),
    });
    const again = await reexecute(readAnswer(file), { ...trust, kernel: () => triangle });
    t.match(again, { agrees: true, release: { version, known: false } });
  }
  t.equal(verified(released('7.0.0'), { releases: { '7.0.0': own }, strict: true }).verdict, 'SOUND');
});

t.test('a bundle from which a blob was taken is not sound', async (t) => {
  const request = { n: 10, notes: 'x'.repeat(70_000) };
  const requestHash = toHex(sha256(canonicalBytes(request)));
  const made = sealedBy({ requestHash }, { request });
  const bundle = await makeBundle(made.answer, {
    blob: async (digest) => made.blobs.get(digest),
    kernel: async () => triangle,
  });
  t.same(failed(bundle), []);
  t.same(failed({ ...bundle, blobs: {} }), [`/blobs/${requestHash}: is not in the bundle`]);
  t.same(failed(made.answer), [], 'an answer by itself names blobs that stand elsewhere');
});

t.test(
  'a bundle with other bytes under the name of a kernel is no whole one, whoever has the kernel',
  async (t) => {
    const bundle = await makeBundle(sealedBy({}).answer, {
      blob: async () => undefined,
      kernel: async () => triangle,
    });
    const changed = { ...bundle, kernels: { [triangleDigest]: 'AGFzbQEAAAA=' } };
    t.equal(verified(changed).verdict, 'NOT_SOUND');
    await t.rejects(reexecute(readAnswer(changed), { kernel: () => triangle }), MissingPiece);
  },
);

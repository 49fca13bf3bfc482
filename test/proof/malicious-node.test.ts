import t from 'tap';
import { sha256 } from '#crypto';
import { makeBundle } from '../../src/proof/bundle.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import type { JobToShow } from '../../src/proof/make-answer.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import type { Releases } from '../../src/proof/releases.ts';
import { type Trust, verifyAnswer } from '../../src/proof/verify.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { MissingPiece, reexecute } from '../../workers/reexecute.ts';
import { exampleVkey, sealedBy, triangle, triangleDigest } from './example-job.ts';
import { allowedVerdicts, refusedVerdicts } from './lying-verdicts.ts';

// Files of a node that has its key and lies: every digest, hash and signature holds, and one thing is wrong.

const verified = (file: unknown, trust: Partial<Trust> = {}) =>
  verifyAnswer(readAnswer(file), { vkeys: [exampleVkey], ...trust });
const failed = (file: unknown, trust: Partial<Trust> = {}) =>
  verified(file, trust).checks.flatMap(({ ok, where, detail }) => (ok ? [] : [`${where}: ${detail}`]));

t.test('a verdict that the rules do not know is not sound, whoever sealed it', async (t) => {
  for (const [title, file, says] of refusedVerdicts) {
    t.equal(verified(file).verdict, 'NOT_SOUND', title);
    t.match(failed(file).join('\n'), says, `${title}, and nothing else`);
  }
});

t.test('rows of each sort that a solver writes are sound', async (t) => {
  for (const [title, file] of allowedVerdicts) t.same(failed(file), [], title);
});

const plans: JobToShow['plans'] = [
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

/**
 * The protocol held by a second implementation in another language (verifier.py, written from docs/protocol.md
 * alone) and a second engine (Wasmtime, which compiles with Cranelift): both must accept, refuse and find
 * unreadable the same files, for every solver there is.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { solvers } from '../../src/solvers/registry.ts';
import { repositoryRoot } from '../root.ts';
import { pythonMissing, runPython } from '../servers/python.ts';
import { cheapest } from '../solvers/solver-test.ts';
import { bothSay, dataFolder, folder, node, python, pythonFolder, svc, written } from './both-programs.ts';
import { bundlesOf, twoAtOnce } from './node-bundles.ts';

interface Run {
  kernel: string;
  name: string;
  parts: { bytes?: string }[];
  runHash: string;
  stepsPerSegment: number;
  segments: number;
  digests: string[];
  work: string;
}

interface Answer {
  value: number;
  unit: string | null;
  request: unknown;
  verdict: string;
  gates: { measured: number; bound: number; relError: number }[];
  runs: Run[];
  envelope: { node: string; jobRoot: string; solver: string; valueBits: string; engine_version: string };
  receipt: { pulse: number; log: { index: number; checkpoint: string } };
  tick_receipt: { phase: number };
  charges: { work: string };
}

interface Bundle {
  format: string;
  answer: Answer;
  blobs: Record<string, string>;
  kernels: Record<string, string>;
}

const skip = pythonMissing;
t.setTimeout(600_000);

const page = join(repositoryRoot, 'docs', 'protocol.md');

const vkeyOf = async () => (await svc(['identity'])).stdout.trim();

/** Runs the cheapest example of every solver and packs each with its blobs and kernels. */
async function runAll(): Promise<void> {
  const requests = solvers.map((solver) => [solver.id, cheapest(solver)] as const);
  const texts = await bundlesOf(dataFolder, requests);
  for (const [i, text] of texts.entries()) {
    const { id } = solvers[i]!;
    writeFileSync(join(folder, `${id}.bundle.json`), text);
    bundles.set(id, withRunsInside(JSON.parse(text) as Bundle));
  }
}

/** Long lists of runs stand in a blob; the damage below is done to the list itself. */
function withRunsInside(bundle: Bundle): Bundle {
  const { runs } = bundle.answer;
  if (Array.isArray(runs)) return bundle;
  const blob = bundle.blobs[(runs as { $blob: string }).$blob.slice('sha256:'.length)]!;
  const text = Buffer.from(blob, 'base64').toString('utf8');
  return { ...bundle, answer: { ...bundle.answer, runs: JSON.parse(text) as Run[] } };
}

const bundles = new Map<string, Bundle>();
let vkey = '';

t.before(async () => {
  if (skip) return;
  await runAll();
  vkey = await vkeyOf();
});

const sha256 = (...pieces: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
};

/** A true key under the node's name, but not the node's. */
function strangersKey(name: string): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const typed = Buffer.concat([Buffer.of(1), Buffer.from(x!, 'base64url')]);
  const id = sha256(name, '\n', typed).subarray(0, 4).toString('hex');
  return `${name}+${id}+${typed.toString('base64')}`;
}

/** The text with its first character of the alphabet 1…8 after `from` exchanged for the next digit. */
function otherDigit(text: string, from = 0): string {
  const at = text.slice(from).search(/[1-8]/) + from;
  return `${text.slice(0, at)}${Number(text[at]) + 1}${text.slice(at + 1)}`;
}

function otherByte(base64: string, at = 0): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[at]! ^= 1;
  return bytes.toString('base64');
}

/** The next double, or one that is near it. */
const nextUp = (number: number) => number + (Math.abs(number) * 2 ** -52 || 1);

type Damage = readonly [title: string, change: (answer: Answer, bundle: Bundle) => unknown, exit: 1 | 2];

const damages: readonly Damage[] = [
  ['a digit of the value', (a) => (a.value = nextUp(a.value)), 1],
  ['a gate row', (a) => (a.gates[0]!.measured = nextUp(a.gates[0]!.measured)), 1],
  ['a bound that is wider', (a) => (a.gates[0]!.bound *= 2), 1],
  ['a byte of the verdict', (a) => (a.verdict = otherByte(a.verdict, 40)), 1],
  ['a parameter', (a) => (a.runs[0]!.parts[0]!.bytes = otherByte(a.runs[0]!.parts[0]!.bytes!, 7)), 1],
  ['the length of a segment', (a) => a.runs[0]!.stepsPerSegment++, 1],
  ['a digest', (a) => (a.runs[0]!.digests[0] = otherDigit(a.runs[0]!.digests[0]!)), 1],
  ['the work of a run', (a) => (a.runs[0]!.work = otherDigit(a.runs[0]!.work)), 1],
  ['the charge', (a) => (a.charges.work = otherDigit(a.charges.work)), 1],
  ['the request', (a) => (a.request = { ...(a.request as object), more: 1 }), 1],
  ['a number beside the value', (a) => Object.assign(a, { measuredTwice: Math.PI }), 1],
  ['the unit', (a) => (a.unit = 'furlong'), 1],
  ['a member of the envelope', (a) => (a.envelope.solver += '2'), 1],
  ['a field of the receipt', (a) => (a.receipt.pulse = 1.288), 1],
  ['the phase', (a) => (a.tick_receipt.phase = nextUp(a.tick_receipt.phase)), 1],
  ['a line that is no signature', (a) => (a.receipt.log.checkpoint += 'hello\n'), 1],
  ['the index in the log', (a) => a.receipt.log.index++, 1],
  [
    'a byte of the signature',
    (a) => (a.receipt.log.checkpoint = a.receipt.log.checkpoint.replace(/.{9}=*\n$/, (s) => swapped(s))),
    1,
  ],
  ['the node', (a) => (a.envelope.node = 'another'), 1],
  ['the name of a kernel', (a) => (a.runs[0]!.name = 'another'), 1],
  ['the release', (a) => (a.envelope.engine_version = '0.0.9'), 1],
  ['a kernel', (_, b) => (b.kernels[Object.keys(b.kernels)[0]!] = 'AGFzbQEAAAA='), 1],
  ['too many digests', (a) => (a.runs[0]!.digests = Array(16_385).fill(a.runs[0]!.digests[0])), 2],
  ['too many segments', (a) => (a.runs[0]!.segments = 2 ** 22 + 1), 2],
  ['a word in a digest', (a) => (a.envelope.jobRoot = `g${a.envelope.jobRoot.slice(1)}`), 2],
  ['a member too many', (a) => Object.assign(a.envelope, { more: 1 }), 2],
  ['a member too few', (a) => Reflect.deleteProperty(a.runs[0]!, 'runHash'), 2],
  ['base 64 without padding', (a) => (a.verdict = `${a.verdict.replace(/=*$/, '')}A`), 2],
];

const swapped = (text: string) => (text[0] === 'A' ? 'B' : 'A') + text.slice(1);

t.test('the Python parts give the known answers of the RFCs and of the page', { skip }, async (t) => {
  const { code, stderr } = await runPython(['-B', join(pythonFolder, 'vectors.py'), page]);
  t.equal(code, 0, stderr);
});

t.test('both verifiers find the cheapest example of every solver sound', { skip }, async (t) => {
  await twoAtOnce(solvers, ({ id }) =>
    bothSay(t, id, ['verify', join(folder, `${id}.bundle.json`), '--key', vkey], 0),
  );
});

t.test('both verifiers refuse one changed digit in any solver’s answer', { skip }, async (t) => {
  await twoAtOnce(solvers, async ({ id }) => {
    const changed = structuredClone(bundles.get(id)!);
    changed.answer.value = nextUp(changed.answer.value);
    const { said } = await bothSay(t, id, ['verify', written(changed), '--key', vkey], 1);
    t.match(said, { verdict: 'NOT_SOUND', failed: [{ at: '/value' }] }, id);
  });
});

t.test('both verifiers refuse each kind of damage, or find it unreadable', { skip }, async (t) => {
  const whole = bundles.get(solvers[0]!.id)!;
  await twoAtOnce(damages, async ([title, change, exit]) => {
    const damaged = structuredClone(whole);
    change(damaged.answer, damaged);
    t.notSame(damaged, whole, `${title} is changed`);
    await bothSay(t, title, ['verify', written(damaged), '--key', vkey], exit);
  });
});

t.test('both verifiers need the node’s own key, and the whole file', { skip }, async (t) => {
  const whole = bundles.get(solvers[0]!.id)!;
  const file = written(whole);
  const { node: name } = whole.answer.envelope;
  const wrong = await bothSay(t, 'a stranger’s key', ['verify', file, '--key', strangersKey(name)], 1);
  t.equal(wrong.said.verdict, 'NOT_SOUND');
  const unknown = await bothSay(t, 'another node', ['verify', file, '--key', strangersKey('nobody')], 1);
  t.equal(unknown.said.verdict, 'UNKNOWN_NODE');
  await bothSay(t, 'a broken key', ['verify', file, '--key', otherDigit(vkey, name.length + 1)], 2);
  const text = JSON.stringify(whole);
  await bothSay(t, 'a truncated file', ['verify', written(text.slice(0, text.length / 2)), '--key', vkey], 2);
  await bothSay(t, 'no file', ['verify', join(folder, 'none.json'), '--key', vkey], 2);
});

t.test('Wasmtime gives every solver’s digests to the bit', { skip }, async (t) => {
  await twoAtOnce(bundles, async ([id, { answer }]) => {
    const { code, said } = await python(['rerun', join(folder, `${id}.bundle.json`)]);
    t.equal(code, 0, `${id}: ${said.what ?? ''}`);
    t.match(said, { verdict: 'AGREES', runs: answer.runs.length, jobRoot: answer.envelope.jobRoot }, id);
  });
});

t.test('a changed digest is found at its run and segment by both engines', { skip }, async (t) => {
  await twoAtOnce(bundles, async ([id, whole]) => {
    const { runs } = whole.answer;
    const run = runs.length - 1;
    const segment = runs[run]!.segments;
    const changed = structuredClone(whole);
    changed.answer.runs[run]!.digests[segment] = otherDigit(runs[run]!.digests[segment]!);
    const file = written(changed);
    const [here, there] = await Promise.all([node(['rerun', file]), python(['rerun', file])]);
    t.equal(here.code, 1, id);
    t.match(here.said, { divergence: { run, segments: { from: segment, to: segment } } }, id);
    t.equal(there.code, 1, id);
    t.match(there.said, { verdict: 'DIFFERS', run, segment }, id);
  });
});

/** A custom section, which no engine runs: the kernel computes the same and has another digest. */
const relabelled = (kernel: Buffer) => Buffer.concat([kernel, Buffer.of(0, 2, 1, 0x78)]);

/** docs/protocol.md §2, with parameters that are all literal. */
function runHash(kernel: Buffer, run: Run): string {
  const parameters = Buffer.concat(run.parts.map((part) => Buffer.from(part.bytes!, 'base64')));
  const u64 = (n: number) => Buffer.from(new BigUint64Array([BigInt(n)]).buffer);
  const sizes = [u64(parameters.length), u64(run.stepsPerSegment)] as const;
  return sha256('SVC-RUN-1\0', kernel, sizes[0], parameters, sizes[1]).toString('hex');
}

t.test(
  'another kernel under its name and runHash is not the one of the release, nor gives its digests',
  { skip },
  async (t) => {
    const changed = structuredClone(bundles.get(solvers[0]!.id)!);
    const run = changed.answer.runs[0]!;
    t.equal(
      runHash(Buffer.from(run.kernel, 'hex'), run),
      run.runHash,
      'this test computes runHash as the node does',
    );
    const bytes = relabelled(Buffer.from(changed.kernels[run.kernel]!, 'base64'));
    const digest = sha256(bytes);
    run.kernel = digest.toString('hex');
    changed.kernels[run.kernel] = bytes.toString('base64');
    run.runHash = runHash(digest, run);
    const known = await bothSay(t, 'relabelled kernel', ['rerun', written(changed)], 1);
    t.match(known.said, { verdict: 'DIFFERS', run: 0, at: '/runs/0/kernel' });
    changed.answer.envelope.engine_version = 'nobody knows';
    const { said } = await bothSay(t, '…of another release', ['rerun', written(changed)], 1);
    t.match(said, { verdict: 'DIFFERS', run: 0, segment: 0, what: 'another digest' });
  },
);

t.test('kernel bytes that are not what their name says are never run', { skip }, async (t) => {
  const changed = structuredClone(bundles.get(solvers[0]!.id)!);
  const { kernel } = changed.answer.runs[0]!;
  changed.kernels[kernel] = otherByte(changed.kernels[kernel]!, 900);
  const { said } = await bothSay(t, 'other bytes', ['rerun', written(changed)], 2);
  t.match(said.what, /^run 0, segment 0: the bytes under kernel/);
});

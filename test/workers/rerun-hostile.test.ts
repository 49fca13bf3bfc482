import { readFileSync } from 'node:fs';
import binaryen from 'binaryen';
import t from 'tap';
import { sha256 } from '#crypto';
import type { RunEntry } from '../../src/proof/answer.ts';
import { fromBase64, fromHex, toBase64, toHex } from '../../src/proof/bytes.ts';
import { runHash } from '../../src/proof/digests.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { type Rerun, reexecute } from '../../workers/reexecute.ts';
import { rerunWatched } from '../../workers/rerun-watched.ts';
import { exampleAnswer, triangle, triangleDigest } from '../proof/example-job.ts';
import { repositoryRoot } from '../root.ts';

// Bundles whose kernels a stranger wrote: each must end, with a sentence, whatever the kernel does.

const source = readFileSync(`${repositoryRoot}/test/proof/triangle.wat`, 'utf8');
const STILL_MS = 600;

/** The example's kernel with a piece of its text exchanged. */
function kernel(piece: string | RegExp, by: string): Uint8Array {
  const text = source.replace(piece, by);
  if (text === source) throw new Error(`${piece} is not in the kernel`);
  const module = binaryen.parseText(text);
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  return module.emitBinary();
}

/** A bundle of the example in which run 0 names this kernel, consistently, and these entries. */
function bundle(bytes: Uint8Array, changes: Partial<RunEntry> = {}): Uint8Array {
  const { answer } = exampleAnswer();
  const [first, ...others] = answer.runs as RunEntry[];
  const entry = { ...first!, kernel: toHex(sha256(bytes)), ...changes };
  const [part] = entry.parts as [{ bytes: string }];
  const hash = toHex(runHash(entry.kernel, fromBase64(part.bytes), entry.stepsPerSegment));
  const file = {
    format: 'svc-bundle-1',
    answer: { ...answer, runs: [{ ...entry, runHash: hash }, ...others] },
    blobs: {},
    kernels: { [entry.kernel]: toBase64(bytes), [triangleDigest]: toBase64(triangle) },
  };
  return Buffer.from(JSON.stringify(file));
}

const endless = '(loop $for_ever (br $for_ever))';
const advance = /\(func \(export "advance"\)[\s\S]*?\(local.get \$taken\)\)\n/;
const start = '(func (export "start") (param $budget i32) (result i32) (i32.const 1))';
const advancing = (body: string) =>
  `(func (export "advance") (param $steps i32) (param $budget i32) (result i32) ${body})\n`;
/** The same, so that no listed digest tells the kernel from the example's before it does its worst. */
const hostile = (bytes: Uint8Array, changes: Partial<RunEntry> = {}) =>
  bundle(bytes, { segments: 40_000, digests: { level: 2, nodes: [] }, ...changes });

t.test('a kernel that never returns is given up', async (t) => {
  const cases: [title: string, bytes: Uint8Array][] = [
    ['in a call', kernel(advance, advancing(`${endless} (i32.const 0)`))],
    ['in a start function', kernel('(func $step', `(func $s ${endless}) (start $s) (func $step`)],
    ['because its start is never done', kernel(start, start.replace('const 1', 'const 0'))],
    ['because it takes no step', kernel(advance, advancing('(i32.const 0)'))],
  ];
  await Promise.all(
    cases.map(([title, bytes]) =>
      t.rejects(
        rerunWatched(hostile(bytes), { stillMs: STILL_MS }),
        { code: 'KERNEL_CRASHED', message: /stood still/ },
        title,
      ),
    ),
  );
});

t.test('a kernel that does more than the answer names is stopped there', async (t) => {
  const never = kernel('(then (call $close))', '(then)');
  const cases: [what: string, changes: Partial<RunEntry>, detail: RegExp][] = [
    ['steps', { work: '1000000' }, /more than the 10 that/],
    ['work', { steps: 1e6 }, /more than the 10 units/],
    ['segment', { steps: 1e6, work: '1000000', segments: 5 }, /segment 6 of 5/],
  ];
  for (const [what, changes, detail] of cases)
    t.match(
      await watched(hostile(never, changes)),
      { agrees: false, divergence: { run: 0, what, detail } },
      what,
    );
});

const watched = (file: Uint8Array): Promise<Rerun> => rerunWatched(file, { stillMs: 20_000 });

t.test('a module that is no kernel is a difference, in a sentence', async (t) => {
  const importing = kernel(
    '(memory (export',
    '(import "env" "seed" (func $seed (result f64))) (memory (export',
  );
  const cases: [title: string, bytes: Uint8Array, detail: RegExp][] = [
    ['nothing at all', Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), /kernel failed/],
    ['no WebAssembly', Uint8Array.of(1, 2, 3), /kernel failed/],
    ['an import', importing, /imports nothing, this one env.seed/],
    ['a trap', kernel(advance, advancing('(unreachable)')), /kernel failed: unreachable/],
    [
      'a stack without end',
      kernel(advance, advancing('(call $e)').concat('(func $e (result i32) (call $e))')),
      /kernel failed/,
    ],
    ['steps below none', kernel(advance, advancing('(i32.const -5)')), /took -5 of 4 steps/],
    ['more steps than asked for', kernel(advance, advancing('(i32.const 5)')), /took 5 of 4 steps/],
    [
      'a state of negative length',
      kernel('(result i32) (i32.const 24))', '(result i32) (i32.const -24))'),
      /kernel failed/,
    ],
    [
      'rows outside its memory',
      kernel('(i32.const 0)) (i32.const 4096))', '(i32.const 0)) (i32.const -8))'),
      /kernel failed/,
    ],
    [
      'more than 2 GiB later',
      kernel(
        '(call $step)',
        '(if (i32.lt_s (memory.grow (i32.const 33000)) (i32.const 0)) (then (unreachable))) (call $step)',
      ),
      /kernel failed: unreachable/,
    ],
    ['a memory of 4 GiB', kernel('(export "memory") 1', '(export "memory") 65536'), /kernel failed/],
  ];
  for (const [title, bytes, detail] of cases)
    t.match(
      await watched(hostile(bytes)),
      { agrees: false, divergence: { run: 0, what: 'kernel', detail } },
      title,
    );
});

t.test('segments of no steps, or of more than there are, begin nothing and hang nothing', async (t) => {
  t.match(await watched(bundle(triangle, { stepsPerSegment: 0 })), {
    agrees: false,
    divergence: { what: 'parameters', detail: 'segments of no steps never end' },
  });
  const huge = await watched(bundle(triangle, { stepsPerSegment: Number.MAX_SAFE_INTEGER }));
  t.match(huge, { agrees: false, divergence: { run: 0, what: 'segment', segments: { from: 0, to: 0 } } });
});

t.test('a true bundle agrees on a thread as it does here', async (t) => {
  const file = bundle(triangle);
  const here = await reexecute(readAnswer(file));
  t.equal(here.agrees, true, here.detail);
  t.same(await watched(file), here);
  t.equal(fromHex(here.detail.slice(-64)).length, 32, 'with the job root');
});

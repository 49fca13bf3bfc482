import { readFileSync } from 'node:fs';
import binaryen from 'binaryen';
import { sha256 } from '#crypto';
import type { RunEntry } from '../../src/proof/answer.ts';
import { fromBase64, toBase64, toHex } from '../../src/proof/bytes.ts';
import { runHash } from '../../src/proof/digests.ts';
import { exampleAnswer, triangle, triangleDigest } from '../proof/example-job.ts';
import { repositoryRoot } from '../root.ts';

// Bundles whose kernels a stranger wrote, and whose entries fit them.

const source = readFileSync(`${repositoryRoot}/test/proof/triangle.wat`, 'utf8');

/** The example's kernel with a piece of its text exchanged. */
export function kernel(piece: string | RegExp, by: string): Uint8Array {
  const text = source.replace(piece, by);
  if (text === source) throw new Error(`${piece} is not in the kernel`);
  const module = binaryen.parseText(text);
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  return module.emitBinary();
}

/** A bundle of the example in which run 0 names this kernel, consistently, and these entries. */
export function bundle(bytes: Uint8Array, changes: Partial<RunEntry> = {}): Uint8Array {
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

export const endless = '(loop $for_ever (br $for_ever))';
export const advance = /\(func \(export "advance"\)[\s\S]*?\(local.get \$taken\)\)\n/;
export const start = '(func (export "start") (param $budget i32) (result i32) (i32.const 1))';
export const advancing = (body: string) =>
  `(func (export "advance") (param $steps i32) (param $budget i32) (result i32) ${body})\n`;
/** The same, so that no listed digest tells the kernel from the example's before it does its worst. */
export const hostile = (bytes: Uint8Array, changes: Partial<RunEntry> = {}) =>
  bundle(bytes, { segments: 40_000, digests: { level: 2, nodes: [] }, ...changes });

/** Kernels of which each never comes back, or never gets further. */
export const endlessKernels: readonly (readonly [title: string, bytes: Uint8Array])[] = [
  ['in a call', kernel(advance, advancing(`${endless} (i32.const 0)`))],
  ['in a start function', kernel('(func $step', `(func $s ${endless}) (start $s) (func $step`)],
  ['because its start is never done', kernel(start, start.replace('const 1', 'const 0'))],
  ['because it takes no step', kernel(advance, advancing('(i32.const 0)'))],
];

const importing = kernel(
  '(memory (export',
  '(import "env" "seed" (func $seed (result f64))) (memory (export',
);

/** Modules that are no kernels, and what a re-execution says of them. */
export const wrongKernels: readonly (readonly [title: string, bytes: Uint8Array, detail: RegExp])[] = [
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

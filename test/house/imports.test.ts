import t from 'tap';
import { breaches } from './rules.ts';
import { repositoryFiles, type SourceFile } from './source-files.ts';

t.test('the sources keep the rules of the house', async (t) => {
  t.strictSame(breaches(repositoryFiles()), []);
});

/** A small house without a breach; each twin below breaks one rule in it. */
const sound: Readonly<Record<string, string>> = {
  'src/main.ts': "import './cli/main.ts'; import { run } from './spine/run.ts'; run(process.env.PORT);",
  'src/cli/main.ts': "import type { Pool } from '../../workers/pool.ts'; export type P = Pool;",
  'src/spine/run.ts': "import '../../workers/pool.ts'; import '../proof/seal.ts'; import '../units/si.ts';",
  'src/units/si.ts': 'export const root = (x: number) => Math.sqrt(x) * 2 ** 3;',
  'src/proof/seal.ts': "import { sha256 } from '#crypto'; sha256();",
  'src/proof/crypto-node.ts': "export { createHash as sha256 } from 'node:crypto';",
  'src/proof/crypto-portable.ts': "export { sha256 } from '@noble/hashes/sha2.js';",
  'src/errors/refusal.ts': 'export class Refusal extends Error {}',
  'workers/pool.ts': "import '../src/errors/refusal.ts'; new URL('./thread.js', import.meta.url);",
  'workers/thread.ts': "import './kernel-host.ts';",
  'workers/kernel-host.ts': "import '#crypto';",
  'assembly/kernels/solve.ts': "import { sin } from '../math/sin';",
  'assembly/math/sin.ts': 'export function sin(x: f64): f64 { return Math.sin(x); }',
};

const breachesOf = (changes: Readonly<Record<string, string>>): string[] => {
  const house = { ...sound, ...changes };
  return breaches(Object.entries(house).map(([path, text]): SourceFile => ({ path, text })));
};

t.test('a small sound house has no breach', async (t) => {
  t.strictSame(breachesOf({}), []);
});

const twins: readonly (readonly [claim: string, path: string, text: string, breach: RegExp])[] = [
  ['upwards', 'src/errors/refusal.ts', "import '../units/si.ts';", /src\/errors may not know src\/units/],
  [
    'a type upwards',
    'src/proof/seal.ts',
    "import type { A } from '../spine/run.ts';",
    /may not know src\/spine/,
  ],
  [
    'a kernel out of assembly',
    'assembly/math/sin.ts',
    "import '../../src/units/si';",
    /assembly may not know/,
  ],
  [
    'an inline type upwards',
    'src/units/si.ts',
    "let a: import('../spine/run.ts').A;",
    /may not know src\/spine/,
  ],
  ['a test from the program', 'src/spine/run.ts', "import '../../test/root.ts';", /may not know test/],
  ['the environment', 'src/spine/run.ts', 'const a = process.env.A;', /reads process.env/],
  ['the environment, taken apart', 'workers/thread.ts', 'const { A } = process.env;', /reads process.env/],
  ['a sine of the host', 'src/units/si.ts', 'Math.sin(1);', /uses Math.sin/],
  ['a power of the host', 'src/units/si.ts', 'const f = (x: number) => x ** 3;', /uses \*\*/],
  [
    'a feature that knows another',
    'src/sites/a.ts',
    "import '../mail/b.ts';",
    /src\/sites may not know src\/mail/,
  ],
  [
    'a node that knows a surface',
    'src/node.ts',
    "import './http/app.ts';",
    /src\/node may not know src\/http/,
  ],
  ['Math taken apart', 'src/units/si.ts', 'const { cos } = Math;', /uses Math/],
  ['Node in the verifier', 'src/proof/seal.ts', "import 'node:fs';", /seal.ts needs node:fs/],
  ['a global of Node in the verifier', 'src/proof/seal.ts', 'Buffer.from([]);', /seal.ts needs Buffer/],
  ['Node in the kernel host', 'workers/kernel-host.ts', "import 'node:fs';", /kernel-host.ts needs node:fs/],
  ['a cycle', 'workers/kernel-host.ts', "import './pool.ts';", /cycle: .*pool.ts → .*thread.ts → .*host/],
  [
    'a cycle of types',
    'workers/kernel-host.ts',
    "import type { Pool } from './pool.ts';",
    /cycle: .*pool.ts → .*thread.ts → .*host/,
  ],
  ['a dead file', 'src/proof/old.ts', 'export {};', /src\/proof\/old.ts is dead/],
  ['a dead worker', 'workers/pool.ts', 'export {};', /workers\/thread.ts is dead/],
];

for (const [claim, path, text, breach] of twins) {
  t.test(`a house with ${claim} is refused`, async (t) => {
    t.match(breachesOf({ [path]: text }).join('\n'), breach);
  });
}

t.test('Node two floors below the verifier is found', async (t) => {
  const found = breachesOf({
    'src/proof/seal.ts': "import '../clock/ticks.ts';",
    'src/clock/ticks.ts': "import 'node:process';",
  });
  t.match(found.join('\n'), /src\/clock\/ticks.ts needs node:process/);
});

t.test('what only a test uses is dead', async (t) => {
  const found = breachesOf({
    'src/units/odd.ts': 'export {};',
    'test/units/odd.test.ts': "import '../../src/units/odd.ts';",
  });
  t.strictSame(found, ['src/units/odd.ts is dead: nothing that runs imports it']);
});

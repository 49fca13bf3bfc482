import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { forbiddenInstructions } from '../engines/instructions.ts';
import { nodeBinaries } from '../engines/node-binaries.ts';
import { repositoryRoot } from '../root.ts';

t.setTimeout(300_000);
const folder = join(repositoryRoot, 'dist', 'kernels');
const manifestFile = join(folder, 'manifest.json');
const skip = !existsSync(manifestFile) && 'no kernels built: npm run build';
const manifestText = (file: string) => readFileSync(file, 'utf8');

t.test('no kernel has an instruction that may give other bits on another machine', { skip }, async (t) => {
  const manifest: Record<string, { sha256: string }> = JSON.parse(manifestText(manifestFile));
  for (const [name, { sha256 }] of Object.entries(manifest)) {
    t.strictSame(forbiddenInstructions(readFileSync(join(folder, `${sha256}.wasm`))), [], name);
  }
});

/** A module of one function with this type (without its vector's length) and body, behind `before`. */
function moduleOf(type: string, body: string, before = ''): Uint8Array {
  const bytes = (text: string) => text.length / 2;
  const hex = (count: number) => count.toString(16).padStart(2, '0');
  const section = (id: string, content: string) => `${id}${hex(bytes(content))}${content}`;
  const code = `00${body}0b`;
  const parts = [
    section('01', `01${type}`),
    section('03', '0100'),
    before,
    section('0a', `01${hex(bytes(code))}${code}`),
  ];
  return Buffer.from(`0061736d01000000${parts.join('')}`, 'hex');
}

t.test('a fused multiplication, an atomic, a tail call and a reference are found', async (t) => {
  // f64x2.relaxed_madd(local 0, local 1, local 2)
  const fused = moduleOf('60037b7b7b017b', '200020012002fd8702');
  t.strictSame(forbiddenInstructions(fused), ['relaxed SIMD 0x107 in function 0']);
  // i32.atomic.load of address 0, return_call 0, ref.null extern
  const atomic = moduleOf('6000017f', '4100fe100200');
  t.match(forbiddenInstructions(atomic), [/^unknown: atomic 0x10 /]);
  t.match(forbiddenInstructions(moduleOf('600000', '1200')), [/^unknown: 0x12 /]);
  t.match(forbiddenInstructions(moduleOf('600000', 'd06f1a')), [/^unknown: 0xd0 /]);
});

t.test('what only looks like one is passed over', async (t) => {
  // i64.const whose bytes are those of relaxed_madd, drop; v128.const likewise, drop
  const constants = moduleOf('600000', `42fd87021afd0c${'fd8702'.repeat(5)}fd1a`);
  t.strictSame(forbiddenInstructions(constants), []);
  t.equal(WebAssembly.validate(constants as BufferSource), true);
});

interface KernelSources {
  readonly name: string;
  readonly files: readonly string[];
}

/** Of each folder of sources the kernel that takes in most of it: what one compiler does, it does to all of them. */
async function samples(): Promise<string[]> {
  const script = pathToFileURL(join(repositoryRoot, 'scripts', 'build-kernels.mjs'));
  const { closure, entries } = await import(script.href);
  const kernels: KernelSources[] = entries().map(({ name, file }: { name: string; file: string }) => ({
    name,
    files: [...closure(file)],
  }));
  const folders = new Set(kernels.flatMap(({ files }) => files.map(dirname)));
  const mostOf = (folder: string) => {
    const count = ({ files }: KernelSources) => files.filter((file) => dirname(file) === folder).length;
    return kernels.reduce((best, each) => (count(each) > count(best) ? each : best)).name;
  };
  return [...new Set([...folders].map(mostOf))];
}

t.test(
  'a build in another folder, under another Node, zone and language makes the same bytes',
  { skip },
  async (t) => {
    const names = await samples();
    const copy = realpathSync(mkdtempSync(join(tmpdir(), 'build-')));
    t.teardown(() => execFileSync('rm', ['-r', copy]));
    for (const name of ['assembly', 'asconfig.json', 'scripts', 'package.json'])
      cpSync(join(repositoryRoot, name), join(copy, name), { recursive: true });
    symlinkSync(join(repositoryRoot, 'node_modules'), join(copy, 'node_modules'));
    const env = { ...process.env, TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
    const build = [join(copy, 'scripts', 'build-kernels.mjs'), ...names];
    execFileSync(nodeBinaries().at(-1)!, build, { env, cwd: '/' });
    const there = JSON.parse(manifestText(join(copy, 'dist', 'kernels', 'manifest.json')));
    t.strictSame(Object.keys(there), [...names].sort());
    const here = JSON.parse(manifestText(manifestFile));
    for (const name of names) t.strictSame(there[name], here[name], name);
  },
);

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../root.ts';

const folder = join(repositoryRoot, 'dist', 'kernels');
const manifestFile = join(folder, 'manifest.json');
const skip = !existsSync(manifestFile) && 'no kernels built: npm run build';

const importsOf = (bytes: Uint8Array<ArrayBuffer>): string[] =>
  WebAssembly.Module.imports(new WebAssembly.Module(bytes)).map(({ module, name }) => `${module}.${name}`);

t.test('no kernel imports anything: its bytes are all there is to it', { skip }, async (t) => {
  const manifest: Record<string, { sha256: string }> = JSON.parse(readFileSync(manifestFile, 'utf8'));
  for (const [name, { sha256 }] of Object.entries(manifest)) {
    t.strictSame(importsOf(new Uint8Array(readFileSync(join(folder, `${sha256}.wasm`)))), [], name);
  }
});

t.test('a module that imports a function is seen', async (t) => {
  // (module (import "env" "abort" (func)))
  const bytes = '0061736d01000000010401600000020d0103656e760561626f72740000';
  t.strictSame(importsOf(Uint8Array.from(Buffer.from(bytes, 'hex'))), ['env.abort']);
});

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { engineVersion } from '../../src/version.ts';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { repositoryRoot } from '../root.ts';

const archive = join(repositoryRoot, 'kernels');
const releases = JSON.parse(readFileSync(join(archive, 'releases.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;
const files = readdirSync(archive).filter((file) => file.endsWith('.wasm'));

t.test('every kernel of every release is kept under its digest, and nothing else', async (t) => {
  for (const file of files) {
    const sha256 = createHash('sha256')
      .update(readFileSync(join(archive, file)))
      .digest('hex');
    t.equal(`${sha256}.wasm`, file);
  }
  const named = new Set(Object.values(releases).flatMap((kernels) => Object.values(kernels)));
  t.strictSame(new Set(files.map((file) => file.slice(0, -'.wasm'.length))), named);
});

t.test('a released version builds the kernels that it was released with', async (t) => {
  const released = releases[engineVersion];
  if (!released) return t.comment(`${engineVersion} is not released yet`);
  const catalogue = new KernelCatalogue();
  const built = Object.fromEntries(catalogue.names.map((name) => [name, catalogue.digest(name)]));
  t.strictSame(built, released, 'a kernel that changes needs a new version: npm run release:kernels');
});

t.test('the version of the engine is the version of the package', async (t) => {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  t.equal(engineVersion, version);
});

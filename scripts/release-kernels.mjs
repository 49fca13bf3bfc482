// `npm run release:kernels`: keeps the kernels of this version under their digests in kernels/, where every release's
// stay, so that an answer can be run again for ever. kernels/releases.json says which version had which.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKernels } from './build-kernels.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const archive = join(root, 'kernels');
const releasesFile = join(archive, 'releases.json');

process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const manifest = await buildKernels();
mkdirSync(archive, { recursive: true });
const releases = existsSync(releasesFile) ? JSON.parse(readFileSync(releasesFile, 'utf8')) : {};
releases[version] = Object.fromEntries(Object.entries(manifest).map(([name, { sha256 }]) => [name, sha256]));
for (const digest of Object.values(releases[version]))
  copyFileSync(join(root, 'dist', 'kernels', `${digest}.wasm`), join(archive, `${digest}.wasm`));
const named = new Set(Object.values(releases).flatMap((kernels) => Object.values(kernels)));
for (const file of readdirSync(archive))
  if (file.endsWith('.wasm') && !named.has(file.slice(0, -'.wasm'.length))) rmSync(join(archive, file));
writeFileSync(releasesFile, `${JSON.stringify(releases, null, 2)}\n`);
console.log(`${Object.keys(manifest).length} kernels of ${version} are in kernels/`);

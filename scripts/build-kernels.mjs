// Builds every kernel: assembly/kernels/NAME.ts → NAME, assembly/verdicts/NAME.ts → NAME.verdict.
// A module is named by the SHA-256 of its bytes; dist/kernels/manifest.json says which name is which digest now.
// What a module was made from (its sources, the options, the compiler) keys a cache, so that a build without a
// change costs milliseconds.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cacheFolder = join(root, '.cache', 'kernels');
const outFolder = join(root, 'dist', 'kernels');
const compilerVersion = createRequire(import.meta.url)('assemblyscript/package.json').version;
const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

function entries() {
  const list = (folder, suffix) =>
    readdirSync(join(root, 'assembly', folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ name: basename(file, '.ts') + suffix, file: join('assembly', folder, file) }));
  return [...list('kernels', ''), ...list('verdicts', '.verdict')].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The entry and every file it imports, in the order of their paths. */
function closure(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(join(root, file), 'utf8');
  for (const match of source.matchAll(/(?:from|import)\s+"(\.[^"]+)"/g)) {
    const target = join(dirname(file), match[1]);
    const candidates = [`${target}.ts`, join(target, 'index.ts'), target];
    const found = candidates.find((path) => path.endsWith('.ts') && existsSync(join(root, path)));
    if (found) closure(found, seen);
  }
  return seen;
}

function cacheKey(entry, options) {
  const files = [...closure(entry.file)].sort();
  return sha256(compilerVersion, options, ...files.flatMap((file) => [file, readFileSync(join(root, file))]));
}

async function compile(entry, target) {
  const { default: asc } = await import('assemblyscript/asc');
  const { error, stderr } = await asc.main(
    [entry.file, '--config', 'asconfig.json', '--outFile', relative(root, target), '--baseDir', root],
    {},
  );
  if (error) throw new Error(`${entry.name}: ${error.message}\n${stderr.toString()}`);
}

/** Builds the named kernels (default: all) and writes the manifest; returns it. */
export async function buildKernels(names) {
  mkdirSync(cacheFolder, { recursive: true });
  mkdirSync(outFolder, { recursive: true });
  const options = readFileSync(join(root, 'asconfig.json'), 'utf8');
  const manifestFile = join(outFolder, 'manifest.json');
  const known = entries();
  const wanted = names?.length ? known.filter((entry) => names.includes(entry.name)) : known;
  const manifest =
    names?.length && existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {};
  const failures = [];
  for (const entry of wanted) {
    const cached = join(cacheFolder, `${cacheKey(entry, options)}.wasm`);
    try {
      if (!existsSync(cached)) await compile(entry, cached);
    } catch (error) {
      rmSync(cached, { force: true });
      failures.push(error.message);
      continue;
    }
    const bytes = readFileSync(cached);
    const digest = sha256(bytes);
    const file = join(outFolder, `${digest}.wasm`);
    if (!existsSync(file)) writeFileSync(file, bytes);
    manifest[entry.name] = { sha256: digest, bytes: bytes.length };
  }
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  if (!existsSync(manifestFile) || readFileSync(manifestFile, 'utf8') !== text)
    writeFileSync(manifestFile, text);
  if (failures.length) throw new Error(`kernels that do not build:\n${failures.join('\n')}`);
  return manifest;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(root);
  try {
    const manifest = await buildKernels(process.argv.slice(2));
    console.log(`${Object.keys(manifest).length} kernels in dist/kernels`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

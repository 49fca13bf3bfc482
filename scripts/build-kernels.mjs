// Builds every kernel: assembly/kernels/NAME.ts → NAME, assembly/verdicts/NAME.ts → NAME.verdict.
// A kernel that several threads can run has a twin beside it (team-twin.mjs), which no receipt names.
// A module is named by the SHA-256 of its bytes; dist/kernels/manifest.json says which name is which digest now.
// What a module was made from (its sources, the options, the compiler) keys a cache, so that a build without a
// change costs milliseconds.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileTwin } from './team-twin.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cacheFolder = join(root, '.cache', 'kernels');
const outFolder = join(root, 'dist', 'kernels');
const compilerVersion = createRequire(import.meta.url)('assemblyscript/package.json').version;
const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** Every kernel: its name, and the path of its source. */
export function entries() {
  const list = (folder, suffix) =>
    readdirSync(join(root, 'assembly', folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ name: basename(file, '.ts') + suffix, file: join('assembly', folder, file) }));
  return [...list('kernels', ''), ...list('verdicts', '.verdict')].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The entry and every file it imports, in the order of their paths. */
export function closure(file, seen = new Set()) {
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

const TWIN = '.team';
/** The twins of kernels that use it, each an entry beside its kernel. */
export function twins(list = entries()) {
  const using = list.filter(({ file }) => closure(file).has(join('assembly', 'kernel', 'team.ts')));
  return using.map(({ name, file }) => ({ name: name + TWIN, file, isTwin: true }));
}

function cacheKey({ file, isTwin }, options) {
  const files = [...closure(file)].sort();
  if (isTwin) files.push(join('scripts', 'team-twin.mjs'));
  return sha256(compilerVersion, options, ...files.flatMap((file) => [file, readFileSync(join(root, file))]));
}

async function compile({ name, file, isTwin }, target) {
  if (isTwin) {
    writeFileSync(target, await compileTwin(file));
    return;
  }
  const { default: asc } = await import('assemblyscript/asc');
  const { error, stderr } = await asc.main(
    [file, '--config', 'asconfig.json', '--outFile', relative(root, target), '--baseDir', root],
    {},
  );
  if (error) throw new Error(`${name}: ${error.message}\n${stderr.toString()}`);
}

const cacheFile = (entry, options) => join(cacheFolder, `${cacheKey(entry, options)}.wasm`);
const readOptions = () => readFileSync(join(root, 'asconfig.json'), 'utf8');

/** Compiles one kernel into the cache; what changed under the compiler is compiled again. */
async function compileIntoCache(entry) {
  for (;;) {
    const target = cacheFile(entry, readOptions());
    const draft = `${target}.${process.pid}`;
    try {
      await compile(entry, draft);
      if (cacheFile(entry, readOptions()) !== target) continue;
      renameSync(draft, target);
      return;
    } finally {
      rmSync(draft, { force: true });
    }
  }
}

/** Compiles the kernels on as many processes as there are cores; gives what went wrong. */
async function compileAll(list) {
  const shares = Array.from({ length: Math.min(availableParallelism(), list.length) }, () => []);
  list.forEach((entry, i) => {
    shares[i % shares.length].push(entry.name);
  });
  const outputs = await Promise.all(
    shares.map(
      (names) =>
        new Promise((done) => {
          const args = [fileURLToPath(import.meta.url), '--compile', ...names];
          execFile(process.execPath, args, (error, _, stderr) => done(error ? stderr || error.message : ''));
        }),
    ),
  );
  return outputs.filter((output) => output !== '');
}

const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Read late and renamed into place: of two builds at once none brings back an old digest of the other. */
function writeManifest(built, isWhole) {
  const file = join(outFolder, 'manifest.json');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const manifest = isWhole ? built : sorted({ ...JSON.parse(before), ...built });
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  if (text === before) return manifest;
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  return manifest;
}

/** From the cache to dist/kernels, under its digest; undefined where it did not compile. */
function bring(entry) {
  const cached = cacheFile(entry, readOptions());
  if (!existsSync(cached)) return undefined;
  const bytes = readFileSync(cached);
  const digest = sha256(bytes);
  const file = join(outFolder, `${digest}.wasm`);
  if (!existsSync(file)) writeFileSync(file, bytes);
  return { sha256: digest, bytes: bytes.length };
}

/** Builds the named kernels (default: all) and writes the manifest; returns it. */
export async function buildKernels(names = []) {
  mkdirSync(cacheFolder, { recursive: true });
  mkdirSync(outFolder, { recursive: true });
  const known = entries();
  const wanted = names.length > 0 ? known.filter((entry) => names.includes(entry.name)) : known;
  const options = readOptions();
  const twinned = twins(wanted);
  const missing = [...wanted, ...twinned].filter((entry) => !existsSync(cacheFile(entry, options)));
  const failures = await compileAll(missing);
  const built = {};
  for (const entry of wanted) {
    const twin = twinned.find(({ file }) => file === entry.file);
    const [kernel, team] = [bring(entry), twin && bring(twin)];
    if (kernel) built[entry.name] = { ...kernel, ...(team && { team }) };
  }
  const manifest = writeManifest(built, wanted.length === known.length);
  if (failures.length) throw new Error(`kernels that do not build:\n${failures.join('\n')}`);
  return manifest;
}

async function main([first, ...rest]) {
  if (first !== '--compile') {
    const manifest = await buildKernels(first === undefined ? [] : [first, ...rest]);
    console.log(`${Object.keys(manifest).length} kernels in dist/kernels`);
    return;
  }
  for (const entry of [...entries(), ...twins()].filter(({ name }) => rest.includes(name))) {
    try {
      await compileIntoCache(entry);
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(root);
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

// What tests and benches need beside this package: the Python tools of test/servers/requirements.txt in
// .cache/servers/venv, those of bench/python/requirements.txt in .cache/peers/venv and a newer Node in .cache/engines,
// pinned by hash, and Debian's Chromium. Once there, nothing here touches the network. What cannot be had is returned as a sentence with the
// way to get it; what needs it skips itself.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.cache');
/** The environments of Python: folder in the cache → what it holds, and the list of it. */
const environments = {
  servers: { what: 'the test servers', list: join(root, 'test', 'servers', 'requirements.txt') },
  peers: { what: 'what the benches compare with', list: join(root, 'bench', 'python', 'requirements.txt') },
};
const engines = join(cache, 'engines');
const minutes = 60_000;

const digestOf = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
const isStamped = (file, stamp) => existsSync(file) && readFileSync(file, 'utf8') === stamp;

/** Runs a program quietly; @returns what it said, and how it failed if it did. */
function run(program, args, options = {}) {
  const limits = { cwd: root, encoding: 'utf8', timeout: 10 * minutes, maxBuffer: 2 ** 26 };
  return new Promise((done) => {
    execFile(program, args, { ...limits, ...options }, (error, stdout, stderr) => {
      const said = `${stderr}\n${stdout}`.trim().split('\n').slice(-4).join('\n');
      done({ stdout, failure: error ? said || error.message : undefined });
    });
  });
}

const failureOf = async (...command) => (await run(...command)).failure;

let lastPackage = Promise.resolve();

/** Asks Debian for a package, where we may; one after another, since apt locks. */
function installPackage(name) {
  lastPackage = lastPackage.then(() => installed(name));
  return lastPackage;
}

async function installed(name) {
  if (process.getuid?.() !== 0 || (await failureOf('apt-get', ['--version']))) return;
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 4 * minutes };
  const install = () => failureOf('apt-get', ['install', '-y', '--no-install-recommends', name], options);
  console.log(`installing ${name} (once) …`);
  if ((await install()) && !(await failureOf('apt-get', ['update'], options))) await install();
}

async function createVenv(venv) {
  const create = () => failureOf('python3', ['-m', 'venv', '--clear', venv]);
  if (!(await create())) return undefined;
  await installPackage('python3-venv'); // Debian keeps ensurepip, which venv needs, in a package of its own
  return create();
}

async function fillVenv(name) {
  const { what, list } = environments[name];
  const venv = join(cache, name, 'venv');
  const version = await run('python3', ['-c', 'import sys; print(sys.version)']);
  if (version.failure) return 'python3 is missing (`apt-get install -y python3 python3-venv`)';
  const stampFile = join(cache, name, 'stamp');
  const stamp = digestOf(readFileSync(list), version.stdout, root);
  if (isStamped(stampFile, stamp)) return undefined;
  console.log(`filling .cache/${name}/venv with ${what} (once) …`);
  mkdirSync(dirname(venv), { recursive: true });
  rmSync(stampFile, { force: true });
  const failure =
    (await createVenv(venv)) ??
    (await failureOf(join(venv, 'bin', 'python'), [
      ...['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'],
      ...['--require-hashes', '--only-binary', ':all:', '-r', list],
    ]));
  if (failure) return `.cache/${name}/venv could not be filled (Python 3.11 to 3.13 with venv):\n${failure}`;
  writeFileSync(stampFile, stamp);
}

/** npm as it runs us, or the one on PATH. */
function npm(args, options) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js')
    ? failureOf(process.execPath, [script, ...args], options)
    : failureOf('npm', args, options);
}

async function fillEngines() {
  const names = ['package.json', 'package-lock.json'];
  const sources = names.map((name) => join(root, 'test', 'engines', 'newer-node', name));
  const stampFile = join(engines, 'stamp');
  const stamp = digestOf(...sources.map((file) => readFileSync(file)));
  if (isStamped(stampFile, stamp)) return undefined;
  console.log('installing a newer Node into .cache/engines (once) …');
  mkdirSync(engines, { recursive: true });
  for (const [index, name] of names.entries()) copyFileSync(sources[index], join(engines, name));
  const failure = await npm(['ci', '--no-audit', '--no-fund'], { cwd: engines });
  if (failure) return `a newer Node could not be installed into .cache/engines:\n${failure}`;
  if (!existsSync(join(engines, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')))
    return `there is no newer Node for ${process.platform} ${process.arch} in test/engines/newer-node/package.json`;
  writeFileSync(stampFile, stamp);
}

/** The browser that the page of the operators is driven in: half a minute of apt, where it is not there yet. */
async function findChromium() {
  if (process.env.CHROMIUM !== undefined) return undefined;
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const isThere = async () =>
    (await Promise.all(names.map((name) => failureOf(name, ['--version'])))).includes(undefined);
  if (await isThere()) return undefined;
  await installPackage('chromium');
  return (await isThere())
    ? undefined
    : 'chromium is missing (`apt-get install -y chromium`, or set CHROMIUM)';
}

/** All at once: most of it is waiting for the network and the disk. */
async function all(...tools) {
  return (await Promise.all(tools)).filter((sentence) => sentence !== undefined);
}

/** Brings what is missing; returns a sentence for each thing that could not be had. */
export const ensureTestTools = () =>
  all(fillVenv('servers'), fillVenv('peers'), fillEngines(), findChromium());

/** The same for the benches alone. */
export const ensureBenchTools = () => all(fillVenv('peers'));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ensure = process.argv[2] === 'bench' ? ensureBenchTools : ensureTestTools;
  for (const sentence of await ensure()) console.error(sentence);
}

// What the tests need beside this package: the Python tools of test/servers/requirements.txt in .cache/servers/venv,
// and a newer Node in .cache/engines. Pinned by hash; once there, nothing here touches the network. What cannot be
// had is returned as a sentence with the way to get it; the tests that need it skip themselves.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.cache');
const venv = join(cache, 'servers', 'venv');
const requirements = join(root, 'test', 'servers', 'requirements.txt');
const engines = join(cache, 'engines');
const minutes = 60_000;

const digestOf = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');
const isStamped = (file, stamp) => existsSync(file) && readFileSync(file, 'utf8') === stamp;

/** Runs a program quietly; returns what it said when it failed, else undefined. */
function failureOf(program, args, options = {}) {
  const { status, error, stderr, stdout } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 10 * minutes,
    ...options,
  });
  if (status === 0) return undefined;
  const said = `${stderr ?? ''}\n${stdout ?? ''}`.trim().split('\n').slice(-4).join('\n');
  return error?.message ?? (said || `${program} ended with ${status}`);
}

/** `venv` works only where ensurepip is installed, which Debian keeps in a package of its own. */
function installVenvPackage() {
  if (process.getuid?.() !== 0 || failureOf('apt-get', ['--version'])) return;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () => failureOf('apt-get', ['install', '-y', 'python3-venv'], { env: environment });
  console.log('installing python3-venv …');
  if (install() && !failureOf('apt-get', ['update'], { env: environment })) install();
}

function createVenv() {
  const create = () => failureOf('python3', ['-m', 'venv', '--clear', venv]);
  if (!create()) return undefined;
  installVenvPackage();
  return create();
}

function fillVenv() {
  const version = spawnSync('python3', ['-c', 'import sys; print(sys.version)'], { encoding: 'utf8' });
  if (version.status !== 0) return 'python3 is missing (`apt-get install -y python3 python3-venv`)';
  const stampFile = join(cache, 'servers', 'stamp');
  const stamp = digestOf(readFileSync(requirements), version.stdout, root);
  if (isStamped(stampFile, stamp)) return undefined;
  console.log('filling .cache/servers/venv with the test servers (once) …');
  mkdirSync(dirname(venv), { recursive: true });
  rmSync(stampFile, { force: true });
  const failure =
    createVenv() ??
    failureOf(join(venv, 'bin', 'python'), [
      ...['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'],
      ...['--require-hashes', '--only-binary', ':all:', '-r', requirements],
    ]);
  if (failure) return `.cache/servers/venv could not be filled (Python 3.11 to 3.13 with venv):\n${failure}`;
  writeFileSync(stampFile, stamp);
}

/** npm as it runs us, or the one on PATH. */
function npm(args, options) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js')
    ? failureOf(process.execPath, [script, ...args], options)
    : failureOf('npm', args, options);
}

function fillEngines() {
  const names = ['package.json', 'package-lock.json'];
  const sources = names.map((name) => join(root, 'test', 'engines', 'newer-node', name));
  const stampFile = join(engines, 'stamp');
  const stamp = digestOf(...sources.map((file) => readFileSync(file)));
  if (isStamped(stampFile, stamp)) return undefined;
  console.log('installing a newer Node into .cache/engines (once) …');
  mkdirSync(engines, { recursive: true });
  for (const [index, name] of names.entries()) copyFileSync(sources[index], join(engines, name));
  const failure = npm(['ci', '--no-audit', '--no-fund'], { cwd: engines });
  if (failure) return `a newer Node could not be installed into .cache/engines:\n${failure}`;
  if (!existsSync(join(engines, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')))
    return `there is no newer Node for ${process.platform} ${process.arch} in test/engines/newer-node/package.json`;
  writeFileSync(stampFile, stamp);
}

/** Brings what is missing; returns a sentence for each thing that could not be had. */
export function ensureTestTools() {
  return [fillVenv(), fillEngines()].filter((sentence) => sentence !== undefined);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const sentence of ensureTestTools()) console.error(sentence);
}

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { quick } from './figure.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const scripts = join(root, 'bench', 'python');
/** Filled by scripts/test-tools.mjs from bench/python/requirements.txt. */
const own = join(root, '.cache', 'peers', 'venv', 'bin', 'python');
const python = process.env.PYTHON ?? (existsSync(own) ? own : 'python3');

const modules = ['numpy', 'scipy', 'mpmath', 'pysat'];
const look = `import sys, importlib.util as i; print(*[m for m in sys.argv[1:] if i.find_spec(m) is None])`;
const said = spawnSync(python, ['-c', look, ...modules], { encoding: 'utf8' });

/** For a row's note: false, or why no Python can be measured and how to change it. */
export const pythonMissing: string | false =
  said.status !== 0
    ? `no ${python}: apt-get install -y python3 python3-venv`
    : said.stdout.trim() !== '' &&
      `${python} lacks ${said.stdout.trim()}: node scripts/test-tools.mjs bench, or PYTHON names an interpreter`;

/** One thread, as we measure one of ours, whatever the linear algebra behind NumPy would take. */
const oneThread = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };

/** What a case does for each second of processor time, and the number that it finds. */
export interface PythonRound {
  readonly rate: number;
  readonly value: number;
}

/** The seconds of processor time that a round lasts at least. */
export const roundSeconds = quick ? 0 : 0.2;

/** A script of bench/python that measures a case of its own whenever it is asked to (bench/python/rounds.py). */
export class PythonPeer {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  /** @param name of bench/python/NAME.py */
  constructor(name: string) {
    if (pythonMissing) throw new Error(pythonMissing);
    const env = { ...process.env, ...oneThread };
    this.#process = spawn(python, [join(scripts, `${name}.py`)], { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.#process.stdin.on('error', () => {}); // a program that ended is reported by the missing line
    this.#reader = createInterface({ input: this.#process.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** One round of the function `name` of the script, called with `parameters` until `seconds` are over. */
  async round(name: string, parameters: object = {}, seconds = roundSeconds): Promise<PythonRound> {
    this.#process.stdin.write(`${JSON.stringify({ name, parameters, seconds })}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the peer in Python ended before its round of ${name} did`);
    return JSON.parse(value);
  }

  close(): void {
    this.#process.stdin.end();
    this.#reader.close();
  }
}

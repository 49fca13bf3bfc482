import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const sources = join(root, 'bench', 'native');
const cache = join(root, '.cache', 'bench');

/**
 * How C is compiled. `strict` keeps every rounding where the source puts it, so that the bits equal ours;
 * `plain` is what anybody would write first, and may contract a·b + c into one rounding.
 */
export const flagsOf = {
  strict: ['-O3', '-march=native', '-ffp-contract=off', '-fno-math-errno'],
  plain: ['-O3', '-march=native'],
} as const;

const compiler = process.env.CC ?? 'gcc';
const said = spawnSync(compiler, ['--version'], { encoding: 'utf8' });

/** First line of `gcc --version`; undefined where there is none. */
export const compilerVersion: string | undefined =
  said.status === 0 ? said.stdout.split('\n')[0]!.trim() : undefined;

/** For a row's note or a test's skip: false, or why nothing native can be measured and how to change it. */
export const nativeMissing: string | false =
  compilerVersion === undefined && `no ${compiler}: apt-get install -y gcc libc6-dev`;

/** Compiles bench/native/NAME.c and returns the program; what is compiled already is not compiled again. */
function compiled(name: string, flags: readonly string[]): string {
  if (nativeMissing) throw new Error(nativeMissing);
  const source = join(sources, `${name}.c`);
  const hash = createHash('sha256').update(`${compilerVersion} ${flags.join(' ')}`);
  for (const file of [source, join(sources, 'rounds.h')]) hash.update(readFileSync(file));
  const program = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const partial = `${program}.${process.pid}`;
  const { status, stderr } = spawnSync(compiler, [...flags, '-std=gnu11', '-o', partial, source, '-lm'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name}.c does not compile:\n${stderr}`);
  renameSync(partial, program);
  return program;
}

/** A native program that measures one round whenever it is asked to (bench/native/rounds.h). */
export class NativePeer<Result = { readonly rate: number }> {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  /**
   * @param name of bench/native/NAME.c
   * @param args its sizes
   */
  constructor(
    name: string,
    args: readonly (string | number)[] = [],
    flags = flagsOf.strict as readonly string[],
  ) {
    this.#process = spawn(compiled(name, flags), args.map(String), { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdin.on('error', () => {}); // a program that ended is reported by the missing line
    this.#reader = createInterface({ input: this.#process.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Asks for a round; resolves to the JSON of its line. */
  async round(): Promise<Result> {
    this.#process.stdin.write('\n');
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the native program ended before its round did');
    return JSON.parse(value);
  }

  close(): void {
    this.#process.stdin.end();
    this.#reader.close();
  }
}

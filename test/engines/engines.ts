import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '../root.ts';
import { runPython } from '../servers/python.ts';
import type { ProbeOptions, ProbeOutcome } from './probe-run.ts';
import type { ProbeSuite } from './probe-suite.ts';

/** Options of Wasmtime beside those of every engine. */
export interface WasmtimeOptions extends Pick<ProbeOptions, 'budget' | 'backwards' | 'checkpoints'> {
  /** Every NaN of arithmetic as 0x7ff8000000000000; x64 sets the sign, ARM does not. */
  readonly canonicalNans?: boolean;
  readonly optimization?: 'none' | 'speed';
}

/** A suite as a file that engines in processes of their own execute. */
export class ProbeFolder {
  readonly #folder = mkdtempSync(join(tmpdir(), 'probes-'));
  readonly #suite: string;
  #files = 0;

  constructor(suite: ProbeSuite) {
    this.#suite = this.#write(suite);
  }

  /** A Node with flags of its own. */
  async node(
    node: string,
    flags: readonly string[],
    options: Omit<ProbeOptions, 'resumeFrom'> = {},
    resumeFrom?: ProbeOutcome,
  ): Promise<ProbeOutcome> {
    const script = fileURLToPath(new URL('./node-engine.js', import.meta.url));
    const { args, outcome } = this.#arguments(options, resumeFrom);
    await new Promise<void>((done, fail) => {
      execFile(node, [...flags, script, ...args], (error) => (error ? fail(error) : done()));
    });
    return outcome();
  }

  /** Wasmtime, of the venv that `npm test` makes. */
  async wasmtime(options: WasmtimeOptions = {}, resumeFrom?: ProbeOutcome): Promise<ProbeOutcome> {
    const script = join(repositoryRoot, 'test', 'engines', 'wasmtime_engine.py');
    const { args, outcome } = this.#arguments(options, resumeFrom);
    const { code, stderr } = await runPython([script, ...args]);
    if (code !== 0) throw new Error(`wasmtime_engine.py ended with ${code}:\n${stderr}`);
    return outcome();
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #arguments(options: object, resumeFrom: ProbeOutcome | undefined) {
    const file = this.#name();
    const args = [this.#suite, this.#write(options), file, ...(resumeFrom ? [this.#write(resumeFrom)] : [])];
    return { args, outcome: () => JSON.parse(readFileSync(file, 'utf8')) as ProbeOutcome };
  }

  #write(value: unknown): string {
    const file = this.#name();
    writeFileSync(file, JSON.stringify(value));
    return file;
  }

  #name(): string {
    this.#files += 1;
    return join(this.#folder, `${this.#files}.json`);
  }
}

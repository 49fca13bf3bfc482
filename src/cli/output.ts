import pc from 'picocolors';
import { MissingPiece } from '../../workers/reexecute.ts';
import { Refusal } from '../errors/refusal.ts';

/** What a command ends with: 0 done and sound, 1 refused or not sound, 2 not understood or not readable. */
export type ExitCode = 0 | 1 | 2;

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const printError = (text: string): void => void process.stderr.write(`${text}\n`);
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** A line on the terminal that is written over; nothing where there is no terminal. */
export class ProgressLine {
  #shown = false;

  show(text: string): void {
    if (!process.stderr.isTTY) return;
    const width = (process.stderr.columns ?? 80) - 1;
    process.stderr.write(`\r\x1b[2K${text.slice(0, width)}`);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[2K');
    this.#shown = false;
  }
}

/** Says what went wrong in a sentence and gives the exit code. */
export function report(error: unknown, asJson: boolean): ExitCode {
  const refusal = error instanceof Refusal ? error : undefined;
  if (asJson) {
    const code = refusal?.code ?? (error instanceof MissingPiece ? 'NOT_FOUND' : 'INTERNAL');
    printJson(refusal ?? { error: { code, message: messageOf(error) } });
  } else {
    printError(`${pc.red(refusal?.code ?? 'error')}: ${messageOf(error)}`);
    if (refusal) for (const line of detailLines(refusal)) printError(`  ${line}`);
  }
  return error instanceof MissingPiece || isUnreadable(error) ? 2 : 1;
}

function isUnreadable(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    ['ENOENT', 'EISDIR', 'EACCES'].includes((error as NodeJS.ErrnoException)?.code ?? '')
  );
}

function messageOf(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `there is no file ${path}.`;
  if (code === 'EACCES') return `${path} may not be read or written.`;
  if (code === 'EISDIR') return `${path ?? 'this'} is a folder, not a file.`;
  return message ?? String(error);
}

const shownElsewhere = new Set(['trace', 'inputError', 'retryAfter']);

function detailLines({ details }: Refusal): string[] {
  return Object.entries(details)
    .filter(([name, value]) => !shownElsewhere.has(name) && value !== undefined)
    .map(([name, value]) =>
      pc.dim(`${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`),
    );
}

/** Nanoseconds of the reference core in words a person reads. */
export function coreTime(plancks: bigint | string): string {
  const ns = Number(plancks);
  if (ns < 1e6) return `${(ns / 1e3).toPrecision(3)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toPrecision(3)} ms`;
  if (ns < 3.6e12) return `${(ns / 1e9).toPrecision(4)} s`;
  return `${(ns / 3.6e12).toPrecision(4)} h`;
}

import pc from 'picocolors';
import type { ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';

/** What a command ends with: 0 done and sound, 1 refused or not sound, 2 not understood or not readable. */
export type ExitCode = 0 | 1 | 2;

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const printError = (text: string): void => void process.stderr.write(`${text}\n`);
/** Its strings may be a stranger's: what a terminal would obey is written by its number, as JSON may. */
export const printJson = (value: unknown): void => print(inertJson(JSON.stringify(value, null, 2)));

/** The same JSON without a character that moves a terminal's cursor. */
export const inertJson = (json: string): string => json.replace(/[^\P{C}\n]|\p{Zl}|\p{Zp}/gu, jsonEscape);

const jsonEscape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

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
  const code = refusal?.code ?? codeOf(error);
  if (asJson) {
    printJson(refusal ?? { error: { code, message: sentenceOf(error) } });
  } else {
    printError(`${pc.red(refusal?.code ?? 'error')}: ${onOneLine(sentenceOf(error))}`);
    if (refusal) for (const line of detailLines(refusal)) printError(`  ${pc.dim(onOneLine(line))}`);
  }
  return refusal === undefined && !ours.has(code) ? 2 : 1;
}

/** What is no fault of what was asked. */
const ours: ReadonlySet<ErrorCode> = new Set(['INTERNAL', 'NO_NODE', 'STORE_UNAVAILABLE']);

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };

/** What the system says of files and ports, in a sentence. */
const sentences: Readonly<Record<string, (error: SystemError) => string>> = {
  ENOENT: ({ path, syscall }) =>
    syscall === 'mkdir' ? `no folder ${path} can be made.` : `there is no file ${path}.`,
  EACCES: ({ path, port }) =>
    port === undefined
      ? `${path} may not be read or written.`
      : `port ${port} needs rights that this user has not.`,
  EPERM: ({ path }) => `${path} may not be changed.`,
  EROFS: ({ path }) => `${path} lies on a file system that cannot be written.`,
  EISDIR: ({ path }) => `${path ?? 'this'} is a folder, not a file.`,
  ENOTDIR: ({ path }) => `${path} leads through something that is not a folder.`,
  EEXIST: ({ path, syscall }) =>
    `${path} is there already${syscall === 'mkdir' ? ', and is no folder' : ''}.`,
  ENOSPC: () => 'the disk is full.',
  EADDRINUSE: ({ address, port }) =>
    `port ${port} of ${address} is in use; --port names another, --port 0 takes any that is free.`,
  ENOTFOUND: ({ hostname }) => `no address is known for ${hostname}.`,
  EADDRNOTAVAIL: ({ address }) => `this machine has no address ${address}; --host names another.`,
};

const unreadable = new Set(['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM', 'EROFS', 'EEXIST']);

function codeOf(error: unknown): ErrorCode {
  const { name, code } = error as SystemError;
  if (name === 'NoAnswer') return 'NO_NODE';
  if (code === 'ENOSPC') return 'STORE_UNAVAILABLE';
  if (name === 'MissingPiece') return 'NOT_FOUND'; // a file that is not complete
  return error instanceof RangeError || unreadable.has(code ?? '') ? 'INVALID_INPUT' : 'INTERNAL';
}

function sentenceOf(error: unknown): string {
  const { code, message } = error as SystemError;
  return sentences[code ?? '']?.(error as SystemError) ?? message ?? String(error);
}

const shownElsewhere = new Set(['trace', 'inputError', 'retryAfter']);

function detailLines({ details }: Refusal): string[] {
  return Object.entries(details)
    .filter(([name, value]) => !shownElsewhere.has(name) && value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
}

/** A sentence may quote what a file or a node said, which must not move the terminal's cursor: its lines stay. */
export const visible = (text: string): string => text.split('\n').map(onOneLine).join('\n');

/** What comes from a file must not move the terminal's cursor or forge a line of ours. */
export const onOneLine = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** The same for every text in what a node says, names of members too. */
export function inert<T>(value: T): T;
export function inert(value: unknown): unknown {
  if (typeof value === 'string') return onOneLine(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number') ? value : value.map(inert);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [onOneLine(name), inert(member)]));
}

/** Nanoseconds of the reference core in words a person reads. */
export function coreTime(plancks: bigint | string): string {
  const ns = Number(plancks);
  if (ns < 1e3) return `${ns} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toPrecision(3)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toPrecision(3)} ms`;
  if (ns < 3.6e12) return `${(ns / 1e9).toPrecision(4)} s`;
  return `${(ns / 3.6e12).toPrecision(4)} h`;
}

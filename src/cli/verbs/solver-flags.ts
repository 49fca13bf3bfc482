import { type Command, Option } from 'commander';
import { nearest } from '../../errors/nearest.ts';
import { printableWord } from '../../errors/printable.ts';
import { parseStrictJson } from '../../proof/strict-json.ts';
import { type FlagDeclaration, flags, inputFromFlags } from '../../solvers/input.ts';
import type { Solver } from '../../solvers/solver.ts';
import { bytesOf } from '../in-file.ts';

/** Options of the command itself; no field of a solver is called so. */
export const ownOptions: ReadonlySet<string> = new Set([
  'input',
  'out',
  'url',
  'key',
  'data',
  'json',
  'help',
]);

/** Adds a solver's fields as flags. Names that are open (`--inputs.P_signal`) are taken as they come. */
export function addSolverFlags(command: Command, solver: Solver): Command {
  for (const flag of flags(solver.input)) command.addOption(optionOf(flag));
  return command.allowUnknownOption().allowExcessArguments();
}

function optionOf(flag: FlagDeclaration): Option {
  const value = flag.type === 'flag' ? ' [value]' : ' <value>';
  return new Option(`--${flag.name}${value}`, `${flag.meaning} [${flag.accepted}]`.trim()).argParser(
    (text, before: string | undefined) => {
      if (before !== undefined) throw givenTwice(flag.name);
      return text;
    },
  );
}

const givenTwice = (name: string): RangeError => new RangeError(`--${printableWord(name)} is given twice.`);

/**
 * The request of a command: an input file, and flags over it.
 * @throws RangeError for a file or a flag that is not understood · Refusal for a value that is no JSON
 */
export function requestOf(
  solver: Solver,
  options: Record<string, unknown> & { input?: string },
  command: Command,
): Record<string, unknown> {
  const declared = flags(solver.input);
  const given: Record<string, string> = {};
  for (const { name } of declared) {
    const value = options[name];
    if (value !== undefined) given[name] = value === true ? 'true' : String(value);
  }
  const open = openFlags(command.args, declared);
  const body = options.input === undefined ? {} : readBody(options.input);
  return merged(body, inputFromFlags(solver.input, { ...given, ...open }));
}

function readBody(file: string): Record<string, unknown> {
  const text = bytesOf(file).toString('utf8');
  let body: unknown;
  try {
    body = parseStrictJson(text);
  } catch (error) {
    throw new RangeError(`${file === '-' ? 'the input' : file} is not JSON: ${(error as Error).message}`);
  }
  if (isObject(body)) return body;
  throw new RangeError(`${file === '-' ? 'the input' : file} is not a JSON object.`);
}

/** Flags that no option stands for: names that are open, and the fields of an object that may be JSON as a whole. */
function openFlags(words: readonly string[], declared: readonly FlagDeclaration[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (let i = 0; i < words.length; i++) {
    const match = /^--([^=]+)(?:=(.*))?$/s.exec(words[i]!);
    if (!match)
      throw new RangeError(
        `‘${printableWord(words[i]!)}’ is no flag; flags read --name value, with the unit at the number, 5m or "5 m".`,
      );
    const [, name, value] = match;
    if (!takes(declared, name!)) throw new RangeError(unknownFlag(name!, declared));
    const text = value ?? words[++i];
    if (text === undefined) throw new RangeError(`--${printableWord(name!)} needs a value.`);
    if (Object.hasOwn(values, name!)) throw givenTwice(name!);
    values[name!] = text;
  }
  return values;
}

const OPEN = '<name>';

function takes(declared: readonly FlagDeclaration[], name: string): boolean {
  return declared.some(
    (flag) =>
      flag.name === name ||
      flag.name.startsWith(`${name}.`) ||
      (flag.open &&
        name.length > flag.name.length - OPEN.length &&
        name.startsWith(flag.name.slice(0, -OPEN.length))),
  );
}

function unknownFlag(name: string, declared: readonly FlagDeclaration[]): string {
  const names = [...declared.map((flag) => flag.name), ...ownOptions];
  const near = nearest(name, names);
  return `--${printableWord(name)} is no flag here${near ? `; did you mean --${near}?` : '.'} --help lists them.`;
}

/** Members of `over` go before those of `under`, object by object. */
function merged(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(result, name) ? result[name] : undefined;
    result[name] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return result;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

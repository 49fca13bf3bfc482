import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { Refusal } from '../../errors/refusal.ts';
import { type FlagDeclaration, flags, inputFromFlags } from '../../solvers/input.ts';
import type { Solver } from '../../solvers/solver.ts';

/** Adds a solver's fields as flags. Names that are open (`--inputs.P_signal`) are taken as they come. */
export function addSolverFlags(command: Command, solver: Solver): Command {
  for (const flag of flags(solver.input)) {
    if (!flag.open) command.addOption(optionOf(flag));
  }
  return command.allowUnknownOption().allowExcessArguments();
}

function optionOf(flag: FlagDeclaration): Option {
  const value = flag.type === 'flag' ? ' [value]' : ' <value>';
  return new Option(`--${flag.name}${value}`, flag.help);
}

/** The request of a command: an input file, and flags over it. */
export function requestOf(
  solver: Solver,
  options: Record<string, unknown> & { input?: string },
  unknown: readonly string[],
): Record<string, unknown> {
  const body = options.input === undefined ? {} : readBody(options.input);
  const names = new Set(flags(solver.input).map(({ name }) => name));
  const given = Object.entries(options).filter(([name]) => names.has(name) && !isOwn(name, options[name]));
  const values = Object.fromEntries(
    given.map(([name, value]) => [name, value === true ? 'true' : String(value)]),
  );
  return merged(body, inputFromFlags(solver.input, { ...values, ...openFlags(unknown) }));
}

/** `--input` of the command itself is no field of any solver. */
const isOwn = (name: string, value: unknown): boolean => value === undefined || name === 'input';

function readBody(file: string): Record<string, unknown> {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new RangeError(`${file === '-' ? 'the input' : file} is not JSON: ${(error as Error).message}`);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw new RangeError('the input is not a JSON object.');
}

function openFlags(words: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (let i = 0; i < words.length; i++) {
    const match = /^--([^=]+)(?:=(.*))?$/s.exec(words[i]!);
    if (!match) throw new Refusal('INVALID_INPUT', `‘${words[i]}’ is no flag; flags read --name value.`);
    const [, name, value] = match;
    values[name!] = value ?? words[++i] ?? '';
  }
  return values;
}

/** Members of `over` go before those of `under`, object by object. */
function merged(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const below = result[name];
    result[name] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return result;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

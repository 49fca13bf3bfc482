import type { Command } from 'commander';
import { printable } from '../../errors/printable.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Row } from '../../operators/registry.ts';
import type { InputSpecification } from '../../operators/specification.ts';
import { type Constant, constantOfKey, constants, shownConstant } from '../../units/constants.ts';
import { examples, jsonOption } from '../options.ts';
import { print, printJson } from '../output.ts';

/** `svc operators …` and `svc constants`: what stands in the registry and in the table of constants. */
export function catalogueVerbs(program: Command): void {
  const operators = program.command('operators').summary('search and read the operators of compute');
  const search = operators
    .command('search')
    .summary('operators by id, name, symbol, unit or words, best first')
    .argument('<words...>', 'what to look for')
    .option('--category <name>', 'of this category only')
    .option('--limit <count>', 'at most so many', '20')
    .action(searchOperators);
  const show = operators
    .command('show')
    .summary('what an operator asks for and gives')
    .argument('<id>', 'such as SP7')
    .action(showOperator);
  const constant = program
    .command('constants')
    .summary('the physical constants of CODATA 2022')
    .argument('[words...]', 'a key, or words of the name; without them all')
    .action(showConstants);
  examples(jsonOption(search), ['svc operators search signal to noise']);
  examples(jsonOption(show), ['svc operators show SP7']);
  examples(operators, ['svc operators search signal to noise', 'svc operators show SP7']);
  examples(jsonOption(constant), ['svc constants h', 'svc constants electron mass']);
}

interface SearchFlags {
  readonly category?: string;
  readonly limit: string;
  readonly json?: boolean;
}

async function searchOperators(words: readonly string[], options: SearchFlags): Promise<void> {
  const { operatorSearch } = await import('../../operators/search.ts');
  const { category, limit } = options;
  if (!/^[1-9]\d{0,3}$/.test(limit))
    throw new RangeError(`--limit is ${printable(limit)}; it is a whole number from 1 to 9999.`);
  const { total, results, note } = (await operatorSearch()).find(words.join(' '), {
    category,
    limit: Number(limit),
  });
  if (options.json)
    return printJson({ total, note, results: results.map(({ row, score }) => ({ ...heading(row), score })) });
  for (const { row } of results) print(`${row.id.padEnd(12)} ${row.name}  (${row.category})`);
  print(note ?? `${results.length} of ${total} operators`);
}

const heading = ({ id, name, category, description, equation }: Row) => ({
  ...{ id, name, category, description, equation },
});

async function showOperator(id: string, options: { json?: boolean }): Promise<void> {
  const { specificationOf } = await import('../../operators/specification.ts');
  const spec = specificationOf(id);
  if (options.json) return printJson(spec);
  const { name, category, description, equation, result, refuses, source } = spec;
  print(`${id}  ${name}  (${category})\n${description}\n\n  ${equation}\n`);
  for (const role of ['required', 'conditional', 'assumed', 'optional'] as const)
    for (const input of spec[role]) print(inputLine(role, input));
  const unit = result.unit === null ? '' : ` in ${result.unit}`;
  print(
    refuses === null ? `gives ${result.symbol}, ${result.meaning}${unit}` : `gives no number: ${refuses}`,
  );
  print(`source: ${source}`);
}

function inputLine(role: string, { symbol, aliases, meaning, accepts, value }: InputSpecification): string {
  const names = [symbol, ...aliases].join(', ');
  return `  ${role.padEnd(12)}${names}: ${meaning}; ${accepts}${value === undefined ? '' : `, else ${value}`}`;
}

function showConstants(words: readonly string[], options: { json?: boolean }): void {
  const found = constantsOf(words);
  if (options.json) printJson(found.map(shownConstant));
  else
    for (const { key, name, value, uncertainty, unit } of found)
      print(`${key}  ${value}${uncertainty === '0' ? '' : ` ± ${uncertainty}`} ${unit}  ${name}`);
}

function constantsOf(words: readonly string[]): readonly Constant[] {
  const all = [...constants.values()];
  if (words.length === 0) return all;
  const [key] = words as [string];
  if (words.length === 1 && constants.has(key)) return [constantOfKey(key)];
  const found = all.filter(({ name }) =>
    words.every((word) => name.toLowerCase().includes(word.toLowerCase())),
  );
  if (found.length > 0) return found.sort((a, b) => a.name.length - b.name.length); // the plainest first
  if (words.length === 1) return [constantOfKey(key)]; // refuses, with the nearest
  throw new Refusal('NOT_FOUND', `No constant has all of ${printable(words.join(' '))} in its name.`);
}

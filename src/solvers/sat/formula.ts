import { Type } from 'typebox';
import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';
import { choice, integer, list, optional, record } from '../input.ts';

export interface SatInput {
  readonly mode: 'decide' | 'count';
  readonly dimacs?: string;
  readonly clauses?: readonly (readonly number[])[];
  readonly variables?: number;
  readonly conflictBudget?: number;
  readonly initialState?: { readonly continue: string };
}

const MAX_VARIABLES = 2 ** 20;
const MAX_CLAUSES = 1e6;
const MAX_WORDS = 2 ** 23;
const MAX_COUNTED = 100;

export const schema = record({
  mode: choice(['decide', 'count'], 'Is there a model, or how many are there?'),
  dimacs: optional(Type.String({ description: 'The formula as a DIMACS CNF text; or clauses.' })),
  clauses: optional(
    list(
      Type.Array(Type.Integer()),
      'The formula: each clause a list of literals, v or −v for variable v from 1 on; or dimacs.',
    ),
  ),
  variables: optional(
    integer('With clauses: number of variables; absent: the largest literal.', { minimum: 0 }),
  ),
  conflictBudget: optional(
    integer('Conflicts, of a count also leaves, before DID_NOT_CONVERGE.', { exclusiveMinimum: 0 }),
  ),
  initialState: optional(
    record(
      {
        continue: Type.String({
          maxLength: 200,
          description:
            'A job to continue: the fields of that job and a larger conflictBudget. The search is the same, so that an ' +
            'answer that was found is found again.',
        }),
      },
      { description: 'The start.' },
    ),
  ),
});

export interface Formula {
  readonly variables: number;
  readonly clauses: number;
  /** Size and literals of each clause; a literal stands once in a clause, and a clause that is always true not at all. */
  readonly words: readonly number[];
  /** How often each variable occurs, from variable 1 on at 0. */
  readonly uses: Float64Array;
}

const known = new WeakMap<SatInput, Formula>();

/** @throws Refusal for what the schema cannot say */
export function readFormula(input: SatInput): Formula {
  let formula = known.get(input);
  if (!formula) {
    formula = parsed(input);
    known.set(input, formula);
  }
  return formula;
}

function parsed(input: SatInput): Formula {
  const { mode, dimacs, clauses, variables, initialState } = input;
  refuseElsewhere('sat', initialState, 'no initialState');
  if (dimacs !== undefined && clauses !== undefined)
    invalid('clauses', 'the formula is given twice', 'dimacs or clauses');
  if (dimacs !== undefined && variables !== undefined)
    invalid('variables', 'a DIMACS text says how many there are', 'no variables with dimacs');
  if (dimacs === undefined && clauses === undefined)
    refuse('MISSING_INPUT', 'sat lacks a formula. Accepted: dimacs; or clauses.', {
      field: 'clauses',
      missing: ['clauses'],
      accepts: ['dimacs', 'clauses'],
    });
  const formula = dimacs === undefined ? ofClauses(clauses!, variables) : ofDimacs(dimacs);
  if (mode === 'count' && formula.variables > MAX_COUNTED)
    tooMuch(
      dimacs === undefined ? 'clauses' : 'dimacs',
      formula.variables,
      MAX_COUNTED,
      'variables in a count',
    );
  return formula;
}

function invalid(field: string, what: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', `${field}: ${what}.`, { field, accepts });
}

function tooMuch(field: string, measured: number, bound: number, of: string): never {
  return refuse('LIMIT_EXCEEDED', `${field}: ${measured} ${of}, above ${bound}.`, {
    field,
    measured,
    bound,
    accepts: `at most ${bound} ${of}`,
  });
}

function ofClauses(clauses: readonly (readonly number[])[], variables: number | undefined): Formula {
  let largest = 0;
  for (const [i, clause] of clauses.entries())
    for (const [j, literal] of clause.entries()) {
      if (literal === 0) invalid(`clauses[${i}][${j}]`, '0 is no literal', 'v or −v, v from 1 on');
      const v = Math.abs(literal);
      if (variables !== undefined && v > variables)
        invalid(
          `clauses[${i}][${j}]`,
          `there is no variable ${v}`,
          `1 to ${variables} or −1 to −${variables}`,
        );
      if (v > largest) largest = v;
    }
  return laidOut(clauses, variables ?? largest, 'clauses');
}

/** Comments, the line `p cnf VARIABLES CLAUSES`, then clauses that end with 0; a line with % ends it (SATLIB). */
function ofDimacs(text: string): Formula {
  let header: readonly [number, number] | undefined;
  const clauses: number[][] = [];
  let clause: number[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    const words = line.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0 || words[0]!.startsWith('c')) continue;
    if (words[0] === '%') break;
    if (words[0] === 'p') {
      if (header) wrongLine(i, 'a second header', 'one line p cnf VARIABLES CLAUSES');
      header = readHeader(words, i);
      continue;
    }
    if (!header) wrongLine(i, 'no header before it', 'p cnf VARIABLES CLAUSES first');
    for (const word of words) {
      if (!/^-?\d{1,9}$/.test(word)) wrongLine(i, 'not a literal', 'integers between blanks');
      const literal = Number(word);
      if (Math.abs(literal) > header[0])
        wrongLine(i, `no variable ${Math.abs(literal)}`, `1 to ${header[0]}`);
      if (literal === 0) {
        clauses.push(clause);
        clause = [];
      } else clause.push(literal);
    }
  }
  if (!header) invalid('dimacs', 'there is no header', 'a line p cnf VARIABLES CLAUSES');
  if (clause.length > 0) invalid('dimacs', 'the last clause does not end', '0 at the end of each clause');
  if (clauses.length !== header[1])
    invalid('dimacs', `${clauses.length} clauses where the header says ${header[1]}`, `${header[1]} clauses`);
  return laidOut(clauses, header[0], 'dimacs');
}

function readHeader(words: readonly string[], line: number): readonly [number, number] {
  const [, kind, variables, clauses] = words;
  if (kind !== 'cnf' || words.length !== 4 || !/^\d{1,9}$/.test(variables!) || !/^\d{1,9}$/.test(clauses!))
    wrongLine(line, 'no such header', 'p cnf VARIABLES CLAUSES');
  return [Number(variables), Number(clauses)];
}

function wrongLine(line: number, what: string, accepts: string): never {
  return invalid('dimacs', `line ${line + 1}: ${what}`, accepts);
}

function laidOut(clauses: readonly (readonly number[])[], variables: number, field: string): Formula {
  if (variables > MAX_VARIABLES) tooMuch(field, variables, MAX_VARIABLES, 'variables');
  if (clauses.length > MAX_CLAUSES) tooMuch(field, clauses.length, MAX_CLAUSES, 'clauses');
  const words: number[] = [];
  const uses = new Float64Array(variables);
  let count = 0;
  for (const clause of clauses) {
    const literals = new Set(clause);
    if (clause.some((literal) => literals.has(-literal))) continue;
    words.push(literals.size);
    for (const literal of literals) {
      words.push(literal);
      uses[Math.abs(literal) - 1]!++;
    }
    count++;
    if (words.length > MAX_WORDS) tooMuch(field, words.length, MAX_WORDS, 'literals');
  }
  return { variables, clauses: count, words, uses };
}

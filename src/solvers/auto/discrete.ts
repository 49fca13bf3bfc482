import { Refusal } from '../../errors/refusal.ts';
import type { Patch, Reading, Target } from './target.ts';

// How questions about formulas, programmes, networks and molecules are worded.

// ---- clauses -------------------------------------------------------------------------------------------

/** `p cnf …` as it stands. */
function dimacs(text: string): Reading | undefined {
  const match = /\bp cnf \d+ \d+(?: -?\d+)*/.exec(text);
  if (!match) return undefined;
  const lines = match[0].replace(/^(p cnf \d+ \d+) ?/, '$1\n').replaceAll(/ 0(?: |$)/g, ' 0\n');
  return { start: match.index, end: match.index + match[0].length, patch: { dimacs: lines } };
}

const LITERAL = String.raw`(?:not\s+|¬\s*|!\s*|~\s*|-\s*)?[xX]_?\d+`;
const CLAUSE = String.raw`\(?\s*${LITERAL}(?:\s*(?:or|∨|\||\|\|)\s*${LITERAL})*\s*\)?`;
const formula = new RegExp(String.raw`${CLAUSE}(?:\s*(?:and|∧|&|&&|,)\s*${CLAUSE})*`, 'iu');

const bracketed = /^\(.*\)$/;

const asksCount = /\b(?:how many|count|number of)\b/i;

/** Whether a variable that is in no clause doubles the count, only the asker knows. */
function refuseGap(variables: readonly number[]): void {
  const used = [...new Set(variables)].filter((x) => x > 0).sort((a, b) => a - b);
  const gap = used.findIndex((x, i) => x !== i + 1);
  if (gap < 0) return;
  const accepts = [`variables = ${used.at(-1)}`, 'variables that are numbered without a gap'];
  throw new Refusal(
    'INVALID_INPUT',
    `x${gap + 1} is in no clause, and it is not said whether it counts; accepted: ${accepts.join(', or ')}.`,
    { field: 'query', route: 'sat', accepts },
  );
}

/** (x1 or not x2) and (x2 or x3); without brackets ‘and’ would bind the more strongly. */
function clauses(text: string): Reading | undefined {
  const match = formula.exec(text);
  if (!match) return undefined;
  const anded = match[0].split(/\s*(?:\band\b|∧|&+)\s*/i);
  if (anded.length > 1 && anded.some((part) => /\bor\b|∨|\|/i.test(part) && !bracketed.test(part.trim())))
    return undefined;
  const literal = (word: string) =>
    (/^(?:not|¬|!|~|-)/i.test(word.trim()) ? -1 : 1) * Number(/\d+/.exec(word)![0]);
  const each = match[0].split(/\s*(?:\band\b|∧|&+|,)\s*/i).filter((part) => /\d/.test(part));
  const list = each.map((part) => (part.match(new RegExp(LITERAL, 'giu')) ?? []).map(literal));
  if (asksCount.test(text) && !/\bvariables\b/i.test(text)) refuseGap(list.flat().map(Math.abs));
  return { start: match.index, end: match.index + match[0].length, patch: { clauses: list } };
}

const sat: Target = {
  id: 'sat',
  phrases: {
    satisfiable: 4,
    unsatisfiable: 4,
    satisfiability: 4,
    sat: 3,
    cnf: 4,
    dimacs: 4,
    'boolean formula': 4,
    '3 sat': 4,
    clause: 2,
    clauses: 2,
    'satisfying assignment': 5,
    'satisfying assignments': 5,
    models: 1,
    pigeonhole: 3,
  },
  readings: [dimacs, clauses],
  idle: 'formula instance solutions assignments assignment',
  rules: [
    [/\b\d-sat\b/i, {}],
    [/\b(?:satisf(?:iable|ied|y|ying|ies)|unsatisfiable)\b/i, {}],
    [/\b(?:how many|count|number of)\b(?=[^.?]*\b(?:models|solutions|assignments)\b)/i, { mode: 'count' }],
    [
      /(?<=^(?!.*\b(?:how many|count|number of)\b).*)\b(?:satisf\w+|unsatisf\w+|decide|sat)\b/i,
      { mode: 'decide' },
    ],
  ],
  names: {
    conflictBudget: ['conflictBudget', 'conflict budget', '# conflicts'],
    variables: ['variables', '# variables'],
  },
};

// ---- programmes ----------------------------------------------------------------------------------------

const TERM = String.raw`[+-]?\s*\d*\.?\d*\s*\*?\s*[a-z]\d*(?![a-z])`;
const SUM = String.raw`${TERM}(?:\s*[+-]\s*\d*\.?\d*\s*\*?\s*[a-z]\d*(?![a-z]))*`;
const objective = new RegExp(
  String.raw`\b(max|min)(?:imi[sz]es?|imum of|\.)?\s+(?:(?:the |its )?(?:profit|revenue|cost|objective)\s+(?:of\s+)?)?(?:[a-z]\s*=\s*)?(${SUM})\s*,?\s*(?:subject to|such that|s\.\s?t\.|with|under|where)\s*:?\s*`,
  'i',
);
const constraint = new RegExp(
  String.raw`^\s*(?:,|;|and|\.)?\s*(${SUM})\s*(<=|>=|≤|≥|=<|=>|=|<|>)\s*([+-]?\d+\.?\d*(?:e[+-]?\d+)?)(?![\d.]*\s*(?:[*/^<>=≤≥+-]|[a-z]\d*(?![a-z])))`,
  'i',
);
const signs = /^\s*(?:,|;|and)?\s*([a-z]\d*(?:\s*,\s*[a-z]\d*)*)\s*(?:>=|≥)\s*0(?!\.?\d)/i;

/** Coefficients by variable of `3x + 5y`. */
function coefficients(sum: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [, sign = '', digits, variable] of sum.matchAll(/([+-]?)\s*(\d*\.?\d*)\s*\*?\s*([a-z]\d*)/gi)) {
    const value = Number(`${sign.trim()}${digits || 1}`);
    found.set(variable!, (found.get(variable!) ?? 0) + value);
  }
  return found;
}

/** maximise 3x + 5y subject to x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18, x, y ≥ 0. */
function linearProgramme(text: string): Reading | undefined {
  const head = objective.exec(text);
  if (!head) return undefined;
  let at = head.index + head[0].length;
  const rows: { sum: Map<string, number>; sense: string; bound: number }[] = [];
  const nonNegative = new Set<string>();
  for (;;) {
    const rest = text.slice(at);
    const sign = signs.exec(rest);
    const row = sign ? null : constraint.exec(rest);
    if (sign) for (const name of sign[1]!.split(/\s*,\s*/)) nonNegative.add(name);
    else if (row) rows.push({ sum: coefficients(row[1]!), sense: row[2]!, bound: Number(row[3]) });
    else break;
    at += (sign ?? row)![0].length;
  }
  const cost = coefficients(head[2]!);
  const variables = [...new Set([...cost.keys(), ...rows.flatMap(({ sum }) => [...sum.keys()])])];
  const listed = (sum: Map<string, number>, factor = 1) =>
    variables.map((name) => factor * (sum.get(name) ?? 0) + 0);
  const equal = rows.filter(({ sense }) => sense === '=');
  const below = rows.filter(({ sense }) => sense !== '=');
  const factor = (sense: string) => (/[>≥]/.test(sense) ? -1 : 1);
  const patch: Patch = {
    mode: 'lp',
    sense: head[1]!.toLowerCase(),
    c: listed(cost),
    ...(below.length > 0 && {
      A: below.map(({ sum, sense }) => listed(sum, factor(sense))),
      b: below.map(({ bound, sense }) => factor(sense) * bound + 0),
    }),
    ...(equal.length > 0 && { E: equal.map(({ sum }) => listed(sum)), d: equal.map(({ bound }) => bound) }),
    ...(nonNegative.size > 0 && { lower: variables.map((name) => (nonNegative.has(name) ? 0 : null)) }),
  };
  return { start: head.index, end: at, patch };
}

const monomials =
  /\b(?:min(?:imi[sz]e|imum of)?)\s+(?:f\(x\)\s*=\s*|the polynomial\s+)?((?:[+-]?\s*\d*\.?\d*\s*\*?\s*x(?:\^\d+)?|[+-]\s*\d+\.?\d*)(?:\s*[+-]\s*(?:\d*\.?\d*\s*\*?\s*x(?:\^\d+)?|\d+\.?\d*))*)/i;

/** minimise x^4 - 3x^3 + 2, in one variable. */
function polynomial(text: string): Reading | undefined {
  const match = monomials.exec(text);
  if (!match || !/x\^/.test(match[1]!)) return undefined;
  const terms = [...match[1]!.matchAll(/([+-]?)\s*(\d*\.?\d*)\s*\*?\s*(x?)(?:\^(\d+))?/gi)].filter(
    ([, , digits, x]) => digits !== '' || x !== '',
  );
  const list = terms.map(([, sign, digits, x, power]) => ({
    c: Number(`${sign}${digits || 1}`),
    powers: [x ? Number(power ?? 1) : 0],
  }));
  return {
    start: match.index,
    end: match.index + match[0].length,
    patch: { mode: 'unconstrained', polynomial: list },
  };
}

const functions = ['rosenbrock', 'himmelblau', 'beale', 'mccormick', 'styblinski-tang'] as const;
const start =
  /\b(?:start\w*(?:\s+(?:at|from))?|from|x0\s*=|initial (?:guess|point))\s*(?:x\s*=\s*)?[[(]?\s*([-+]?[\d.]+(?:\s*,\s*[-+]?[\d.]+)*)\s*[\])]?/i;

const opt: Target = {
  id: 'opt',
  phrases: {
    minimise: 3,
    minimize: 3,
    maximise: 3,
    maximize: 3,
    maximises: 3,
    maximizes: 3,
    minimises: 3,
    minimizes: 3,
    minimum: 2,
    'minimum of': 3,
    'linear programme': 5,
    'linear program': 5,
    'linear programming': 5,
    'quadratic programme': 5,
    'quadratic program': 5,
    'subject to': 3,
    's t': 3,
    rosenbrock: 4,
    himmelblau: 4,
    beale: 4,
    mccormick: 4,
    'styblinski tang': 5,
    'least squares': 4,
    'curve fit': 4,
    optimisation: 3,
    optimization: 3,
    optimum: 3,
    simplex: 3,
    constraints: 2,
  },
  readings: [linearProgramme, polynomial],
  idle: 'function functions factory h g fit exponential dimensions',
  asks: ['maximise', 'maximize', 'maximises', 'maximizes'],
  rules: [
    ...functions.map(
      (name) =>
        [new RegExp(name.replace('-', '[- ]'), 'i'), { mode: 'unconstrained', function: name }] as const,
    ),
    [/\bquadratic program\w*\b/i, { mode: 'qp' }],
    [/\blinear program\w*\b/i, { mode: 'lp' }],
    [/\bleast[- ]squares\b|\bcurve fit\b/i, { mode: 'nls' }],
    [start, ([, list]) => ({ x0: list!.split(',').map(Number) })],
    // Functions of as many variables as their start has.
    [
      /(?<=\b(?:rosenbrock|styblinski[- ]tang)\b(?!.*\b(?:n\s*=|dimension|variable)).*)\bfrom\s*[[(]([-+\d.,\s]+)[\])]/i,
      ([, list]) => ({ n: list!.split(',').length }),
    ],
  ],
  names: { n: ['n', '# variables', '# dimensions'], seed: ['seed'] },
};

// ---- networks ------------------------------------------------------------------------------------------

const grid: Target = {
  id: 'grid',
  phrases: {
    'power flow': 5,
    'load flow': 5,
    ieee: 3,
    'power grid': 4,
    'power network': 4,
    'power system': 4,
    'transmission losses': 3,
    'total losses': 2,
    bus: 2,
    busbar: 2,
    'slack bus': 3,
    matpower: 4,
    'newton raphson power flow': 6,
  },
  rules: [
    [
      /\b(?:ieee\s*-?\s*)?(?:9|nine)[- ]?bus\b(?=[^.?]*\b(?:flat|unit) set[- ]?points?\b)|\bieee9flat\b/i,
      { case: 'ieee9flat' },
    ],
    [
      /\b(?:uw|washington)\b(?=[^.?]*\b30)|\b30[- ]?bus\b(?=[^.?]*\b(?:uw|washington|archive)\b)|\bieee30uw\b/i,
      { case: 'ieee30uw' },
    ],
    [
      /\b(?:ieee\s*-?\s*)?(?:9|nine)[- ]?bus\b(?![^.?]*\b(?:flat|unit) set[- ]?points?\b)|\bieee[\s-]?9\b|\bcase9\b/i,
      { case: 'ieee9' },
    ],
    [/\b(?:ieee\s*-?\s*)?(?:14|fourteen)[- ]?bus\b|\bieee[\s-]?14\b|\bcase14\b/i, { case: 'ieee14' }],
    [
      /(?<!\b(?:uw|washington)\b[^.?]*)\b(?:ieee\s*-?\s*)?(?:30|thirty)[- ]?bus\b(?![^.?]*\b(?:uw|washington|archive)\b)|\bieee[\s-]?30\b|\bcase30\b/i,
      { case: 'ieee30' },
    ],
    [/\b(?:total |real |active |transmission )*(?:power )?loss(?:es)?\b/i, { quantity: 'loss' }],
    [
      /\b(?:how much )?(?:real |active )?(?:power )?(?:does |of |at |from )?(?:the )?slack(?: bus)?(?: generation| (?:real |active )?power| deliver\w*)?\b/i,
      { quantity: 'slack' },
    ],
    [/(?<=\bslack\b[^.]*)\bdelivers?\b/i, {}],
    [/\b(?:voltage |phase )?angle\b/i, { quantity: 'angle' }],
    [/\bvoltage(?: magnitude)?\b(?! (?:phase )?angle)/i, { quantity: 'voltage' }],
    [
      /\b(?:active |real )?(?:power )?flow\s+(?:in|on|through|into)\s+(?:the\s+)?(?:branch|line)\b/i,
      { quantity: 'flow' },
    ],
  ],
  asks: ['slack bus'],
  unused: [
    ...['loss', 'slack'].map((quantity) => ({ when: { quantity }, unused: ['bus', 'branch'] })),
    ...['voltage', 'angle'].map((quantity) => ({ when: { quantity }, unused: ['branch'] })),
    { when: { quantity: 'flow' }, unused: ['bus'] },
  ],
  idle: 'ac network grid newton raphson test case study analysis archive flat unit set point points setpoint setpoints archive uw washington',
  shares: { loadScale: Number.POSITIVE_INFINITY },
  names: {
    bus: ['bus', 'at bus', 'of bus', 'bus number', 'bus no.', 'busbar'],
    branch: ['branch', 'line'],
    loadScale: ['loadScale', 'load scale', 'load scaled by', 'loads scaled by', 'load factor'],
  },
};

// ---- molecules -----------------------------------------------------------------------------------------

const dock: Target = {
  id: 'dock',
  phrases: {
    dock: 4,
    docking: 5,
    ligand: 4,
    receptor: 4,
    'binding energy': 3,
    'binding pose': 4,
    vina: 4,
    'lennard jones cluster': 6,
    'morse cluster': 6,
    cluster: 2,
    'global minimum': 3,
    'atom cluster': 7,
    'cluster of atoms': 6,
    lj7: 5,
    lj13: 5,
    lj38: 5,
    lj55: 5,
    'lj 13': 5,
    'lj 38': 5,
    'lj 55': 5,
    'cluster of': 5,
    'lowest energy': 2,
    'lj cluster': 5,
  },
  idle: 'energy scoring rigid molecular protein score potential best pose',
  rules: [
    [/\bcluster\b|\blj\d+\b/i, { mode: 'cluster' }],
    [/\bmorse\b/i, { potential: 'morse' }],
    [/\b(?:lennard[- ]jones|lj)\b|\blj\d+\b/i, { potential: 'lj' }],
    [/\blj[ -]?(\d+)\b/i, ([, n]) => ({ N: Number(n) })],
    [
      /\b(\d+)[- ]atom\b|\bof (\d+) (?:lennard[- ]jones |lj |morse )?atoms\b|\b(\d+) atoms\b/i,
      ([, a, b, c]) => ({ N: Number(a ?? b ?? c) }),
    ],
    [/\bvina\b/i, { scoring: 'vina' }],
  ],
  names: { N: ['N', '# atoms'], rho: ['rho', 'ρ', 'range'], epsR: ['epsR', 'relative permittivity'] },
};

export const discrete: readonly Target[] = [sat, opt, grid, dock];

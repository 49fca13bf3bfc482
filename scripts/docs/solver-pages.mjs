// docs/solvers/<id>.md, one page for each declaration, with the output of a real run where that is quick.
import { code, compactJson, made, table } from './markdown.mjs';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
/** Plancks that a run of a page is expected to cost at most: what a check may wait for. */
const QUICK_PLANCKS = 200_000_000n;

/** @returns rows for the list of generated pages */
export async function solverPages(documented) {
  const { solvers } = await built('src/solvers/registry.js');
  const pages = solvers.map((solver) => ({
    file: `docs/solvers/${solver.id}.md`,
    make: async () => solverPage(solver, await documented()),
  }));
  return [{ file: 'docs/solvers/README.md', make: async () => listPage(solvers) }, ...pages];
}

function listPage(solvers) {
  const rows = solvers.map(({ id, title, summary }) => [`[${id}](${id}.md)`, title, summary]);
  return `${made('src/solvers')}\n# Solvers\n\n${table(['solver', 'title', 'what it computes'], rows)}\n`;
}

async function solverPage(solver, node) {
  const { id, title, summary, equation, references } = solver;
  const answers = await quickAnswers(solver, solver.examples, node);
  const ofProbes = await quickAnswers(solver, solver.probes ?? [], node);
  const sections = [
    made(`src/solvers/${id}.ts`),
    `# ${title}`,
    `\`POST /api/svc/${id}\` · \`svc run ${id}\``,
    summary,
    `$$${equation}$$`,
    references.map((reference) => `- ${reference}`).join('\n'),
    '## Input',
    await inputTable(solver),
    'A number may be sent as `{"value": 3, "unit": "km/h"}` in any unit that converts; on the command line as `3km/h`. Unknown fields are refused.',
    ...gateSections(solver),
    ...(await answerSections(
      solver,
      await examplesOf(solver),
      [...answers, ...ofProbes].map(({ answer }) => answer),
    )),
    '## Examples',
    'Each is a test: it is posted, and the answer compared.',
    ...solver.examples.flatMap(exampleSections),
    ...(await commandLineSections(solver, answers)),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

async function inputTable({ input }) {
  const { flags } = await built('src/solvers/input.js');
  const rows = flags(input).map(({ name, required, meaning, accepted }) => [
    `\`${name}\``,
    required ? 'yes' : '',
    meaning,
    accepted,
  ]);
  return table(['field', 'required', 'meaning', 'accepted'], rows);
}

/** Gates of a solver that asks others are theirs. */
const gateSections = ({ gates }) => [
  '## Gates',
  ...(gates.length === 0
    ? ['The gates are those of the solver that is asked; its page lists them.']
    : [
        'A result is sealed only when each gate that applies holds its error within 0.1 %.',
        table(
          ['gate', 'quantity', 'reference'],
          gates.map(({ name, quantity, source }) => [name, quantity, source]),
        ),
      ]),
];

// ---- answer --------------------------------------------------------------------------------------------

const NOT_KNOWN = 'not known';
const eitherOf = (units) => [...new Set(units.map((unit) => unit ?? NOT_KNOWN))].join(' or ');

/** Of an output that has its unit from the request, the units that it has in the examples. */
function unitsIn(path, [unit], shown) {
  if (unit === null) return '';
  if (unit === 'value') return 'that of `value`';
  return eitherOf(typeof unit === 'function' ? shown.map((outputs) => outputs[path][0]()) : [unit]);
}

async function answerSections(solver, inputs, answers) {
  const { outputsFor } = await built('src/solvers/outputs.js');
  const shown = inputs.map((input) => outputsFor(solver, input));
  const rows = Object.entries(solver.outputs).map(([path, output]) => [
    `\`${path}\``,
    unitsIn(path, output, shown),
    output[2]
      ? `${output[1]} ${output[2] === 'unsealed' ? 'Not sealed.' : 'Sealed where a gate looks at it.'}`
      : output[1],
  ]);
  return [
    '## Answer',
    `In the examples \`value\` is in ${eitherOf(inputs.map((input) => solver.unit(input)))}. Beside it stand those of these that apply, and \`units\`: for each unit the names of the numbers that are in it. 1 is a pure number; what has no unit here is no number, or names it beside.`,
    table(['name', 'unit', 'meaning'], rows),
    ...fieldSections(solver, answers),
    solver.field
      ? 'Of a series, profile or field the receipt has the three diagnostics; of a number alone they are null.'
      : 'There is no series, profile or field, so the three diagnostics of the receipt are null.',
  ];
}

function fieldSections({ gates }, answers) {
  if (gates.length === 0) return ['Fields are those of the solver that is asked.'];
  const all = answers.flatMap(({ fields }) => fields);
  if (all.length === 0) return ['It has no fields.'];
  const rows = [...new Set(all.map(({ name }) => name))].map((name) => {
    const same = all.filter((field) => field.name === name);
    return [`\`${name}\``, eitherOf(same.map(({ unit }) => unit)), shapesOf(same)];
  });
  return ['Fields, in the shape of an example:', table(['field', 'unit', 'shape'], rows)];
}

/** The first shape of each number of axes. */
function shapesOf(fields) {
  const byAxes = new Map();
  for (const { shape } of fields) if (!byAxes.has(shape.length)) byAxes.set(shape.length, shape);
  return [...byAxes.values()].map((shape) => shape.join(' × ')).join(' or ');
}

function exampleSections({ title, body, expect, tolerance, source }) {
  return [
    `### ${title[0].toUpperCase()}${title.slice(1)}`,
    code('json', compactJson(body)),
    `Expected, within ${tolerance} relative (${source}):`,
    code('json', compactJson(expect)),
  ];
}

/** The inputs of the examples, as the solver reads them. */
async function examplesOf({ input: schema, canonical, examples }) {
  const { readInput } = await built('src/solvers/input.js');
  return examples
    .filter(({ expect }) => !('status' in expect))
    .map(({ body }) => readInput(schema, body).input)
    .map((input) => canonical?.(input) ?? input);
}

/** Answers to the quick ones of these, the cheapest first; where none is quick, to the cheapest alone. */
async function quickAnswers({ id }, requests, node) {
  const priced = [];
  for (const { body, expect = {} } of requests)
    if (!('status' in expect)) priced.push({ body, price: await node.expectedPrice(id, body) });
  priced.sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0));
  const quick = priced.filter(({ price }, i) => i === 0 || price <= QUICK_PLANCKS);
  const answers = [];
  for (const { body } of quick) answers.push({ body, answer: await node.answer(id, body) });
  return answers;
}

function plotsOf({ fields, plots }, plotText) {
  const atHand = fields.filter(({ values }) => Array.isArray(values));
  return plots.flatMap((plot) => plotText(plot, atHand) ?? []);
}

const curvesOf = ({ plots }) => plots.reduce((sum, { y }) => sum + (Array.isArray(y) ? y.length : 1), 0);

/** The answer that draws the most as the command line shows it; of several the cheapest. */
async function commandLineSections(solver, answers) {
  const [{ commandLine }, { plotText }] = await Promise.all([
    built('src/cli/verbs/run.js'),
    built('src/cli/plot.js'),
  ]);
  const plots = answers.map(({ answer }) => plotsOf(answer, plotText));
  const most = plots.reduce((best, drawn, i) => {
    const more = drawn.length > 0 && curvesOf(answers[i].answer) > curvesOf(answers[best].answer);
    return more ? i : best;
  }, 0);
  const { body, answer } = answers[most];
  const value = `${Number(answer.value.toPrecision(9))}${answer.unit && answer.unit !== '1' ? ` ${answer.unit}` : ''}`;
  const held = answer.gates.map(({ name, kind, relError, bound }) => {
    const error = relError === 0 ? '0' : `below 1e${Math.ceil(Math.log10(relError))}`;
    return `  held ${name} (${kind}): error ${error}, bound ${bound}`;
  });
  return [
    '## On the command line',
    code('sh', commandLine('run', solver, body)),
    'gives, in more digits and with what was assumed, what lies in longer fields, and the price:',
    code('text', [value, '', ...held, ...plots[most].flatMap((text) => ['', text])].join('\n')),
    ...(plots[most].length === 0 ? ['One number: there is nothing to draw.'] : []),
  ];
}

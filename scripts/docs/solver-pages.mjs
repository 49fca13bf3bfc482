// docs/solvers/<id>.md, one page for each declaration, with the output of a real run where that is quick.
import { code, compactJson, made, table } from './markdown.mjs';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
/** Plancks that the run of a page may cost: what a check may wait for. */
const QUICK_PLANCKS = 50_000_000n;

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
  const { id, title, summary, equation, references, gates } = solver;
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
    '## Gates',
    'A result is sealed only when each gate that applies holds its error within 0.1 %.',
    table(
      ['gate', 'quantity', 'reference'],
      gates.map(({ name, quantity, source }) => [name, quantity, source]),
    ),
    '## Examples',
    'Each is a test: it is posted, and the answer compared.',
    ...solver.examples.flatMap(exampleSections),
    ...(await outputSections(solver, node)),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

async function inputTable({ input }) {
  const { flags } = await built('src/solvers/input.js');
  const rows = flags(input).map(({ name, required, help }) => {
    const at = help.indexOf('[');
    const what = help.slice(0, at).trim();
    return [`\`${name}\``, required ? 'yes' : '', what, help.slice(at + 1, -1)];
  });
  return table(['field', 'required', 'meaning', 'accepted'], rows);
}

function exampleSections({ title, body, expect, tolerance, source }) {
  return [
    `### ${title[0].toUpperCase()}${title.slice(1)}`,
    code('json', compactJson(body)),
    `Expected, within ${tolerance} relative (${source}):`,
    code('json', compactJson(expect)),
  ];
}

async function outputSections(solver, node) {
  const [{ commandLine }, { plotText }] = await Promise.all([
    built('src/cli/verbs/run.js'),
    built('src/cli/plot.js'),
  ]);
  const [example] = solver.examples;
  const sections = ['## On the command line', code('sh', commandLine('run', solver))];
  const answer = await node.quickAnswer(solver.id, example.body, QUICK_PLANCKS);
  if (!answer) return sections;
  const fields = answer.fields.filter(({ values }) => Array.isArray(values));
  const plots = answer.plots.flatMap((plot) => plotText(plot, fields) ?? []);
  const value = `${Number(answer.value.toPrecision(9))}${answer.unit && answer.unit !== '1' ? ` ${answer.unit}` : ''}`;
  const held = answer.gates.map(({ name, kind, relError, bound }) => {
    const error = relError === 0 ? '0' : `below 1e${Math.ceil(Math.log10(relError))}`;
    return `  held ${name} (${kind}): error ${error}, bound ${bound}`;
  });
  return [
    ...sections,
    'gives',
    code('text', [value, '', ...held, ...plots.flatMap((text) => ['', text])].join('\n')),
  ];
}

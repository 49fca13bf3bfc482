// `npm run solvers`: a line for every solver, from the registry, from what its tests found in this build (dist/evidence) and from the
// last run of the benches (dist/bench-results.json). No cell is typed by hand; one that nothing vouches for is a dash, and
// what a row lacks, or has and missed, is listed below the table.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command } from 'commander';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** What test files found, each of one solver. */
function foundByTests() {
  const folder = join(root, 'dist', 'evidence');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.map((file) => readJson(join(folder, file)));
}

/** What the test files of a solver found in the build that is there, together. */
function evidenceOf(id, found, presentBuild) {
  const all = found.filter(({ solver, build }) => solver === id && build === presentBuild);
  return {
    references: all.flatMap(({ references }) => references),
    gates: worstGates(all.flatMap(({ gates }) => Object.entries(gates))),
    orders: all.flatMap(({ orders }) => orders),
    withoutOrder: all.map(({ withoutOrder }) => withoutOrder).find((reason) => reason !== undefined),
    twins: all.flatMap(({ twins }) => twins),
  };
}

function worstGates(entries) {
  const gates = {};
  for (const [name, gate] of entries)
    if (!gates[name] || share(gate) > share(gates[name])) gates[name] = gate;
  return gates;
}

/** The rows of a solver's benches that have a peer. */
function benchRows(id, measured, presentKernels) {
  const named = new RegExp(`^(kernels: )?${id}[,:]`);
  return measured
    .flatMap(({ rows, quick, kernels }) =>
      rows.map((row) => ({ ...row, quick, isEarlier: kernels !== presentKernels })),
    )
    .filter(({ figure, peer, value }) => named.test(figure) && value !== undefined && peer !== undefined);
}

const isPython = ({ against }) => /^Python\b/.test(against);
/** A small size shows that a bench runs, not how fast; and what kernels took that are no more says so. */
const rateText = (row) =>
  row
    ? `${significant(row.value)} ${row.unit}${row.quick ? ', small size' : ''}${row.isEarlier ? ', earlier kernels' : ''}`
    : '–';
/** The rate of the peer over ours: below 1 we are the faster one; of a small size it says nothing. */
const ratioText = (row) =>
  row && !row.quick ? `${significant(row.peer / row.value)} (${row.against.replace('Python: ', '')})` : '–';

const worst = (numbers) => (numbers.length === 0 ? undefined : Math.max(...numbers));
/** How much of its bound a gate's error takes; a bound of 0 is a count that must be 0. */
const share = ({ error, bound }) => (bound === 0 ? error : error / bound);
const short = (number) => (number === undefined ? '–' : number === 0 ? '0' : number.toExponential(1));
const significant = (number) => (number === undefined ? '–' : String(Number(number.toPrecision(3))));

/** The row in which the peer is nearest to us, or furthest ahead. */
const slowest = (rows) => [...rows].sort((a, b) => b.peer / b.value - a.peer / a.value)[0];

/** Rows of the whole size, and of the small one only where there are no others. */
const wholeSize = (rows) => {
  const whole = rows.filter(({ quick }) => !quick);
  return whole.length > 0 ? whole : rows;
};

const LEAST_TWINS = 3;
/** As testOrders asks it. */
const ORDER_WITHIN = 0.1;

/** What a row lacks, as words. A test that failed leaves what it found as well: that counts for nothing. */
function lacking({ references, orders, withoutOrder, twins }, { operation, verb, page, bench }) {
  const refused = twins.filter((twin) => twin.refused).length;
  return [
    !operation && 'a route',
    !verb && 'a verb',
    !page && 'a page',
    references.length === 0 && 'reference values',
    references.some(({ error, tolerance }) => !(error <= tolerance)) && 'reference values within tolerance',
    orders.length === 0 && withoutOrder === undefined && 'an order or why there is none',
    orders.some(({ observed, theory }) => !(Math.abs(observed - theory) <= ORDER_WITHIN)) &&
      `orders within ${ORDER_WITHIN} of the theory`,
    (refused < LEAST_TWINS || refused < twins.length) && `${LEAST_TWINS} twins, all refused`,
    (!bench || bench.quick) && 'a bench of the whole size',
  ].filter((what) => what !== false);
}

function rowOf(solver, { operations, verbs, presentBuild, presentKernels, found, measured }) {
  const { id } = solver;
  const evidence = evidenceOf(id, found, presentBuild);
  const { references, gates, orders, withoutOrder, twins } = evidence;
  const rows = wholeSize(benchRows(id, measured, presentKernels));
  const [bench, python] = [false, true].map((of) => slowest(rows.filter((row) => isPython(row) === of)));
  const [gate, worstGate] = Object.entries(gates).sort(([, a], [, b]) => share(b) - share(a))[0] ?? [];
  const operation = operations.has(`/api/svc/${id}`);
  const verb = verbs.has(id);
  const page = existsSync(join(root, 'docs', 'solvers', `${id}.md`));
  const cells = {
    solver: id,
    route: operation ? 'yes' : '–',
    verb: verb ? `svc run ${id}` : '–',
    page: page ? 'yes' : '–',
    references: references.length === 0 ? '–' : `${references.length}`,
    'worst error': short(worst(references.map(({ error }) => error))),
    'worst gate': gate === undefined ? '–' : `${gate} ${short(worstGate.error)} of ${worstGate.bound}`,
    order:
      orders
        .map(({ observed, theory }) => `${observed.toFixed(2)}/${theory}`)
        .slice(0, 2)
        .join(' ') || '–',
    'twins refused':
      twins.length === 0 ? '–' : `${twins.filter(({ refused }) => refused).length}/${twins.length}`,
    bench: rateText(bench ?? python),
    'peer/ours': ratioText(bench),
    'Python/ours': ratioText(python),
  };
  return { cells, withoutOrder, lacks: lacking(evidence, { operation, verb, page, bench: bench ?? python }) };
}

const listed = (title, entries) =>
  entries.length === 0 ? '' : `\n\n${title}\n${entries.map((entry) => `  ${entry}`).join('\n')}`;

function textTable(rows) {
  const columns = Object.keys(rows[0]);
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd();
  return [
    line(columns),
    line(widths.map((width) => '─'.repeat(width))),
    ...rows.map((row) => line(Object.values(row))),
  ].join('\n');
}

/** What the last runs of the benches measured. */
function benchResults() {
  const file = join(root, 'dist', 'bench-results.json');
  return existsSync(file) ? readJson(file).measured : [];
}

/** The table as text, with what benches measured and tests found; needs what was built in dist/. */
export async function solversTable(measured = benchResults(), found = foundByTests()) {
  const built = (file) => import(pathToFileURL(join(root, 'dist', 'src', file)).href);
  const { solvers } = await built('solvers/registry.js');
  const routes = readFileSync(join(root, 'docs', 'api.md'), 'utf8');
  const operations = new Set(routes.match(/\/api\/svc\/[a-z]+/g));
  const { runVerbs } = await built('cli/verbs/run.js');
  const program = new Command();
  runVerbs(program);
  const run = program.commands.find((command) => command.name() === 'run');
  const verbs = new Set(run.commands.map((command) => command.name()));
  const { presentBuild, presentKernels } = await import(
    pathToFileURL(join(root, 'dist', 'test', 'solvers', 'evidence.js')).href
  );
  const rows = solvers.map((solver) =>
    rowOf(solver, { operations, verbs, presentBuild, presentKernels, found, measured }),
  );
  const idOf = ({ cells }) => cells.solver;
  const reasons = rows.filter(({ withoutOrder }) => withoutOrder !== undefined);
  const unfinished = rows.filter(({ lacks }) => lacks.length > 0);
  return [
    textTable(rows.map(({ cells }) => cells)),
    listed(
      'no order',
      reasons.map((row) => `${idOf(row)}: ${row.withoutOrder}`),
    ),
    listed(
      'not whole, by the tests that were run of this build and the last run of the benches',
      unfinished.map((row) => `${idOf(row)} lacks ${row.lacks.join(', ')}`),
    ),
  ].join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await solversTable());

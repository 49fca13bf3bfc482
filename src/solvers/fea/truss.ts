import { refuse } from '../../errors/refusal.ts';
import type { Part, Round, RunPlan } from '../../proof/job.ts';
import { profileBytes } from '../diagnostics.ts';
import { Layout } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { loadKind } from './conditions.ts';
import type { FeaInput, Where } from './schema.ts';

/** The verdict solves a dense system of bars and free displacements. */
const MAX_UNKNOWNS = 1200;
const MAX_MEMORY = 2 ** 30;
/** What squares and products of bars are numbers of. */
const LEAST = 1e-100;
const MOST = 1e100;
export const TRUSS_HEAD = 16;
const quantities = { displacement: 0, energy: 1, force: 2 } as const;
const axes = ['x', 'y', 'z'] as const;

type Quantity = keyof typeof quantities;
type Row = readonly [number, number, number, number];

export interface Truss {
  readonly dimensions: number;
  readonly nodes: readonly (readonly number[])[];
  readonly bars: readonly Row[];
  readonly supports: readonly Row[];
  readonly loads: readonly Row[];
  readonly quantity: Quantity;
  readonly component: number;
  /** Node or bar that the quantity belongs to. */
  readonly target: number;
}

/** Reads a truss request. Throws what the schema cannot say. */
export function readTruss(input: FeaInput): Truss {
  const nodes = input.nodes!;
  const dimensions = nodes[0]!.length;
  nodes.forEach((p, i) => {
    if (p.length !== dimensions)
      refuse('INVALID_INPUT', `nodes[${i}] has ${p.length} coordinates.`, {
        field: `nodes[${i}]`,
        accepts: `${dimensions} coordinates, as nodes[0]`,
      });
  });
  const truss: Truss = {
    dimensions,
    nodes,
    bars: input.bars!.map((_, i) => barRow(input, i)),
    supports: supportRows(input, dimensions),
    loads: loadRows(input, dimensions),
    quantity: input.quantity as Quantity,
    component: input.component === undefined ? 0 : axes.indexOf(input.component as 'x'),
    target: targetOf(input, dimensions),
  };
  refuseLarge(truss);
  return truss;
}

function barRow(input: FeaInput, i: number): Row {
  const { nodes, E, A } = input.bars![i]!;
  const [a, b] = nodes as [number, number];
  const [p, q] = [input.nodes![a], input.nodes![b]];
  const field = `bars[${i}].nodes`;
  if (!p || !q)
    refuse('INVALID_INPUT', `${field} names a node that is not there.`, {
      field,
      accepts: `0 to ${input.nodes!.length - 1}`,
    });
  if (p.every((x, c) => x === q[c]))
    refuse('INVALID_INPUT', `${field}: the bar has no length.`, { field, accepts: 'two different nodes' });
  const length = Math.sqrt(p.reduce((sum, x, c) => sum + (x - q[c]!) * (x - q[c]!), 0));
  const stiffness = (E * A) / length;
  if (![length, stiffness].every((x) => x > LEAST && x < MOST))
    refuse('INVALID_INPUT', `bars[${i}] is ${length} m long and bears ${stiffness} N/m.`, {
      field: `bars[${i}]`,
      accepts: `a length and a stiffness EA/L of ${LEAST} to ${MOST}`,
    });
  return [a, b, E, A];
}

function nodesOf(input: FeaInput, on: Where, field: string): number[] {
  const nodes = input.nodes!;
  if (typeof on === 'object' && 'point' in on) return [nodeAt(nodes, on.point, `${field}.point`)];
  const list = typeof on !== 'object' ? [] : 'node' in on ? [on.node] : 'nodes' in on ? on.nodes : [];
  if (list.length === 0)
    refuse('INVALID_INPUT', `${field} has no meaning in a truss.`, {
      field,
      accepts: '{node}, {nodes} or {point}',
    });
  const wrong = list.find((n) => n >= nodes.length);
  if (wrong !== undefined)
    refuse('INVALID_INPUT', `${field} names node ${wrong}.`, { field, accepts: `0 to ${nodes.length - 1}` });
  return list;
}

function nodeAt(nodes: readonly (readonly number[])[], point: readonly number[], field: string): number {
  const size = nodes.reduce((most, p) => Math.max(most, ...p.map(Math.abs)), 0);
  const index = nodes.findIndex((p) => p.every((x, c) => Math.abs(x - (point[c] ?? 0)) <= 1e-9 * size));
  if (index < 0 || point.length !== nodes[0]!.length)
    refuse('INVALID_INPUT', `${field}: no node lies there.`, { field, accepts: 'the coordinates of a node' });
  return index;
}

function supportRows(input: FeaInput, dimensions: number): Row[] {
  const rows = input.supports.flatMap((support, i) => {
    const field = `supports[${i}]`;
    if (support.u !== undefined || (support.uz !== undefined && dimensions === 2))
      refuse('INVALID_INPUT', `${field} prescribes what a truss of ${dimensions} dimensions has not.`, {
        field,
      });
    const values = [support.ux, support.uy, support.uz].slice(0, dimensions);
    if (values.every((v) => v === undefined))
      refuse('MISSING_INPUT', `${field} prescribes nothing.`, { field, accepts: 'ux, uy, uz' });
    return nodesOf(input, support.on, `${field}.on`).flatMap((node) =>
      values.flatMap((v, c): Row[] => (v === undefined ? [] : [[node, c, numberOf(v, field), 0]])),
    );
  });
  refuseTwice(rows);
  return rows;
}

function refuseTwice(rows: readonly Row[]): void {
  const given = new Map<string, number>();
  for (const [node, c, value] of rows) {
    const known = given.get(`${node} ${c}`);
    if (known !== undefined && known !== value)
      refuse('INVALID_INPUT', `supports: node ${node} is given ${known} m and ${value} m along ${axes[c]}.`, {
        field: 'supports',
        accepts: 'one displacement along each axis',
      });
    given.set(`${node} ${c}`, value);
  }
}

function numberOf(value: number | readonly number[], field: string): number {
  if (typeof value === 'number') return value;
  return refuse('INVALID_INPUT', `${field}: coefficients in ξ need a side.`, { field, accepts: 'a number' });
}

function loadRows(input: FeaInput, dimensions: number): Row[] {
  return (input.loads ?? []).flatMap((load, i) => {
    const field = `loads[${i}]`;
    if (loadKind(load, field) !== 'force')
      refuse('INVALID_INPUT', `${field}: a truss is loaded at its nodes.`, { field, accepts: 'force' });
    if (load.force!.length !== dimensions)
      refuse('INVALID_INPUT', `${field}.force must have ${dimensions} components.`, {
        field: `${field}.force`,
      });
    const [fx, fy, fz = 0] = load.force as [number, number, number?];
    return nodesOf(input, load.on, `${field}.on`).map((node): Row => [node, fx, fy, fz]);
  });
}

function targetOf(input: FeaInput, dimensions: number): number {
  if (input.quantity === 'energy') return 0;
  if (input.quantity === 'displacement') {
    if (input.component === 'z' && dimensions === 2)
      refuse('INVALID_INPUT', 'component z needs a truss in space.', { field: 'component', accepts: 'x, y' });
    return nodeAt(input.nodes!, input.probe!, 'probe');
  }
  if (input.member! >= input.bars!.length)
    refuse('INVALID_INPUT', `member names bar ${input.member}.`, {
      field: 'member',
      accepts: `0 to ${input.bars!.length - 1}`,
    });
  return input.member!;
}

const unknowns = ({ bars, nodes, dimensions }: Truss) => bars.length + nodes.length * dimensions;

function refuseLarge(truss: Truss): void {
  if (unknowns(truss) <= MAX_UNKNOWNS) return;
  refuse('LIMIT_EXCEEDED', `The truss has ${unknowns(truss)} bars and displacements.`, {
    field: 'bars',
    accepts: `at most ${MAX_UNKNOWNS} bars and displacements together`,
  });
}

/** assembly/fem/truss.ts */
function parameters(truss: Truss): Uint8Array {
  const { dimensions, nodes, bars, supports, loads, quantity, component, target } = truss;
  const layout = new Layout()
    .f64(dimensions, nodes.length, bars.length, supports.length, loads.length)
    .f64(quantities[quantity], component, target, 0, 0, 0, 0, 0, 0, 0, 0);
  for (const [x, y, z = 0] of nodes as readonly (readonly [number, number, number?])[]) layout.f64(x, y, z);
  for (const row of [...bars, ...supports, ...loads]) layout.f64(...row);
  return layout.bytes();
}

export const trussResult = ({ nodes, dimensions, bars }: Truss) =>
  TRUSS_HEAD + nodes.length * dimensions + bars.length;

/** Numbers of the free displacements, −1 where one is prescribed, by joint and direction; how many there are. */
function freeNumbers({ nodes, dimensions, supports }: Truss): { count: number; numbers: Int32Array } {
  const numbers = new Int32Array(nodes.length * dimensions);
  for (const [node, component] of supports) numbers[node * dimensions + component] = -1;
  let count = 0;
  for (const [i, number] of numbers.entries()) if (number === 0) numbers[i] = count++;
  return { count, numbers };
}

/** Work of LDLᵀ by the first column of each row (assembly/fem/envelope.ts). */
function factorWork({ bars, dimensions }: Truss, { count, numbers }: ReturnType<typeof freeNumbers>): number {
  const firsts = Int32Array.from({ length: count }, (_, i) => i);
  for (const [a, b] of bars) {
    const both = [a, b].flatMap((node) => [...numbers.subarray(node * dimensions, (node + 1) * dimensions)]);
    const free = both.filter((number) => number >= 0);
    for (const number of free) firsts[number] = Math.min(firsts[number]!, ...free);
  }
  return firsts.reduce((total, first, i) => total + Math.floor(((i - first) * (i - first)) / 2) + 8, 0);
}

export function trussRound(truss: Truss): Round {
  const n = truss.nodes.length * truss.dimensions;
  const run: RunPlan = {
    kernel: 'fea-truss',
    parts: [{ bytes: parameters(truss) }],
    stepsPerSegment: 1,
    steps: 1,
    work: 2000 * truss.bars.length + 100 * truss.nodes.length + 1000 + factorWork(truss, freeNumbers(truss)),
    memory: Math.min(MAX_MEMORY, 4 * n * n + 1000 * truss.bars.length + 2 ** 20),
    label: 'truss',
  };
  return { runs: [run] };
}

export function trussVerdict(truss: Truss): Round {
  const n = unknowns(truss);
  const order = truss.bars.length + freeNumbers(truss).count;
  const result: Part = { run: 0, of: 'result', from: 0, length: 8 * trussResult(truss) };
  const run: RunPlan = {
    kernel: 'fea-truss.verdict',
    parts: [{ bytes: parameters(truss) }, result],
    stepsPerSegment: 1,
    steps: 1,
    work: 10_000 + eliminationWork(order),
    memory: 8 * n * n + 1000 * n + 2 ** 20 + profileBytes(truss.bars.length),
    label: 'verdict',
  };
  return { verdict: true, runs: [run] };
}

/** Half the square of what is left, and one more, at each of n pivots. */
function eliminationWork(n: number): number {
  let work = n;
  for (let left = 1; left <= n; left++) work += Math.floor((left * left) / 2);
  return work;
}

export function trussQuote(truss: Truss): Quote {
  const runs = [...trussRound(truss).runs, ...trussVerdict(truss).runs];
  return {
    work: runs.reduce((total, { work }) => total + work, 0),
    exact: true,
    memory: runs.reduce((most, { memory }) => Math.max(most, memory), 0),
  };
}

import { canonicalBytes } from '../../proof/canonical.ts';
import type { FinishedRun, RunPlan } from '../../proof/job.ts';
import { engineVersion } from '../../version.ts';
import { profileBytes, profileWork } from '../diagnostics.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import type { Problem } from './problem.ts';
import { reductions } from './schema.ts';

/** Cost model of assembly/verdicts/lattice.ts. */
const POINT_WORK = 300;
const BLOCK_WORK = 170;
const NODE_WORK = 360;
const HEADER_BYTE_WORK = 6;
const WORK = 20_000;
/** Bytes of its table of last blocks (assembly/math/sha256-lanes.ts). */
const LAST_BLOCKS = 2 ** 16;
/** Numbers of the extras before the columns. */
const SCALARS = 18;

const heads = new WeakMap<Problem, { readonly head: Uint8Array; readonly header: number }>();

/** What `headerHash` is the digest of: target, axes, unit of the values, version of the engine; canonical JSON. */
function headerBytes({ request, evaluation }: Problem): Uint8Array {
  const { operators, solver, inputs, axes } = request;
  const target = operators === undefined ? { solver, inputs } : { operators, inputs };
  return canonicalBytes({ target, axes, unit: evaluation.unit, engine_version: engineVersion });
}

/** Nodes of the tree over n leaves, an odd last one of a level going up. */
export function treeNodes(n: number): number {
  let [level, sum] = [n, n];
  while (level > 1) {
    level = (level + 1) >> 1;
    sum += level;
  }
  return sum;
}

export function treeHeight(n: number): number {
  let height = 0;
  for (let level = n; level > 1; level = (level + 1) >> 1) height++;
  return height;
}

/** Where the columns stand in the extras, in numbers. */
export interface Columns {
  readonly values: number;
  readonly precision: number;
  /** Of each program beside the first one its values; of all their uncertainties. None for jobs. */
  readonly others: readonly number[];
  readonly uncertainties: readonly number[];
  readonly coordinates: readonly number[];
  readonly proofs: number;
  /** Numbers of one proof. */
  readonly perProof: number;
  readonly end: number;
}

export function columnsOf({ count, axes, evaluation, request }: Problem): Columns {
  const { programs } = evaluation.verdict;
  const [values, precision] = [SCALARS, SCALARS + count];
  let next = SCALARS + 2 * count;
  const take = (length: number) => {
    next += length;
    return next - length;
  };
  const uncertainties: number[] = [];
  const others: number[] = [];
  for (const j of programs.keys()) {
    if (j > 0) others.push(take(count));
    uncertainties.push(take(count));
  }
  const coordinates = axes.map((axis) => take(axis.coordinates.length));
  const perProof = 1 + 8 * treeHeight(count);
  const proofs = take(perProof * (request.proofs?.length ?? 0));
  return { values, precision, others, uncertainties, coordinates, proofs, perProof, end: next };
}

/** Work and memory of the verdict; the work is exact. */
export function verdictQuote(problem: Problem): Quote {
  const { count, evaluation } = problem;
  const { head, header } = headOf(problem);
  const nodes = treeNodes(count);
  // A leaf of up to four coordinates is one block of SHA-256.
  const leaf = POINT_WORK + BLOCK_WORK * (problem.axes.length <= 4 ? 1 : 2);
  const leaves = count * (leaf + evaluation.verdict.workPerPoint);
  const work = leaves + (nodes - count) * NODE_WORK + header * HEADER_BYTE_WORK + WORK + profileWork(count);
  const parameters = head.length + evaluation.verdict.bytes;
  const memory =
    2 ** 20 +
    LAST_BLOCKS +
    parameters +
    8 * columnsOf(problem).end +
    32 * nodes +
    40 * count +
    profileBytes(count);
  return { work, exact: true, memory };
}

/** The literal parameters and the length of the header in them, made once: they can hold 65,536 coordinates. */
function headOf(problem: Problem): { readonly head: Uint8Array; readonly header: number } {
  const known = heads.get(problem) ?? layOut(problem);
  heads.set(problem, known);
  return known;
}

/** Layout at the head of assembly/verdicts/lattice.ts, as far as it is literal. */
function layOut(problem: Problem): { readonly head: Uint8Array; readonly header: number } {
  const { request, axes, count, at = 0, evaluation } = problem;
  const { form, programs, bindings, block, tables } = evaluation.verdict;
  const header = headerBytes(problem);
  const { proofs = [], reduce } = request;
  const layout = new Layout()
    .f64(form, count, axes.length, reductions.indexOf(reduce), at, proofs.length, header.length)
    .f64(programs.length, bindings, block)
    .f64s(axes.map(({ coordinates }) => coordinates.length));
  for (const { coordinates } of axes) layout.f64s(coordinates);
  const head = layout.f64s(proofs).bytes();
  const padded = (header.length + 7) & ~7;
  const whole = new Uint8Array(head.length + padded + tables.length);
  whole.set(head);
  whole.set(header, head.length);
  whole.set(tables, head.length + padded);
  return { head: whole, header: header.length };
}

export function verdictRun(problem: Problem, finished: readonly FinishedRun[]): RunPlan {
  const { work, memory } = verdictQuote(problem);
  return {
    kernel: 'lattice.verdict',
    parts: [{ bytes: headOf(problem).head }, ...problem.evaluation.verdict.points(finished)],
    stepsPerSegment: segmentSteps(40, NODE_WORK),
    steps: treeNodes(problem.count),
    work,
    memory,
    label: 'verdict',
  };
}

import type { Part, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import { knownEnergy } from './known.ts';
import { ATOM, type ClusterProblem, type DockProblem } from './problem.ts';
import { clusterStarts, plantedThirteen } from './shapes.ts';

/** Layouts and costs as assembly/kernels/dock.ts, dock-cluster.ts and their verdicts have them. */
export const KEPT = 256;
const BLOCK = 256;
/** Blocks of poses in a half: as many as 2³⁰ units score, within these. */
const FEWEST_BLOCKS = 16;
const MOST_BLOCKS = 128;
const SCORING_UNITS = 2 ** 30;
/** Minima that hop, and how often: as 2³⁰ units allow, at a hundred energies a hop. */
const HOPPERS = 32;
const MOST_HOPS = 40;
const ENTRY = 72;
/** What a half found at a side of the box, behind its entries. */
const SIDE = 40;
/** Energies of the longest descent, and those to spend for each descent in all: two to three times what they need. */
const MOST_EVALUATIONS = 924;
const EVALUATIONS = 120;
const PAGE = 65536;
const MOST_CLUSTER_EVALUATIONS = 1300;
const clusterEvaluations = (N: number) => 100 + 6 * N;
export const TOP = 16;
/** The best pose, 24 neighbours, the best pose again. */
const VERDICT_ENERGIES = 26;

export const ceilingOf = (runs: readonly RunPlan[]) => ({
  work: runs.reduce((sum, { work }) => sum + work, 0),
  exact: false,
  memory: Math.max(...runs.map(({ memory }) => memory)),
});

// ---- dock ----------------------------------------------------------------------------------------------

function headOf({ vina, rule, coulomb, receptor, ligand, center, size }: DockProblem): Layout {
  const [n, m] = [receptor.length / ATOM, ligand.length / ATOM];
  return new Layout().f64(vina ? 1 : 0, n, m, rule, coulomb, ...center, ...size);
}

function unitsOf({ vina, receptor, ligand }: DockProblem): number {
  const [n, m] = [receptor.length / ATOM, ligand.length / ATOM];
  return n * m * (vina ? 12 : 4) + 60 * m + 100;
}

const blocksOf = (problem: DockProblem) =>
  Math.max(FEWEST_BLOCKS, Math.min(MOST_BLOCKS, Math.floor(SCORING_UNITS / (BLOCK * unitsOf(problem)))));

/** Poses that are scored, of both halves. */
export const posesOf = (problem: DockProblem): number => 2 * BLOCK * blocksOf(problem);

const hopsOf = (problem: DockProblem) =>
  Math.max(2, Math.min(MOST_HOPS, Math.floor(SCORING_UNITS / (100 * HOPPERS * unitsOf(problem)))));

/** `half` 0 or 1 of the poses, with the budget of a problem. */
function searchRun(problem: DockProblem, half: number, budget: DockProblem, label: string): RunPlan {
  const { receptor, ligand } = problem;
  const [n, m] = [receptor.length / ATOM, ligand.length / ATOM];
  const units = unitsOf(problem);
  const [blocks, hops] = [blocksOf(budget), hopsOf(budget)];
  const steps = blocks + KEPT + HOPPERS;
  const evaluations = BLOCK * blocks + (KEPT + HOPPERS * hops) * EVALUATIONS;
  return {
    kernel: 'dock',
    parts: [
      {
        bytes: headOf(problem)
          .f64(half * blocks, blocks, KEPT, HOPPERS, hops, evaluations)
          .f64s(receptor)
          .f64s(ligand)
          .bytes(),
      },
    ],
    stepsPerSegment: segmentSteps(KEPT * 88 + SIDE, BLOCK * units),
    steps,
    work: (evaluations + 2 * MOST_EVALUATIONS) * units,
    memory: PAGE * (3 + Math.ceil((110 * (n + m)) / PAGE)),
    label,
  };
}

/** Ten of the thirteen-atom icosahedron hold three: in units of σ and ε. */
function plantedProblem(): DockProblem {
  const atoms = plantedThirteen().map((point) => [...point, 1, 1, 0]);
  return {
    mode: 'dock',
    vina: false,
    rule: 0,
    coulomb: 0,
    receptor: atoms.slice(0, 10).flat(),
    ligand: atoms.slice(10).flat(),
    center: [0, 0, 0],
    size: [5, 5, 5],
    reach: 1,
  };
}

export function searchRuns(problem: DockProblem): RunPlan[] {
  return [
    searchRun(problem, 0, problem, 'first half of the poses'),
    searchRun(problem, 1, problem, 'second half of the poses'),
    searchRun(plantedProblem(), 0, problem, 'planted twin'),
  ];
}

const result = (run: number, length: number, from = 0): Part => ({ run, of: 'result', from, length });

export function dockVerdict(problem: DockProblem): RunPlan {
  const { receptor, ligand, reach } = problem;
  const [n, m] = [receptor.length / ATOM, ligand.length / ATOM];
  return {
    kernel: 'dock.verdict',
    parts: [
      { bytes: headOf(problem).f64(KEPT, reach, 0).f64s(receptor).f64s(ligand).bytes() },
      ...[0, 1, 2].map((run) => result(run, KEPT * ENTRY)),
      ...[0, 1].map((run) => result(run, SIDE, KEPT * ENTRY)),
      { bytes: new Layout().f64s(plantedThirteen().flat()).bytes() },
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: 1_500_000 + 80 * VERDICT_ENERGIES * n * m,
    memory: PAGE * (4 + Math.ceil((140 * (n + m)) / PAGE)),
    label: 'verdict',
  };
}

// ---- cluster -------------------------------------------------------------------------------------------

/** From 21 atoms on chains stay for hundreds of hops in the wrong funnel: 31 atoms come out of it within 1500. */
const clusterHops = (N: number) => (N <= 4 ? 12 : N <= 20 ? 200 : N <= 40 ? 1500 : 1000);
/** Where no table tells, and for a potential of short range, whose minima are many. */
const HOPS_WITHOUT_TABLE = 2000;
const hopsOfCluster = ({ potential, N, rho }: ClusterProblem) =>
  knownEnergy(potential, N, rho) ? clusterHops(N) : HOPS_WITHOUT_TABLE;
const startsOf = ({ potential, N }: ClusterProblem) => clusterStarts(N, potential === 'lj' ? 1.1 : 1);

/** Entries of the two searches: starts and hops. */
export const entriesOf = (problem: ClusterProblem): readonly [number, number] => {
  const hops = hopsOfCluster(problem);
  return [startsOf(problem).length + hops, 1 + hops];
};

function hopRun(
  problem: ClusterProblem,
  seed: bigint,
  starts: readonly (readonly number[])[],
  label: string,
): RunPlan {
  const { potential, N, rho } = problem;
  const hops = hopsOfCluster(problem);
  const steps = Math.max(1, starts.length) + hops;
  const units = ((N * (N - 1)) / 2) * (potential === 'lj' ? 10 : 34) + 120 * N + 100;
  const evaluations = steps * clusterEvaluations(N);
  const head = new Layout()
    .f64(potential === 'lj' ? 0 : 1, rho, N)
    .u64(seed)
    .f64(starts.length, hops, evaluations);
  return {
    kernel: 'dock-cluster',
    parts: [{ bytes: head.f64s(starts.flat()).bytes() }],
    stepsPerSegment: segmentSteps(24 + 8 * steps + 48 * N, 100 * units),
    steps,
    work: (evaluations + MOST_CLUSTER_EVALUATIONS) * units,
    memory: PAGE * (3 + Math.ceil((48 * N * 12 + 8 * steps) / PAGE)),
    label,
  };
}

export function hopRuns(problem: ClusterProblem): RunPlan[] {
  const starts = startsOf(problem).map((points) => points.flat());
  return [hopRun(problem, 1n, starts, 'from packings'), hopRun(problem, 2n, [], 'from chance')];
}

export function clusterVerdict(problem: ClusterProblem): RunPlan {
  const { potential, N, rho } = problem;
  const known = knownEnergy(potential, N, rho);
  const entries = entriesOf(problem);
  const head = new Layout().f64(
    potential === 'lj' ? 0 : 1,
    rho,
    N,
    known?.energy ?? 0,
    known?.bound ? 1 : 0,
    ...entries,
  );
  return {
    kernel: 'dock-cluster.verdict',
    parts: [{ bytes: head.bytes() }, ...entries.map((count, run) => result(run, 8 * (2 + count + 6 * N)))],
    stepsPerSegment: 1,
    steps: 1,
    work: 1_500_000 + 60 * N * N,
    memory: PAGE * (4 + Math.ceil((200 * (N + entries[0])) / PAGE)),
    label: 'verdict',
  };
}

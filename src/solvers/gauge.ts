import { Type } from 'typebox';
import { refuse } from '../errors/refusal.ts';
import { concat } from '../proof/bytes.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import { checkNewEnd, refuseElsewhere, refuseOldResult } from './continuation.ts';
import { profileWork, readDiagnostics } from './diagnostics.ts';
import { outputs } from './gauge/outputs.ts';
import { sweepsNeeded } from './gauge/sweeps.ts';
import { choice, integer, optional, ratio, record, seed } from './input.ts';
import { defaultSeed, Layout, segmentSteps } from './layout.ts';
import type {
  Assumption,
  Continuation,
  EarlierJob,
  Field,
  PlanContext,
  Presentation,
  Quote,
  Solver,
  Verdict,
} from './solver.ts';

interface GaugeInput {
  readonly group: Group;
  readonly beta: number;
  readonly L: number;
  readonly d?: number;
  readonly sweeps?: number;
  readonly loop?: readonly [number, number];
  readonly seed?: number | string;
  readonly initialState?: { readonly continue: string };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
}

/** Where the chains of an earlier job stand, and what they found. */
interface Before {
  readonly job: string;
  /** Sweeps that each chain was sampled at. */
  readonly sweeps: number;
  /** The links of each chain. */
  readonly links: readonly Uint8Array[];
  /** The sums of all its rounds, as the verdict takes them. */
  readonly sums: Uint8Array;
  readonly seedIsDerived: boolean;
}

const groups = ['Z2', 'U1', 'SU2'] as const;
type Group = (typeof groups)[number];

const CHAINS = 8;
const BLOCKS = 64;
const MAX_L = 256;
/** Head of a chain's result: assembly/kernels/gauge.ts. */
const HEAD_BYTES = 1616;
const MERGE_WORK_PER_GROUP = 1000;
const VERDICT_WORK = 200_000 + profileWork(64);
/** Work of one chain that a request allows which names no sweeps. */
const CHAIN_WORK = 2 ** 31;
/** Plaquettes that a chain of the first round sees. */
const FIRST_PLAQUETTES = 2 ** 16;
/** A round's chains and its merge. */
const ROUND = CHAINS + 1;

const linkBytes: Record<Group, number> = { Z2: 8, U1: 16, SU2: 32 };
const linkUnits: Record<Group, number> = { Z2: 18, U1: 60, SU2: 200 };

const schema = record({
  group: choice(groups, 'Gauge group.'),
  beta: ratio('Inverse coupling, above 0.', { minimum: 0, maximum: 50 }),
  L: integer('Sites per edge, periodic.', { minimum: 2 }),
  d: optional(integer('Dimensions: 2.')),
  sweeps: optional(
    integer('Sweeps per chain before DID_NOT_CONVERGE; of a job that goes on, sweeps per chain in all.', {
      exclusiveMinimum: 0,
    }),
  ),
  loop: optional(
    Type.Array(Type.Integer({ minimum: 1 }), {
      minItems: 2,
      maxItems: 2,
      description: 'Wilson loop of R × T; absent: the value is the mean plaquette.',
    }),
  ),
  seed: optional(seed()),
  initialState: optional(
    record(
      {
        continue: Type.String({
          maxLength: 200,
          description:
            'A job to continue: the fields of that job, and more sweeps, a multiple of 64 in all. Each chain goes on ' +
            'from its links, and its sums are added to.',
        }),
      },
      { description: 'The start.' },
    ),
  ),
});

// ---- what is asked -------------------------------------------------------------------------------------

function check(input: GaugeInput): void {
  if (input.d !== undefined && input.d !== 2) {
    refuse(
      'UNSUPPORTED',
      `gauge has exact values to hold itself against in two dimensions only, not in ${input.d}.`,
      {
        field: 'd',
        accepts: [2],
      },
    );
  }
  if (input.beta === 0) {
    invalid(
      'beta',
      'at 0 every link is free and every loop is exactly 0, of which a sampled mean has no relative error',
      '0 < beta ≤ 50',
    );
  }
  refuseElsewhere('gauge', input.initialState, 'no initialState');
  if (input.L > MAX_L) {
    refuse('LIMIT_EXCEEDED', `L = ${input.L} is above ${MAX_L}.`, {
      field: 'L',
      measured: input.L,
      bound: MAX_L,
      accepts: `2 to ${MAX_L}`,
    });
  }
  if (input.loop?.some((side) => side >= input.L))
    invalid('loop', `a side must be shorter than L = ${input.L}`, `1 to ${input.L - 1}`);
  if (input.sweeps !== undefined && input.sweeps < BLOCKS) {
    invalid('sweeps', `a chain has ${BLOCKS} blocks of at least one sweep`, `at least ${BLOCKS}`);
  }
}

function invalid(field: string, what: string, accepts: unknown): never {
  refuse('INVALID_INPUT', `${field}: ${what}; accepted: ${accepts}.`, { field, accepts });
}

/** The kernel's units of a sweep. */
function unitsPerSweep({ group, L, loop }: GaugeInput): number {
  const perLine = group === 'SU2' ? 20 : 8;
  return 100 + 2 * L * L * linkUnits[group] + (loop ? L * L * perLine * (loop[0] + loop[1] + 4) : 0);
}

/** Chains so many times as long as those of a job that does not say how long are still worth naming. */
const MOST_TIMES = 1000;

const toBlocks = (sweeps: number) => BLOCKS * Math.floor(sweeps / BLOCKS);
const stateBytes = ({ group, L }: GaugeInput) => HEAD_BYTES + 2 * L * L * linkBytes[group];

/** Where none is asked for: three times what the model says, within what a chain may take. */
function budget(input: GaugeInput): number {
  if (input.sweeps !== undefined) return toBlocks(input.sweeps);
  const most = Math.max(1024, CHAIN_WORK / unitsPerSweep(input));
  return toBlocks(Math.min(most, roundedUp(sweepsFirst(input) + 3 * sweepsNeeded(input, CHAINS))));
}

const roundedUp = (sweeps: number) => BLOCKS * Math.ceil(sweeps / BLOCKS);
const sweepsFirst = ({ L }: GaugeInput) => FIRST_PLAQUETTES / (L * L);

/** A standard error falls as 1/√sweeps; half as many again, since it was measured. */
function moreSweeps(input: GaugeInput, [, , error = 1, bound = 1]: readonly number[]): string {
  const needed = Number((1.5 * budget(input) * (error / bound) * (error / bound)).toPrecision(2));
  if (needed * unitsPerSweep(input) <= MOST_TIMES * CHAIN_WORK)
    return `${roundedUp(needed)} sweeps${input.before ? ' in all' : ''}, or a larger L`;
  return input.loop ? 'a smaller loop, a larger beta or a larger L' : 'a larger beta or a larger L';
}

/** Sweeps before the first sample: a charge diffuses across the lattice in about L². */
const burnIn = ({ L }: GaugeInput) => Math.min(512, Math.max(64, L * L));

const seedOf = (input: GaugeInput, context: PlanContext) =>
  input.seed === undefined ? defaultSeed(context.requestHash) : BigInt(input.seed);

// ---- runs ----------------------------------------------------------------------------------------------

/** `before` is the round whose last links these chains go on from, −1 for none; `first` the number of its sweep. */
function chainRound(
  input: GaugeInput,
  context: PlanContext,
  before: number,
  first: number,
  sweeps: number,
): Round {
  const earlier = input.before?.links;
  const isFirst = before < 0 && earlier === undefined;
  const burn = isFirst ? burnIn(input) : 0;
  const runs = Array.from({ length: CHAINS }, (_, chain): RunPlan => {
    const head = new Layout()
      .f64(groups.indexOf(input.group), input.beta, input.L, input.loop?.[0] ?? 0, input.loop?.[1] ?? 0)
      .f64(burn, sweeps, first, chain)
      .u64(seedOf(input, context))
      .f64(isFirst ? chain % 2 : 2);
    const links = stateBytes(input) - HEAD_BYTES;
    const own: Part = { run: ROUND * before + chain, of: 'result', from: HEAD_BYTES, length: links };
    const last: Part[] = earlier ? [{ bytes: earlier[chain]! }] : isFirst ? [] : [own];
    return {
      kernel: 'gauge',
      parts: [{ bytes: head.bytes() }, ...last],
      stepsPerSegment: segmentSteps(stateBytes(input), unitsPerSweep(input)),
      steps: burn + sweeps,
      work: (burn + sweeps) * unitsPerSweep(input),
      memory: memoryOf(input, isFirst ? 0 : links),
      label: `chain ${chain}, ${sweeps} sweeps`,
    };
  });
  return { runs };
}

/** The state, which the result stands in; links to go on from; the lines of a loop; draws and what is of one size. */
function memoryOf(input: GaugeInput, links: number): number {
  const { L, loop, group } = input;
  const lines = loop ? (loop[1] + 2) * L * linkBytes[group] : 0;
  return 3 * 2 ** 16 + stateBytes(input) + links + lines;
}

function headsOf(rounds: number): Part[] {
  return Array.from({ length: rounds * CHAINS }, (_, i) => ({
    run: ROUND * Math.floor(i / CHAINS) + (i % CHAINS),
    of: 'result',
    from: 0,
    length: HEAD_BYTES,
  }));
}

/** `sums` are those of an earlier job's rounds. */
function single(
  kernel: string,
  label: string,
  work: number,
  head: Layout,
  rounds: number,
  sums?: Uint8Array,
): RunPlan {
  return {
    kernel,
    parts: [{ bytes: head.bytes() }, ...(sums ? [{ bytes: sums }] : []), ...headsOf(rounds)],
    stepsPerSegment: 1,
    steps: 1,
    work,
    memory: 2 ** 18 + 2 * rounds * CHAINS * HEAD_BYTES + 2 * (sums?.length ?? 0),
    label,
  };
}

function mergeRound({ group, beta, L, loop }: GaugeInput, rounds: number): Round {
  const [R, T] = loop ?? [0, 0];
  const head = new Layout().f64(rounds, groups.indexOf(group), beta, L, R, T);
  return { runs: [single('gauge-merge', 'merge', MERGE_WORK_PER_GROUP * CHAINS * rounds, head, rounds)] };
}

function verdictRound(input: GaugeInput, rounds: number): Round {
  const [R, T] = input.loop ?? [0, 0];
  const sums = input.before?.sums;
  const all = rounds + (sums ? sums.length / (CHAINS * HEAD_BYTES) : 0);
  const head = new Layout().f64(groups.indexOf(input.group), input.beta, input.L, R, T, all);
  return { runs: [single('gauge.verdict', 'verdict', VERDICT_WORK, head, rounds, sums)], verdict: true };
}

const numberAt = (run: FinishedRun, offset: number) =>
  new DataView(run.result.buffer, run.result.byteOffset).getFloat64(offset, true);

function plan(input: GaugeInput, context: PlanContext): Round {
  check(input);
  const { before } = input;
  if (before) return chainRound(input, context, -1, burnIn(input) + before.sweeps, newSweeps(input, before));
  return chainRound(input, context, -1, 0, firstSweeps(input));
}

const newSweeps = (input: GaugeInput, before: Before) => budget(input) - before.sweeps;

function firstSweeps(input: GaugeInput): number {
  return Math.min(roundedUp(sweepsFirst(input)), budget(input));
}

/**
 * Chains and merge in turn until the standard error is small enough or the sweeps are spent. A job that goes on was
 * told how far: it has one round.
 */
function next(input: GaugeInput, finished: readonly FinishedRun[], context: PlanContext): Round | undefined {
  if (input.before) return finished.length > CHAINS ? undefined : verdictRound(input, 1);
  const rounds = Math.floor(finished.length / ROUND);
  if (finished.length % ROUND === CHAINS) return mergeRound(input, rounds + 1);
  if (finished.length % ROUND !== 0) return undefined;
  const merge = finished[finished.length - 1]!;
  let taken = 0;
  for (let round = 0; round < rounds; round++) taken += numberAt(finished[ROUND * round]!, 0);
  const left = budget(input) - taken;
  if (numberAt(merge, 24) === 1 || left < BLOCKS) return verdictRound(input, rounds);
  const sweeps = Math.min(numberAt(merge, 32), toBlocks(left));
  return chainRound(input, context, rounds - 1, burnIn(input) + taken, sweeps);
}

/** The ceiling: every sweep that is allowed, in as many rounds as can be. Exact for a job that goes on. */
function quote(input: GaugeInput): Quote {
  check(input);
  if (input.before) {
    const work = CHAINS * newSweeps(input, input.before) * unitsPerSweep(input) + VERDICT_WORK;
    return { work, exact: true, memory: memoryOf(input, stateBytes(input)) + 2 * input.before.sums.length };
  }
  const [most, first] = [budget(input), firstSweeps(input)];
  const rounds = Math.min(1 + Math.ceil((most - first) / BLOCKS), MAX_ROUNDS);
  const likely = Math.min(most, Math.max(first, LIKELY * sweepsNeeded(input, CHAINS)));
  return {
    work: workOf(input, most, rounds),
    expected: Math.ceil(workOf(input, likely, Math.min(rounds, LIKELY_ROUNDS))),
    ceiling: `${most} sweeps in each of ${CHAINS} chains`,
    exact: false,
    memory: memoryOf(input, rounds > 1 ? stateBytes(input) : 0),
  };
}

const workOf = (input: GaugeInput, sweeps: number, rounds: number) =>
  CHAINS * ((burnIn(input) + sweeps) * unitsPerSweep(input) + MERGE_WORK_PER_GROUP * rounds * rounds) +
  VERDICT_WORK;

/** Of the sweeps that the model says, what random lattices take at most, nine times in ten; and in how many rounds. */
const LIKELY = 1.52;
const LIKELY_ROUNDS = 3;

/** Rounds grow by what is missing, so that more than this never come. */
const MAX_ROUNDS = 16;

// ---- going on ------------------------------------------------------------------------------------------

const continuation: Continuation<GaugeInput> = {
  end: () => 'sweeps',
  start: [],
  results: ['gauge'],
  literals: ['gauge.verdict'],
  join({ sweeps }, earlier) {
    const { first, firstHash } = earlier;
    const before = readBefore(earlier);
    if (sweeps === undefined)
      refuse('MISSING_INPUT', 'To go on, gauge needs sweeps: how many per chain, in all.', {
        field: 'sweeps',
        missing: 'sweeps',
        accepts: `a multiple of ${BLOCKS} > ${before.sweeps}`,
      });
    checkNewEnd('sweeps', { start: 0, before: before.sweeps, end: sweeps, step: BLOCKS });
    return { ...first, sweeps, seed: first.seed ?? String(defaultSeed(firstHash)), before };
  },
};

/** Links of the last round, and the sums of all rounds, those of jobs before among them. */
function readBefore({ id, first, runs }: EarlierJob<GaugeInput>): Before {
  const results = runs.flatMap(({ result }) => (result ? [result] : []));
  if (results.some(({ length }) => length !== stateBytes(first))) refuseOldResult(id);
  const [, older = new Uint8Array()] = runs.find(({ literals }) => literals)!.literals!;
  const sums = concat([older, ...results.map((result) => result.subarray(0, HEAD_BYTES))]);
  const view = new DataView(sums.buffer, sums.byteOffset);
  let sweeps = 0;
  for (let at = 0; at < sums.length; at += CHAINS * HEAD_BYTES) sweeps += view.getFloat64(at, true);
  const links = results.slice(-CHAINS).map((result) => result.slice(HEAD_BYTES));
  return { job: id, sweeps, links, sums, seedIsDerived: first.seed === undefined };
}

// ---- presentation --------------------------------------------------------------------------------------

function assumed(input: GaugeInput, context?: PlanContext): Assumption[] {
  const choices: Assumption[] = [
    { name: 'chains', value: CHAINS, because: 'numerical choice: four from ordered, four from random links' },
    { name: 'burnIn', value: burnIn(input), unit: 'sweeps', because: 'numerical choice: L², from 64 to 512' },
  ];
  if (input.sweeps === undefined) {
    choices.push({
      name: 'sweeps',
      value: budget(input),
      because: 'numerical choice: limit of a chain, three times what it should need',
    });
  }
  if (input.before?.seedIsDerived) {
    choices.push({
      name: 'seed',
      value: input.seed,
      because: 'numerical choice: derived from the first request',
    });
  }
  if (input.seed === undefined) {
    const value = context ? String(seedOf(input, context)) : 'first 8 bytes of requestHash';
    choices.push({ name: 'seed', value, because: 'numerical choice: derived from the request' });
  }
  if (input.d === undefined)
    choices.push({ name: 'd', value: 2, because: 'the only dimension with exact values' });
  return choices;
}

function present(input: GaugeInput, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const [SE, tauInt, sweeps, plaquette, plaquetteSE, charge, susceptibility, charges, fluxMoves, cold, hot] =
    verdict.extras;
  const outputs = {
    SE,
    tauInt,
    tauIntUnit: 'sweeps',
    sweeps,
    chains: CHAINS,
    ...(input.before && { continues: { job: input.before.job, sweeps: CHAINS * input.before.sweeps } }),
    observable: input.loop ? `Wilson loop ${input.loop[0]} × ${input.loop[1]}` : 'mean plaquette',
    plaquette: { value: plaquette, SE: plaquetteSE },
    starts: { cold, hot },
    topologicalCharge:
      charges! > 0 ? { mean: charge, susceptibility, samples: charges, fluxMovesAccepted: fluxMoves } : null,
  };
  const from = 24 + 48 * verdict.gates.length + 88;
  const run = finished.length - 1;
  const bins = (name: string, at: number, sealed: boolean): Field => ({
    name,
    unit: '1',
    shape: [64],
    source: { run, of: 'result', from: at, length: 512 },
    sealed,
  });
  return {
    outputs,
    fields: [bins('plaquette', from, true), bins('share', from + 512, false)],
    plots: [{ kind: 'line', title: 'histogram of the plaquette', x: 'plaquette', y: ['share'] }],
    diagnostics: readDiagnostics(verdict.extras, 139),
  };
}

/**
 * Lattice gauge theory in two dimensions, where the finite torus has an exact answer. In: group, β and L. Out: the
 * mean plaquette or Wilson loop (unit 1) with its standard error.
 */
export const gauge: Solver<GaugeInput> = {
  id: 'gauge',
  title: 'Lattice gauge theory',
  summary:
    'Samples Z2, U(1) or SU(2) gauge fields on a periodic square lattice by heat bath in eight chains, and holds the ' +
    'mean plaquette or Wilson loop against its exact value on the same torus.',
  equation:
    '\\langle W\\rangle = Z^{-1}\\int\\prod_\\ell dU_\\ell\\, W\\, e^{\\beta\\sum_p\\frac{1}{N}\\mathrm{Re\\,Tr}\\,U_p}',
  references: [
    'Wilson, Phys. Rev. D 10 (1974) 2445 (action)',
    'Migdal, Sov. Phys. JETP 42 (1975) 413; Rusakov, Mod. Phys. Lett. A 5 (1990) 693 (exact values on the torus)',
    'Best & Fisher, Appl. Statist. 28 (1979) 152 (von Mises draws)',
    'Kennedy & Pendleton, Phys. Lett. B 156 (1985) 393; Creutz, Phys. Rev. D 21 (1980) 2308 (SU(2) heat bath)',
    'Parisi, Petronzio & Rapuano, Phys. Lett. B 128 (1983) 418 (integrated links)',
    'Flyvbjerg & Petersen, J. Chem. Phys. 91 (1989) 461 (blocking)',
    'Salmon et al., SC11 (Philox4x32-10)',
  ],
  input: schema,
  gates: [
    { name: 'exact', quantity: 'value', source: 'character expansion on the finite torus' },
    {
      name: 'exact, in standard errors',
      quantity: 'value',
      source: 'character expansion on the finite torus',
    },
    {
      name: 'standard error',
      quantity: 'SE of the value',
      source: 'blocking over the chains; Z2: excursions not seen',
    },
    {
      name: 'hot = cold',
      quantity: 'value by start, in standard errors',
      source: 'chains from random and ordered links',
    },
    {
      name: 'plaquette',
      quantity: 'mean plaquette, in standard errors',
      source: 'character expansion on the finite torus',
    },
  ],
  field: true,
  outputs,
  unit: () => '1',
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails: (input, status, observed) =>
    status === 17
      ? {
          field: 'sweeps',
          reason: 'the standard error is above 0.00025 of the value',
          sweeps: budget(input),
          accepts: moreSweeps(input, observed),
        }
      : {},
  continuation,
  examples: [
    {
      title: 'U(1) plaquette',
      body: { group: 'U1', beta: 5, L: 4, seed: 1 },
      expect: { value: 0.899928853026897, unit: '1' },
      tolerance: 1e-3,
      source: 'ΣIₙ^{V−1}Iₙ′/ΣIₙ^V, 25 digits',
    },
    {
      title: 'SU(2) plaquette',
      slow: true,
      body: { group: 'SU2', beta: 8, L: 2 },
      expect: { value: 0.833754410111425, unit: '1' },
      tolerance: 1e-3,
      source: 'character expansion on the torus, 25 digits',
    },
    {
      title: 'Z2 plaquette',
      slow: true,
      body: { group: 'Z2', beta: 1.2, L: 4 },
      expect: { value: 0.852539127671786, unit: '1' },
      tolerance: 1e-3,
      source: '(t + t^{V−1})/(1 + t^V), t = tanh β',
    },
    {
      title: 'U(1) Wilson loop 2×1',
      slow: true,
      body: { group: 'U1', beta: 5, L: 8, loop: [2, 1] },
      expect: { value: 0.79826124843848, unit: '1' },
      tolerance: 1e-3,
      source: 'ΣIₙ^{V−A}Iₙ₊₁^A/ΣIₙ^V',
    },
  ],
};

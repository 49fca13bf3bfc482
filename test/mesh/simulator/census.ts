import type { Decision, Event, World } from '../../../mesh/decide/decision.ts';
import type { MeshRun } from '../../../mesh/decide/run.ts';
import { honest, liarAbout } from './characters.ts';
import type { Clock } from './clock.ts';
import type { Kernels } from './kernels.ts';
import { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Witness } from './shared-store.ts';
import { Simulation } from './simulation.ts';

/** How a mesh is measured: so many nodes for so long, at 80 % of what they can do. */
export interface MeshSize {
  readonly nodes: number;
  readonly seconds: number;
  /** Matches that nodes come with: 40 are the steady state, 0 are strangers. */
  readonly matches: number;
  readonly liars: number;
  readonly seed: number;
}

export interface Census {
  readonly segmentsPerSecond: number;
  /** From the moment that a run wants a node to its lease. */
  readonly queueMs: { readonly p50: number; readonly p99: number };
  /** Segments that were run to check others, over those that were accepted. */
  readonly overhead: number;
  /** False spans told for each liar that was caught, and how many were caught. */
  readonly spansUntilCaught: number;
  readonly caught: number;
  readonly leases: number;
}

const SEGMENT_MS = 2000;
const SEGMENTS = 20;
const UP_MS = 120_000;
const AWAY_MS = 20_000;
const LOAD = 0.8;

/** Nodes that come and go; runs that come by chance. */
export function meshOf({ nodes, seconds, matches, liars, seed }: MeshSize): Scenario {
  const random = new Random(seed ^ 0x5eed);
  const churning = honest('churning', { crashEveryMs: UP_MS, awayMs: AWAY_MS });
  const share = UP_MS / (UP_MS + AWAY_MS);
  const meanMs = (SEGMENTS * SEGMENT_MS) / (LOAD * share * nodes);
  const runs: Scenario['runs'][number][] = [];
  for (let atMs = random.wait(meanMs); atMs < seconds * 1000; atMs += random.wait(meanMs))
    runs.push({
      ...{ id: `r${runs.length}`, last: SEGMENTS - 1, segmentMs: SEGMENT_MS, plannedMs: SEGMENT_MS },
      ...{ payer: 'customer', policy: 'sampled', atMs },
    });
  return {
    nodes: Array.from({ length: nodes }, (_, i) => ({
      facts: { id: `n${i}`, owner: `o${i}`, engine: `e${i % 3}` },
      character: i < liars ? liarAbout('digests', 0.5, `n${i}`) : churning,
    })),
    runs,
    network: { loss: 0.001, repeats: 0.001, straggles: 0, partitionEveryMs: Number.POSITIVE_INFINITY },
    services: {
      diesAfterWrite: 0,
      repeatsEffects: 0,
      crashEveryMs: Number.POSITIVE_INFINITY,
      outageEveryMs: Number.POSITIVE_INFINITY,
      lossEveryMs: Number.POSITIVE_INFINITY,
      isBusy: false,
      skewMs: 1,
    },
    faultMs: seconds * 1000,
    matches,
  };
}

/** Counts what happens in the second half of the time. */
class Counter implements Witness {
  accepted = 0;
  checked = 0;
  lies = 0;
  readonly #caught = new Set<string>();
  readonly delays: number[] = [];
  readonly #wanting = new Map<string, number>();
  readonly #clock: Clock;
  readonly #kernels: Kernels;
  readonly #fromMs: number;
  readonly #bar: (node: string) => void;

  constructor(
    { clock, kernels }: Pick<Simulation, 'clock' | 'kernels'>,
    fromMs: number,
    bar: (node: string) => void,
  ) {
    this.#clock = clock;
    this.#kernels = kernels;
    this.#fromMs = fromMs;
    this.#bar = bar;
  }

  wants(run: string, atMs: number): void {
    this.#wanting.set(run, atMs);
  }

  written(before: MeshRun, event: Event, _: World, { run, effects }: Decision): void {
    const isCounted = this.#clock.now >= this.#fromMs;
    if (event.kind === 'reveal' && this.#isLie(event)) this.lies++;
    if (event.kind === 'checked' && isCounted) this.checked += event.claim.to - event.claim.from + 1;
    for (const effect of effects) {
      if (effect.kind === 'accepted' && isCounted) this.accepted += effect.span.to - effect.span.from + 1;
      else if (effect.kind === 'leased') this.#leased(run.id, isCounted);
      else if (effect.kind === 'verdict') for (const node of effect.verdict.faulty) this.#catches(node);
    }
    const isComplete = run.spans.at(-1)?.claim?.final !== undefined;
    if (before.lease && !run.lease && run.state === 'open' && !isComplete)
      this.wants(run.id, this.#clock.now);
  }

  #leased(run: string, isCounted: boolean): void {
    const since = this.#wanting.get(run);
    if (since === undefined) return;
    this.#wanting.delete(run);
    if (isCounted) this.delays.push(this.#clock.now - since);
  }

  #isLie({ node, claim }: Extract<Event, { kind: 'reveal' }>): boolean {
    const [, name, at] = /(\S+)@(\d+)$/.exec(this.#kernels.groundOf(claim.state) ?? '') ?? [];
    return name === node && Number(at) >= claim.from;
  }

  #catches(node: string): void {
    if (!this.#caught.has(node)) this.#bar(node);
    this.#caught.add(node);
  }

  get caught(): number {
    return this.#caught.size;
  }
}

export function census(size: MeshSize): Census {
  let witness: Witness | undefined;
  const simulation = new Simulation(
    { seed: size.seed, scenario: meshOf(size) },
    { written: (...all) => witness?.written(...all) },
  );
  const counter = new Counter(simulation, (size.seconds * 1000) / 2, (node) => simulation.bar(node));
  witness = counter;
  for (const { id, atMs } of simulation.scenario.runs) counter.wants(id, atMs);
  simulation.runUntil(size.seconds * 1000);
  const delays = Float64Array.from(counter.delays).sort();
  const quantile = (q: number) => delays[Math.min(delays.length - 1, Math.floor(q * delays.length))] ?? 0;
  return {
    segmentsPerSecond: counter.accepted / (0.5 * size.seconds),
    queueMs: { p50: quantile(0.5), p99: quantile(0.99) },
    overhead: counter.checked / counter.accepted,
    spansUntilCaught: counter.lies / counter.caught,
    caught: counter.caught,
    leases: delays.length,
  };
}

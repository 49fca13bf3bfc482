import type { NodeFacts, Policy } from '../../../mesh/decide/run.ts';
import {
  babblingLiar,
  type Character,
  dishonest,
  dishonestKinds,
  fickleLiar,
  Groups,
  hoarding,
  honest,
  honestCharacters,
  liarAbout,
  stalling,
  steady,
} from './characters.ts';
import type { SimulatedRun } from './kernels.ts';
import { faultless, type NetworkFaults } from './network.ts';
import type { Random } from './random.ts';
import type { ServiceFaults } from './service.ts';

export interface Scenario {
  readonly nodes: readonly {
    readonly facts: NodeFacts;
    readonly character: Character;
    /** Matches that it comes with, unless it is as many as all others have. */
    readonly matches?: number;
  }[];
  readonly runs: readonly (SimulatedRun & {
    readonly payer: string;
    readonly policy: Policy;
    /** What its plan says that a segment takes. */
    readonly plannedMs: number;
    /** When it is submitted, and cancelled. */
    readonly atMs: number;
    readonly cancelledMs?: number;
  })[];
  readonly network: NetworkFaults;
  readonly services: ServiceFaults & {
    readonly crashEveryMs: number;
    /** Milliseconds until no service node is there for a while, on average. */
    readonly outageEveryMs: number;
    /** Milliseconds until bytes of a run are lost, on average. */
    readonly lossEveryMs: number;
    /** The service's own threads have no room for checks now and then. */
    readonly isBusy: boolean;
    /** How far the clock of a service node may be off, either way. */
    readonly skewMs: number;
  };
  /** How long there are faults; then all who crash come back, and the network carries everything. */
  readonly faultMs: number;
  /** Matches that nodes come with. */
  readonly matches: number;
}

/** How much there is of everything, at most. */
interface Size {
  readonly nodes: number;
  readonly runs: number;
  readonly faultSeconds: number;
}

const large: Size = { nodes: 12, runs: 3, faultSeconds: 90 };
const small: Size = { nodes: 5, runs: 1, faultSeconds: 45 };

/**
 * Each seed has some kinds of faults and not others: what all faults together hide, some alone may show. One in four is
 * large; small ones take a fifth of the time, and most of what can go wrong needs few nodes.
 */
export function scenarioOf(random: Random): Scenario {
  const size = random.chance(0.25) ? large : small;
  const nodes = nodesOf(random, size);
  return {
    nodes,
    runs: runsOf(random, nodes, size),
    network: networkOf(random),
    services: servicesOf(random),
    faultMs: random.between(20, size.faultSeconds) * 1000,
    matches: random.pick([0, 0, 12, 40]),
  };
}

function nodesOf(random: Random, { nodes: most }: Size): Scenario['nodes'] {
  const count = random.between(2, most);
  const owners = random.between(1, count);
  const falsehood = random.pick([0, 0.2, 0.5, 0.9]);
  const kinds = random.chance(0.5) ? [random.pick(dishonestKinds)] : dishonestKinds;
  const honest = random.chance(0.3) ? honestCharacters.slice(0, 1) : honestCharacters;
  const groups = new Groups();
  return Array.from({ length: count }, (_, i) => {
    const id = `n${i}`;
    const owner = `o${i < owners ? i : random.between(0, owners - 1)}`;
    const facts = { id, owner, engine: `e${random.between(0, 2)}` };
    const character = random.chance(falsehood)
      ? dishonest(random.pick(kinds), id, groups, random)
      : random.pick(honest);
    return { facts, character };
  });
}

function runsOf(random: Random, nodes: Scenario['nodes'], { runs }: Size): Scenario['runs'] {
  const policy = random.pick<Policy>(['sampled', 'sampled', 'sampled', 'full', 'none']);
  const [segmentMs, most] = random.pick([
    [200, 16],
    [1000, 12],
    [3000, 5],
  ] as const);
  return Array.from({ length: random.between(1, runs) }, (_, i) => ({
    ...{ id: `r${i}`, last: random.between(0, most), segmentMs },
    plannedMs: random.pick([segmentMs, 60_000]),
    payer: random.chance(0.3) ? random.pick(nodes).facts.owner : 'customer',
    policy,
    atMs: random.between(0, 5000),
    ...(random.chance(0.1) && { cancelledMs: random.between(1000, 40_000) }),
  }));
}

function networkOf(random: Random): NetworkFaults {
  if (random.chance(0.2)) return faultless;
  return {
    loss: random.pick([0, 0.02, 0.2]),
    repeats: random.pick([0, 0.02, 0.2]),
    straggles: random.pick([0, 0.02, 0.1]),
    partitionEveryMs: random.pick([Number.POSITIVE_INFINITY, 15_000]),
  };
}

function servicesOf(random: Random): Scenario['services'] {
  const never = Number.POSITIVE_INFINITY;
  const outageEveryMs = random.pick([never, never, 20_000]);
  const lossEveryMs = random.pick([never, never, 8000]);
  const others = { outageEveryMs, lossEveryMs, isBusy: random.chance(0.2), skewMs: 300 };
  if (random.chance(0.4)) return { diesAfterWrite: 0, repeatsEffects: 0, crashEveryMs: never, ...others };
  return {
    diesAfterWrite: random.pick([0, 0.01, 0.05]),
    repeatsEffects: random.pick([0, 0.1]),
    crashEveryMs: random.pick([never, 12_000]),
    ...others,
  };
}

/** One node, which shows a segment now and then, and nothing else that goes wrong. */
export function stallingScenario(random: Random): Scenario {
  return quietScenario({ last: 16, segmentMs: 200 }, [stalling(0.9)], random);
}

/** One node, which takes all of more runs than it may hold. */
export function hoardingScenario(random: Random): Scenario {
  const scenario = quietScenario({ last: 8, segmentMs: 200 }, [hoarding(0)], random);
  const [run] = scenario.runs;
  return { ...scenario, runs: Array.from({ length: 4 }, (_, i) => ({ ...run!, id: `r${i}` })) };
}

/** Nodes that lie about what they run and about what they check, over a network that is slow: spans are long. */
export function slanderingScenario(random: Random): Scenario {
  const liars = Array.from({ length: 6 }, (_, i) => liarAbout('digests', 0.2, `n${i}`, true));
  const scenario = quietScenario({ last: 16, segmentMs: 200 }, liars, random);
  return { ...scenario, network: { ...faultless, straggles: 0.2 }, faultMs: 60_000 };
}

/** Trusted nodes that lie, each in its own way, about what they run and about what they check. */
export function irreproducibleScenario(random: Random): Scenario {
  const liars = Array.from({ length: 5 }, (_, i) => liarAbout('digests', 0.2, `n${i}`, true));
  return trustingScenario(liars, random);
}

/** Trusted nodes that lie, come and go, and answer checks with nonsense. */
export function babblingScenario(random: Random): Scenario {
  const liars = Array.from({ length: 5 }, (_, i) => babblingLiar(`n${i}`));
  return { ...trustingScenario(liars, random), faultMs: 60_000 };
}

/** A trusted node that lies, and that nobody but the service can check. */
export const lonelyScenario = (random: Random): Scenario =>
  trustingScenario([liarAbout('digests', 0.2, 'n0')], random);

/** Trusted nodes that lie, and do not stand by what they committed to. */
export function fickleScenario(random: Random): Scenario {
  const liars = Array.from({ length: 3 }, (_, i) => fickleLiar(`n${i}`));
  return trustingScenario(liars, random);
}

/** Honest nodes and trusted liars, in runs whose bytes are lost again and again. */
export function losingScenario(random: Random): Scenario {
  const liars = Array.from({ length: 2 }, (_, i) => liarAbout('digests', 0.1, `n${i}`));
  const scenario = trustingScenario([...liars, steady, steady, steady], random);
  return { ...scenario, services: { ...scenario.services, lossEveryMs: 8000 }, faultMs: 60_000 };
}

/** The same where segments are short and what is said is slow: spans of many segments, cut otherwise after each loss. */
export function recuttingScenario(random: Random): Scenario {
  const scenario = losingScenario(random);
  const runs = scenario.runs.map((run) => ({ ...run, last: 32, segmentMs: 100, plannedMs: 100 }));
  const services = { ...scenario.services, lossEveryMs: 4000 };
  return { ...scenario, runs, services, network: { ...faultless, straggles: 0.2 }, matches: 20 };
}

/** Slow nodes of which one comes and goes: the checks that it leaves behind come to another all at once. */
export function inheritingScenario(random: Random): Scenario {
  const leaver = honest('leaver', { slowness: 20, crashEveryMs: 40_000, awayMs: 120_000 });
  const slow = honest('slow', { slowness: 20 });
  const scenario = quietScenario({ last: 24, segmentMs: 1000 }, [steady, leaver, slow], random);
  return { ...scenario, faultMs: 120_000 };
}

/** Slow nodes that are to check what no kernel can go on from, and services that are away together. */
export function decliningScenario(random: Random): Scenario {
  const slow = honest('slow', { slowness: 20 });
  const liar = liarAbout('garbage', 0.5, 'n0');
  const scenario = quietScenario({ last: 16, segmentMs: 1000 }, [liar, slow, slow, slow], random);
  return { ...scenario, services: { ...scenario.services, outageEveryMs: 8000 }, faultMs: 60_000 };
}

/** Nodes of which few claims are checked. */
function trustingScenario(characters: readonly Character[], random: Random): Scenario {
  const scenario = quietScenario({ last: 16, segmentMs: 1000 }, characters, random);
  const runs = scenario.runs.map((run) => ({ ...run, policy: 'sampled' as const }));
  return { ...scenario, runs, matches: 12 };
}

function quietScenario(
  run: Pick<SimulatedRun, 'last' | 'segmentMs'>,
  characters: readonly Character[],
  random: Random,
): Scenario {
  const never = Number.POSITIVE_INFINITY;
  const facts = (i: number) => ({ id: `n${i}`, owner: `o${i}`, engine: `e${random.between(0, 2)}` });
  return {
    nodes: characters.map((character, i) => ({ facts: facts(i), character })),
    runs: [{ ...run, id: 'r0', plannedMs: run.segmentMs, payer: 'customer', policy: 'full', atMs: 0 }],
    network: faultless,
    services: {
      diesAfterWrite: 0,
      repeatsEffects: 0,
      crashEveryMs: never,
      outageEveryMs: never,
      lossEveryMs: never,
      isBusy: false,
      skewMs: 300,
    },
    ...{ faultMs: 1000, matches: 0 },
  };
}

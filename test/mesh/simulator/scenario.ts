import type { NodeFacts, Policy } from '../../../mesh/decide/run.ts';
import { type Character, dishonest, dishonestKinds, Groups, honestCharacters } from './characters.ts';
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
    readonly patience: number;
    /** When it is submitted, and cancelled. */
    readonly atMs: number;
    readonly cancelledMs?: number;
  })[];
  readonly network: NetworkFaults;
  readonly services: ServiceFaults & {
    readonly crashEveryMs: number;
    /** How far the clock of a service node may be off, either way. */
    readonly skewMs: number;
  };
  /** How long there are faults; then all who crash come back, and the network carries everything. */
  readonly faultMs: number;
  /** Matches that nodes come with. */
  readonly matches: number;
}

/** Each seed has some kinds of faults and not others: what all faults together hide, some alone may show. */
export function scenarioOf(random: Random): Scenario {
  const nodes = nodesOf(random);
  return {
    nodes,
    runs: runsOf(random, nodes),
    network: networkOf(random),
    services: servicesOf(random),
    faultMs: random.between(20, 90) * 1000,
    matches: random.pick([0, 0, 12, 40]),
  };
}

function nodesOf(random: Random): Scenario['nodes'] {
  const count = random.between(2, 12);
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

function runsOf(random: Random, nodes: Scenario['nodes']): Scenario['runs'] {
  const policy = random.pick<Policy>(['sampled', 'sampled', 'sampled', 'full', 'none']);
  return Array.from({ length: random.between(1, 3) }, (_, i) => ({
    id: `r${i}`,
    last: random.between(0, 16),
    segmentMs: random.pick([200, 1000, 3000]),
    payer: random.chance(0.3) ? random.pick(nodes).facts.owner : 'customer',
    policy,
    patience: random.pick([60, 200]),
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
  const never = { diesAfterWrite: 0, repeatsEffects: 0, crashEveryMs: Number.POSITIVE_INFINITY, skewMs: 300 };
  if (random.chance(0.4)) return never;
  return {
    diesAfterWrite: random.pick([0, 0.01, 0.05]),
    repeatsEffects: random.pick([0, 0.1]),
    crashEveryMs: random.pick([Number.POSITIVE_INFINITY, 12_000]),
    skewMs: 300,
  };
}

import { CHECK_TICKS } from '../../../mesh/decide/checks.ts';
import { decide } from '../../../mesh/decide/decide.ts';
import type { Event } from '../../../mesh/decide/decision.ts';
import type { Effect, Message } from '../../../mesh/decide/effects.ts';
import { PATIENCE_TICKS, SLOWEST } from '../../../mesh/decide/pace.ts';
import { house, type NodeFacts, openRun } from '../../../mesh/decide/run.ts';
import { secretBeacon, TICK_MS } from './beacons.ts';
import { busy, type Character, steady } from './characters.ts';
import { Clock } from './clock.ts';
import { Contributor, type Heard, type Manners, manners, type Outside } from './contributor.ts';
import { Kernels, workOf } from './kernels.ts';
import { isFaultless, Network } from './network.ts';
import { Random } from './random.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { Service, type ServiceFaults } from './service.ts';
import { type PayRules, SharedStore, type Witness } from './shared-store.ts';
import { Violation, Watcher } from './watcher.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** What decides; a broken one must be found out. */
  readonly decide?: typeof decide;
  readonly pay?: PayRules;
  readonly manners?: Manners;
  readonly scenario?: Scenario;
  readonly trace?: (line: string) => void;
}

export interface Outcome {
  readonly seed: number;
  /** What happened that must never happen. */
  readonly violation?: string;
  /** Ticks from the last fault to the end of the last run. */
  readonly recovery: number;
  /** How many there may be. */
  readonly most: number;
  readonly counts: Watcher['counts'];
}

/**
 * Ticks after the last fault in which every run must be over: 40 times its work on the reference core and, because the
 * last segment is checked when all are run, that of one segment more; and for each node that is up to no good six purses
 * of time (pace.ts): as whoever runs it, as whoever checks it, and for what is run again.
 */
export function mostTicks({ runs, nodes }: Scenario): number {
  const bad = nodes.filter(({ character }) => !character.isHonest).length;
  return runs.reduce((sum, { last, segmentMs }) => {
    const segment = (SLOWEST * segmentMs) / TICK_MS;
    return sum + segment + (last + 1) * (segment + CHECK_TICKS) + 6 * bad * (PATIENCE_TICKS + segment);
  }, 0);
}

/** Seconds in which a node that fell silent still counts as one to be asked. */
const PRESENT_MS = 8000;

const noFaults: ServiceFaults = { diesAfterWrite: 0, repeatsEffects: 0 };

/** The whole mesh in one process: everything that happens in it follows from the seed. */
export class Simulation {
  readonly clock = new Clock();
  readonly kernels = new Kernels();
  readonly store: SharedStore;
  readonly watcher: Watcher;
  readonly scenario: Scenario;
  readonly #random: Random;
  readonly #network: Network;
  readonly #runs: ReadonlyMap<string, Scenario['runs'][number]>;
  readonly #nodes = new Map<string, Contributor>();
  readonly #contributors: Contributor[] = [];
  readonly #goneMs = new Map<string, number>();
  readonly #services: Service[] = [];
  readonly #barred = new Set<string>();
  readonly #queue = new Set<string>();
  readonly #manners: Manners;
  readonly #trace: ((line: string) => void) | undefined;
  #isQuiet = false;
  #outUntil = 0;

  constructor(
    { seed, decide: decides = decide, pay, manners: own = manners, scenario, trace }: SimulationOptions,
    witness?: Witness,
  ) {
    this.#random = new Random(seed);
    this.scenario = scenario ?? scenarioOf(this.#random);
    this.#manners = own;
    this.#trace = trace;
    this.#runs = new Map(this.scenario.runs.map((run) => [run.id, run]));
    this.#network = new Network(this.clock, this.#random, this.scenario.network);
    const beacon = secretBeacon(seed);
    const run = (id: string) => this.#runs.get(id)!;
    const node = (id: string) => {
      const { facts, character } = this.#nodes.get(id)!;
      const { isHonest } = character;
      return { facts, isHonest, isReliable: isHonest && this.#isReliable(facts, character) };
    };
    this.watcher = new Watcher({ kernels: this.kernels, beacon, run, node });
    const told: Witness = {
      written: (before, event, world, decision) => {
        this.#tell(() => `${before.id} ${shown(event)} → ${decision.effects.map(shown).join(', ')}`);
        this.watcher.written(before, event, world, decision);
        witness?.written(before, event, world, decision);
      },
      wentBack: (run) => {
        this.#tell(() => `${run.id} goes back behind segment ${run.accepted}`);
        this.watcher.wentBack(run);
      },
      paid: (line) => this.watcher.paid(line),
      tookBack: (line) => this.watcher.tookBack(line),
    };
    this.store = new SharedStore(told, pay);
    this.#build(decides, beacon);
  }

  /** It is there all the time, and the network carries what it says: whatever it loses it loses needlessly. */
  #isReliable({ owner }: NodeFacts, { crashEveryMs, pauseEveryMs, waitsMs }: Character): boolean {
    const comesAndGoes = [crashEveryMs, pauseEveryMs, waitsMs].some((each) => each !== undefined);
    return !comesAndGoes && owner !== house && isFaultless(this.scenario.network);
  }

  #tell(line: () => string): void {
    this.#trace?.(`${(this.clock.now / 1000).toFixed(3)} s  ${line()}`);
  }

  #build(decides: typeof decide, beacon: (tNs: bigint) => Uint8Array): void {
    const { clock, kernels, store } = this;
    const outside = this.#outside();
    const { skewMs, isBusy } = this.scenario.services;
    for (const index of [0, 1]) {
      const service = new Service(`s${index}`, this.#random.between(-skewMs, skewMs), {
        ...{ clock, kernels, store, beacon, decide: decides, random: this.#random },
        candidates: () => this.#candidates(),
        run: outside.run,
        tell: (node, run, effect, ground) => this.#carryTo(service, node, run, effect, ground),
        ring: (run) => this.#ring(service, run),
        faults: () => (this.#isQuiet ? noFaults : this.scenario.services),
      });
      const facts = { id: `house-${index}`, owner: house, engine: 'e0' };
      const threads = new Contributor(facts, isBusy ? busy : steady, this.#outside(service), 4);
      service.employ(threads);
      this.#services.push(service);
      this.#nodes.set(facts.id, threads);
    }
    for (const { facts, character } of this.scenario.nodes) {
      const contributor = new Contributor(facts, character, outside);
      this.#nodes.set(facts.id, contributor);
      this.#contributors.push(contributor);
    }
  }

  /** @param own the service that these threads belong to: they need no network to reach it */
  #outside(own?: Service): Outside {
    return {
      ...{ clock: this.clock, random: this.#random, kernels: this.kernels, manners: this.#manners },
      run: (id) => this.#runs.get(id)!,
      say: (node, run, event, hear) => {
        if (own) own.hear(run, event, (heard) => this.clock.after(1, () => hear(heard)));
        else this.#carryFrom(node, run, event, hear);
      },
      look: (node, got) => this.#look(node, got),
      isQuiet: () => this.#isQuiet,
    };
  }

  #carryFrom({ facts: { id } }: Contributor, run: string, event: Event, hear: (heard: Heard) => void): void {
    const up = this.#services.filter(({ isUp }) => isUp);
    if (up.length === 0) return;
    const service = this.#random.pick(up);
    this.#network.carry(id, service.id, () =>
      service.hear(run, event, (heard) => this.#network.carry(service.id, id, () => hear(heard))),
    );
  }

  #carryTo(
    service: Service,
    node: string,
    run: string,
    effect: Extract<Effect, { node: string }>,
    ground: string,
  ): void {
    const contributor = this.#nodes.get(node)!;
    const deliver = () => {
      if (effect.kind === 'ask') contributor.asked(run, effect.span, effect.check, ground);
      else if (effect.kind === 'lost') contributor.lost(run, effect.fence, effect.from);
    };
    if (contributor.facts.owner === house) this.clock.after(1, deliver);
    else this.#network.carry(service.id, node, deliver);
  }

  // ---- the work queue ------------------------------------------------------------------------------------

  #ring(service: Service, run: string): void {
    this.#network.carry(service.id, 'queue', () => {
      this.#queue.add(run);
      for (let i = 0; i < 6; i++) {
        const contributor = this.#random.pick(this.#contributors);
        if (contributor?.isFree) return contributor.look();
      }
    });
  }

  #look({ facts: { id } }: Contributor, got: (run: string) => void): void {
    if (this.#queue.size === 0) return;
    this.#network.carry(id, 'queue', () => {
      const [run] = this.#queue;
      if (run === undefined) return;
      this.#queue.delete(run);
      this.#network.carry('queue', id, () => got(run));
    });
  }

  /** Who gave a sign of life lately; of many a few, by lot. */
  #candidates() {
    const all = this.#contributors;
    const some = all.length <= 64 ? all : Array.from({ length: 48 }, () => this.#random.pick(all));
    return some
      .filter(({ isUp, facts }) => isUp || this.clock.now - (this.#goneMs.get(facts.id) ?? -1e9) < PRESENT_MS)
      .map(({ facts }) => facts);
  }

  // ---- what goes wrong -----------------------------------------------------------------------------------

  /** Lets it go on until `endMs`, whatever is unfinished then. */
  runUntil(endMs: number): void {
    this.#start();
    this.#keepUp();
    this.clock.runUntil(endMs);
  }

  #start(): void {
    for (const { facts, matches } of this.scenario.nodes)
      this.store.trust('k', facts.id, matches ?? this.scenario.matches);
    for (const service of this.#services) {
      service.start();
      this.#nowAndThen(this.scenario.services.crashEveryMs, () => this.#restart(service));
    }
    for (const contributor of this.#contributors) {
      contributor.start();
      const { crashEveryMs, awayMs, pauseEveryMs } = contributor.character;
      this.#comesAndGoes(contributor, crashEveryMs, awayMs);
      this.#nowAndThen(pauseEveryMs, () => contributor.pause(this.#random.between(2000, 15_000)));
    }
    this.#nowAndThen(this.#network.partitionEveryMs, () => this.#part());
    this.#nowAndThen(this.scenario.services.outageEveryMs, () => this.#outage());
    this.#nowAndThen(this.scenario.services.lossEveryMs, () => this.#loseBytes());
    for (const run of this.scenario.runs) this.clock.after(run.atMs, () => this.#submit(run));
  }

  #nowAndThen(everyMs: number | undefined, act: () => void): void {
    if (everyMs === undefined || everyMs === Number.POSITIVE_INFINITY) return;
    const again = () => {
      if (this.#isQuiet) return;
      act();
      this.clock.after(this.#random.wait(everyMs), again);
    };
    this.clock.after(this.#random.wait(everyMs), again);
  }

  #comesAndGoes(contributor: Contributor, crashEveryMs: number | undefined, awayMs = crashEveryMs): void {
    if (crashEveryMs === undefined || awayMs === undefined) return;
    const again = () => {
      if (this.#isQuiet) return;
      this.#comeAndGo(contributor);
      this.clock.after(this.#random.wait(contributor.isUp ? crashEveryMs : awayMs), again);
    };
    this.clock.after(this.#random.wait(crashEveryMs), again);
  }

  /** Whose bond was withheld takes no part any more. */
  bar(id: string): void {
    this.#barred.add(id);
    this.#nodes.get(id)!.crash();
  }

  #restart(service: Service): void {
    if (!service.isUp) return;
    this.#tell(() => `${service.id} crashes`);
    service.crash();
  }

  /** No service node is there. */
  #outage(): void {
    for (const service of this.#services) this.#restart(service);
    this.#outUntil = this.clock.now + this.#random.between(10_000, 60_000);
  }

  /** A run goes on from a state that is there, or from its start. */
  #loseBytes(): void {
    const open = this.store.runs.filter(({ state }) => state === 'open');
    if (open.length === 0) return;
    const { id } = this.#random.pick(open);
    const segment = this.#random.pick([-1, ...this.store.read(id).ends.keys()]);
    this.store.goBack(id, segment, Math.floor(this.clock.now / TICK_MS));
    this.#queue.add(id);
  }

  #comeAndGo(contributor: Contributor): void {
    const { id } = contributor.facts;
    this.#tell(() => `${id} ${contributor.isUp ? 'crashes' : 'is back'}`);
    if (!contributor.isUp) {
      contributor.start();
      return;
    }
    contributor.crash();
    this.#goneMs.set(id, this.clock.now);
  }

  #part(): void {
    const names = [...this.#nodes.keys(), 's0', 's1', 'queue'].filter(() => this.#random.chance(0.4));
    this.#network.part(names);
    this.#tell(() => `the network parts: ${names.join(' ')}`);
    this.clock.after(this.#random.between(2000, 12_000), () => this.#network.part([]));
  }

  #submit(run: Scenario['runs'][number]): void {
    const { id, payer, policy, cancelledMs, plannedMs } = run;
    const work = { planned: workOf(run, run.last + 1), segment: plannedMs * 1e6 };
    const machine = openRun({ id, kernel: 'k', payer, policy, work }, Math.floor(this.clock.now / TICK_MS));
    this.store.insert(machine);
    this.#queue.add(id);
    if (cancelledMs !== undefined)
      this.clock.after(
        cancelledMs,
        () => this.#services[0]!.isUp && this.#services[0]!.hear(id, { kind: 'cancel' }),
      );
  }

  /** A service that died comes back after a while. */
  #keepUp(): void {
    if (this.clock.now >= this.#outUntil)
      for (const service of this.#services) if (!service.isUp && this.#random.chance(0.3)) service.start();
    this.clock.after(2000, () => this.#keepUp());
  }

  #quiet(): void {
    this.#isQuiet = true;
    this.#network.heal();
    for (const service of this.#services) if (!service.isUp) service.start();
    for (const contributor of this.#contributors) if (!contributor.isUp) contributor.start();
    this.#tell(() => 'no more faults');
  }

  #isOver = (): boolean => this.store.openCount === 0 && this.store.size === this.scenario.runs.length;

  /** @returns ticks from the last fault to the end of the last run */
  run(): number {
    this.#start();
    this.#keepUp();
    this.clock.runUntil(this.scenario.faultMs, this.#isOver);
    if (this.#isOver()) return 0;
    this.#quiet();
    const quietMs = this.clock.now;
    this.clock.runUntil(quietMs + mostTicks(this.scenario) * TICK_MS, this.#isOver);
    return Math.ceil((this.clock.now - quietMs) / TICK_MS);
  }
}

function shown(of: Event | Effect): string {
  const { kind, ...more } = of as Message & {
    claim?: object;
    span?: object;
    check?: object;
    verdict?: object;
  };
  const text = JSON.stringify(more, (key, value) => {
    if (typeof value === 'bigint') return String(value);
    if (key === 'salt' || key === 'checks' || key === 'digests' || key.startsWith('rows')) return undefined;
    return typeof value === 'string' && value.length === 64 ? value.slice(0, 6) : value;
  });
  return `${kind} ${text}`;
}

/** One seed, from its scenario to the end of its runs. */
export function simulate(options: SimulationOptions): Outcome {
  const { seed } = options;
  const simulation = new Simulation(options);
  const { watcher, store } = simulation;
  try {
    const recovery = simulation.run();
    watcher.concludes(store.all);
    return { seed, recovery, most: mostTicks(simulation.scenario), counts: watcher.counts };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const most = mostTicks(simulation.scenario);
    return { seed, recovery: most, most, counts: watcher.counts, violation: error.message };
  }
}

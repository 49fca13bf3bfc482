import { refuse } from '../../errors/refusal.ts';
import {
  type Branch,
  type Bus,
  type CaseName,
  caseTables,
  type Generator,
  type Network,
  networkOf,
} from './network.ts';

export const quantities = ['voltage', 'angle', 'loss', 'slack', 'flow'] as const;
export type Quantity = (typeof quantities)[number];

export interface GridInput {
  readonly case?: CaseName;
  readonly network?: Network;
  readonly loadScale?: number;
  readonly outages?: readonly number[];
  readonly enforceQ?: boolean;
  readonly quantity: Quantity;
  readonly bus?: number;
  readonly branch?: number;
}

/** What the kernels need: buses by number, the branches in service, and where things stand in the request. */
export interface Problem {
  readonly baseMVA: number;
  readonly slackAngle: number;
  readonly buses: readonly KernelBus[];
  readonly branches: readonly KernelBranch[];
  /** Index in `buses` or `branches` of what the value is about. */
  readonly asked: number;
  /** V [pu] and θ [deg] that are known of an unchanged case, by bus index. */
  readonly known: readonly (readonly number[])[];
}

export interface KernelBus extends Bus {
  readonly Pg: number;
  readonly Qg: number;
  readonly Qmin: number;
  readonly Qmax: number;
  readonly Vg: number;
}

export interface KernelBranch extends Branch {
  /** Index in the request. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

export const MAX_BUSES = 2048;
export const MAX_BRANCHES = 8192;

function invalid(field: string, message: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', message, { field, accepts });
}

/** Every phase of a job asks; reading a network costs more than solving it. */
const problems = new WeakMap<GridInput, Problem>();

export function readProblem(input: GridInput): Problem {
  const known = problems.get(input);
  if (known) return known;
  const problem = problemOf(input);
  problems.set(input, problem);
  return problem;
}

function problemOf(input: GridInput): Problem {
  const network = chosenNetwork(input);
  const at = input.network ? 'network.' : '';
  checkNumbers(network, at);
  checkOutages(input, network);
  const running = generatorsByBus(network);
  const buses = [...network.buses]
    .sort((a, b) => a.bus - b.bus)
    .map((bus) => withGenerators(bus, running.get(bus.bus) ?? [], input, at));
  const index = new Map(buses.map(({ bus }, i) => [bus, i]));
  const branches = inService(input, network, buses, index, at);
  const slack = onlySlack(buses, at);
  checkConnected(input, buses, branches, slack, at);
  const changed = input.loadScale !== undefined || input.outages?.length || input.enforceQ;
  const table = input.case && !changed ? caseTables[input.case].solution : [];
  return {
    baseMVA: network.baseMVA,
    slackAngle: buses[slack]!.Va ?? 0,
    buses,
    branches,
    asked: askedOf(input, index, branches, network),
    known: table.map(([bus, V, angle]) => [index.get(bus!)!, V!, angle!]),
  };
}

function chosenNetwork(input: GridInput): Network {
  const accepts = 'case or network';
  if (input.case !== undefined && input.network !== undefined)
    invalid('network', 'case and network exclude each other.', accepts);
  if (input.case !== undefined) return networkOf(input.case);
  return (
    input.network ??
    refuse('MISSING_INPUT', 'grid lacks a network.', { field: 'network', missing: ['network'], accepts })
  );
}

function checkNumbers({ buses, generators, branches }: Network, at: string): void {
  const known = new Set<number>();
  buses.forEach(({ bus }, i) => {
    if (known.has(bus))
      invalid(`${at}buses[${i}].bus`, `There are two buses ${bus}.`, 'a number that no other bus has');
    known.add(bus);
  });
  const check = (bus: number, field: string) => {
    if (!known.has(bus)) invalid(`${at}${field}`, `There is no bus ${bus}.`, 'the number of a bus');
  };
  generators.forEach(({ bus }, i) => {
    check(bus, `generators[${i}].bus`);
  });
  branches.forEach(({ fbus, tbus, r, x }, l) => {
    check(fbus, `branches[${l}].fbus`);
    check(tbus, `branches[${l}].tbus`);
    if (fbus === tbus)
      invalid(`${at}branches[${l}].tbus`, `Branch ${l} ends where it begins.`, 'another bus than fbus');
    if (r === 0 && x === 0)
      invalid(`${at}branches[${l}].x`, `Branch ${l} has no impedance.`, 'r and x that are not both 0');
  });
}

function checkOutages({ outages = [] }: GridInput, { branches }: Network): void {
  const wrong = outages.findIndex((l) => l >= branches.length);
  if (wrong >= 0)
    invalid(`outages[${wrong}]`, `There is no branch ${outages[wrong]}.`, `0 to ${branches.length - 1}`);
}

/** A generator, and its place in the network that was sent. */
type Placed = Generator & { readonly i: number };

/** The generators in service. */
function generatorsByBus({ generators }: Network): ReadonlyMap<number, readonly Placed[]> {
  const byBus = new Map<number, Placed[]>();
  generators.forEach((each, i) => {
    if (!isOn(each)) return;
    const own = byBus.get(each.bus) ?? [];
    byBus.set(each.bus, own);
    own.push({ ...each, i });
  });
  return byBus;
}

/** A bus with the sums of its generators; a PV bus without one is PQ. */
function withGenerators(bus: Bus, own: readonly Placed[], { enforceQ }: GridInput, at: string): KernelBus {
  const sum = (pick: (each: Generator) => number) => own.reduce((total, each) => total + pick(each), 0);
  const first = own[0];
  const other = own.find(({ Vg }) => Vg !== first!.Vg);
  if (other)
    invalid(
      `${at}generators[${other.i}].Vg`,
      `Generators at bus ${bus.bus} have different set-points.`,
      `Vg ${first!.Vg}`,
    );
  const type = bus.type === 2 && !first ? 1 : bus.type;
  if (type === 3 && !first)
    invalid(`${at}generators`, `The slack, bus ${bus.bus}, has no generator.`, 'a generator there');
  if (enforceQ && type === 2) checkLimits(own, at);
  const { Pd, Qd, Gs = 0, Bs = 0, Va = 0 } = bus;
  return {
    bus: bus.bus,
    type,
    Pd,
    Qd,
    Gs,
    Bs,
    Va,
    Pg: sum(({ Pg }) => Pg),
    Qg: sum(({ Qg = 0 }) => Qg),
    Qmin: sum(({ Qmin = 0 }) => Qmin),
    Qmax: sum(({ Qmax = 0 }) => Qmax),
    Vg: first?.Vg ?? 1,
  };
}

const isOn = ({ status = 1 }: { readonly status?: 0 | 1 }) => status === 1;

function checkLimits(own: readonly Placed[], at: string): void {
  for (const { Qmin, Qmax, i } of own) {
    const missing = Qmin === undefined ? 'Qmin' : Qmax === undefined ? 'Qmax' : undefined;
    if (missing) {
      const field = `${at}generators[${i}].${missing}`;
      refuse('MISSING_INPUT', `grid lacks ${field}, which enforceQ needs.`, {
        field,
        missing: [field],
        accepts: 'Qmin and Qmax [MVAr], or enforceQ false',
      });
    }
    if (!(Qmin! <= Qmax!))
      invalid(`${at}generators[${i}].Qmax`, 'Qmax is below Qmin.', `at least ${Qmin} MVAr`);
  }
}

/** Names each member: a spread of thousands of objects costs ten times as much. */
function placedBranch(branch: Branch, l: number, index: ReadonlyMap<number, number>): KernelBranch {
  const { fbus, tbus, r, x, b, ratio = 0, angle = 0, status = 1 } = branch;
  return {
    fbus,
    tbus,
    r,
    x,
    b,
    ratio,
    angle,
    status,
    index: l,
    from: index.get(fbus)!,
    to: index.get(tbus)!,
  };
}

function inService(
  { outages = [] }: GridInput,
  { branches }: Network,
  buses: readonly KernelBus[],
  index: ReadonlyMap<number, number>,
  at: string,
): KernelBranch[] {
  const out = new Set(outages);
  const live = (bus: number) => buses[index.get(bus)!]!.type !== 4;
  const found = branches
    .map((each, l) => placedBranch(each, l, index))
    .filter((branch) => isOn(branch) && !out.has(branch.index) && live(branch.fbus) && live(branch.tbus));
  if (found.length === 0 && buses.filter(({ type }) => type !== 4).length > 1)
    invalid(`${at}branches`, 'No branch is in service.', 'branches that connect the buses');
  return found;
}

function onlySlack(buses: readonly KernelBus[], at: string): number {
  const slacks = buses.flatMap(({ type }, i) => (type === 3 ? [i] : []));
  if (slacks.length !== 1)
    invalid(`${at}buses`, `There are ${slacks.length} slack buses.`, 'exactly one bus of type 3');
  return slacks[0]!;
}

function checkConnected(
  { outages = [] }: GridInput,
  buses: readonly KernelBus[],
  branches: readonly KernelBranch[],
  slack: number,
  at: string,
): void {
  const near: number[][] = buses.map(() => []);
  for (const { from, to } of branches) {
    near[from]!.push(to);
    near[to]!.push(from);
  }
  const reached = new Set([slack]);
  for (const i of reached) for (const k of near[i]!) reached.add(k);
  const lost = buses.findIndex(({ type }, i) => type !== 4 && !reached.has(i));
  if (lost >= 0)
    invalid(
      outages.length > 0 ? 'outages' : `${at}branches`,
      `Bus ${buses[lost]!.bus} is not connected to the slack.`,
      'one connected network; type 4 for buses that are out of it',
    );
}

function askedOf(
  { quantity, bus, branch }: GridInput,
  index: ReadonlyMap<number, number>,
  branches: readonly KernelBranch[],
  network: Network,
): number {
  const needsBus = quantity === 'voltage' || quantity === 'angle';
  if (needsBus && bus === undefined) missingIndex('bus', 'the number of a bus');
  if (quantity === 'flow' && branch === undefined) missingIndex('branch', 'the index of a branch, from 0');
  if (!needsBus && bus !== undefined)
    invalid('bus', `${quantity} is of no single bus.`, 'bus with voltage, angle');
  if (quantity !== 'flow' && branch !== undefined)
    invalid('branch', `${quantity} is of no single branch.`, 'branch with flow');
  if (needsBus) {
    const found = index.get(bus!);
    if (found === undefined) return invalid('bus', `There is no bus ${bus}.`, [...index.keys()].slice(0, 32));
    if (network.buses.find((each) => each.bus === bus)!.type === 4)
      invalid('bus', `Bus ${bus} is isolated: it has no voltage.`, 'a bus in service');
    return found;
  }
  if (quantity !== 'flow') return 0;
  const found = branches.findIndex((each) => each.index === branch);
  if (found < 0)
    invalid(
      'branch',
      `There is no branch ${branch} in service.`,
      branches.slice(0, 32).map(({ index }) => index),
    );
  return found;
}

function missingIndex(field: string, accepts: string): never {
  return refuse('MISSING_INPUT', `grid lacks ${field}.`, { field, missing: [field], accepts });
}

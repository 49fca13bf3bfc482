import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { instantiateSync } from '@assemblyscript/loader';
import type { KernelExports } from './kernel-host.ts';

/**
 * One run on several threads (assembly/kernel/team.ts): a leader runs the twin of a kernel as it would run the kernel, and
 * others that have the same module and memory take blocks of its work. Same run, same bytes, whoever comes or goes.
 */
export interface Team {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Where in the memory stands how many may assist, an i32. */
  readonly others: number;
}

interface TwinExports extends KernelExports {
  initialize(): void;
  others(): number;
  assist(seat: number): void;
}

/** Threads that may assist a run, at most; one fewer than SEATS of assembly/kernel/team.ts. */
export const MOST_ASSISTANTS = 7;
/** An assistant was lost, maybe in the middle of a block: the leader traps where it would wait for that. */
const LOST = -1;
/** 1 MiB, more than the data of any twin; and what a kernel may have in all, as asconfig.json says. */
const PAGES = { initial: 16, maximum: 32_768 };

/** An instance for the thread that leads, and what others need. */
export function leadTeam(module: WebAssembly.Module): {
  readonly kernel: KernelExports;
  readonly team: Team;
} {
  const memory = new WebAssembly.Memory({ ...PAGES, shared: true });
  const kernel = instantiate(module, memory);
  kernel.initialize();
  return { kernel, team: { module, memory, others: kernel.others() >>> 0 } };
}

/** An instance for a thread that assists: `assist(seat)` takes blocks of the run until the seat is taken away. */
export function joinTeam({ module, memory }: Team): { assist(seat: number): void } {
  return instantiate(module, memory);
}

let collect: (() => void) | undefined;

/**
 * Frees the memories of runs that are over, as far as this thread holds them: the engine does not count shared memories,
 * so that a thread with little else to collect would keep all of them until it ends.
 */
export function collectMemories(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

const seatsOf = (team: Team): Int32Array => new Int32Array(team.memory.buffer, team.others, 1);

/** How many may assist from now on. Whoever has a higher seat leaves after its block, or within 10 ms. */
export function setSeats(team: Team, seats: number): void {
  if (!isBroken(team)) Atomics.store(seatsOf(team), 0, seats);
}

/** For a run of which a block may have been begun that will never be done. */
export function breakTeam(team: Team): void {
  Atomics.store(seatsOf(team), 0, LOST);
}
export function isBroken(team: Team): boolean {
  return Atomics.load(seatsOf(team), 0) === LOST;
}

function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): TwinExports {
  return instantiateSync<Record<string, unknown>>(module, { env: { memory } })
    .exports as unknown as TwinExports;
}

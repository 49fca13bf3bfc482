import type { Executor } from '../../workers/executor.ts';
import { Contributor } from '../contributor/contributor.ts';
import type { KernelCache } from '../contributor/kernel-cache.ts';
import type { Bell, Bells } from '../front.ts';
import type { Coordinator } from './coordinator.ts';
import { DirectDesk } from './direct-desk.ts';

export interface HouseOptions {
  readonly coordinator: Coordinator;
  /** The service's node id. */
  readonly node: string;
  readonly pool: Executor;
  readonly kernels: KernelCache;
  readonly threads: number;
  readonly memory: number;
}

/**
 * The service's own threads as a contributor without a network: they take what nobody takes and run what no stranger
 * may be the last word on. Same code, same decisions, no pay.
 */
export function openHouse({ coordinator, node, ...options }: HouseOptions): Contributor {
  const waiting = new Waiting();
  const desk = new DirectDesk(coordinator, node);
  const contributor = new Contributor({
    ...options,
    desk,
    bells: waiting,
    mode: 'contributing',
    isLast: true,
  });
  coordinator.employ({
    idle: (run) => {
      waiting.add(run);
      contributor.bell();
    },
    check: (work) => contributor.check(work),
    lost: (holding, reason) => contributor.lost(holding, reason),
  });
  contributor.start();
  return contributor;
}

/** Runs that nobody took, each once. One that is passed on comes back with the next tick. */
class Waiting implements Pick<Bells, 'take'> {
  readonly #runs = new Set<string>();

  add(run: string): void {
    this.#runs.add(run);
  }

  take(count: number): Promise<Bell[]> {
    const taken = [...this.#runs].slice(0, count);
    for (const run of taken) this.#runs.delete(run);
    const nothing = () => undefined;
    return Promise.resolve(
      taken.map((run) => ({ run, class: 'free-small', ack: nothing, retry: nothing, working: nothing })),
    );
  }
}

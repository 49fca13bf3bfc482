import type { Executor } from '../../workers/executor.ts';
import { Contributor } from '../contributor/contributor.ts';
import type { KernelCache } from '../contributor/kernel-cache.ts';
import { bellFor, WaitingRuns } from '../waiting-runs.ts';
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
  const waiting = new WaitingRuns();
  const bells = { take: (count: number) => Promise.resolve(waiting.take(count).map(bellFor)) };
  const desk = new DirectDesk(coordinator, node);
  const contributor = new Contributor({ ...options, desk, bells, mode: 'contributing', isLast: true });
  coordinator.employ({
    idle: (run, jobClass) => {
      waiting.add(run, jobClass);
      contributor.bell();
    },
    check: (work) => contributor.check(work),
    lost: (holding, reason) => contributor.lost(holding, reason),
  });
  contributor.start();
  return contributor;
}

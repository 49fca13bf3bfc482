import { parentPort } from 'node:worker_threads';
import { type Census, census, type MeshSize } from '../../test/mesh/simulator/census.ts';
import { type Outcome, simulate } from '../../test/mesh/simulator/simulation.ts';
import { noCounts } from '../../test/mesh/simulator/watcher.ts';

/** A piece of work for one thread: seeds from … to − 1, or a mesh to be counted. */
export type Task =
  | { readonly kind: 'seeds'; readonly from: number; readonly to: number }
  | { readonly kind: 'census'; readonly size: MeshSize };

export interface Seeds {
  readonly violations: readonly Outcome[];
  readonly worst: Outcome;
  readonly counts: Outcome['counts'];
}

export type Answer = Seeds | Census;

function seeds(from: number, to: number): Seeds {
  const violations: Outcome[] = [];
  let worst: Outcome | undefined;
  const counts = { ...noCounts };
  for (let seed = from; seed < to; seed++) {
    const outcome = simulate({ seed });
    if (outcome.violation) violations.push(outcome);
    else if (!worst || outcome.recovery > worst.recovery) worst = outcome;
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] += outcome.counts[key];
  }
  return { violations, worst: worst!, counts };
}

parentPort?.on('message', (task: Task) => {
  const answer: Answer = task.kind === 'seeds' ? seeds(task.from, task.to) : census(task.size);
  parentPort!.postMessage(answer);
});

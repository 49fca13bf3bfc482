import { meshRuns } from '../../mesh/records.ts';
import type { ExecuteOptions, Executor, RunSpec } from '../../workers/executor.ts';
import type { FinishedRun } from '../proof/job.ts';
import type { Store } from '../store/store.ts';

export interface WithoutMeshParts {
  readonly store: Store;
  readonly local: Executor;
  readonly now: () => bigint;
}

/** The threads of a node that runs no mesh, on a store in which a mesh may have begun a run: it was started without. */
export class WithoutMesh implements Executor {
  readonly #parts: WithoutMeshParts;

  constructor(parts: WithoutMeshParts) {
    this.#parts = parts;
  }

  async execute(spec: RunSpec, options: ExecuteOptions = {}): Promise<FinishedRun> {
    const { store, local, now } = this.#parts;
    const { name } = options;
    if (!name || !(await store.get(meshRuns, { id: name.id }))) return local.execute(spec, options);
    const { leftTheMesh, takenHome } = await import('../../mesh/coordinator/taken-home.ts');
    const left = await leftTheMesh(store, name.id, now());
    return local.execute(spec, left ? await takenHome(store, left, options) : options);
  }

  close(): Promise<void> {
    return this.#parts.local.close();
  }
}

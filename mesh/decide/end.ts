import { lostChecks } from './checks.ts';
import type { Decision } from './decision.ts';
import type { Effect } from './effects.ts';
import type { MeshRun } from './run.ts';

/** The run is over: whoever holds anything of it is told. */
export function ended(run: MeshRun, state: 'done' | 'failed' | 'cancelled'): Decision {
  const { lease: held, ...rest } = run;
  const lost: Effect[] = held ? [{ kind: 'lost', node: held.id, fence: held.fence, reason: 'ended' }] : [];
  return {
    run: { ...rest, state, spans: [] },
    effects: [...lost, ...lostChecks(run.spans, 'ended'), { kind: 'ended', state }],
  };
}

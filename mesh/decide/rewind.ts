import type { MeshRun } from './run.ts';

/**
 * A run whose bytes behind `segment` are lost goes on from there: its state is in the store. Nobody holds it any more;
 * what is run again is not paid again.
 */
export function rewound(run: MeshRun, segment: number, tick: number): MeshRun {
  const { lease: _, ...rest } = run;
  return {
    ...rest,
    state: 'open',
    accepted: segment,
    spans: [],
    fence: run.fence + 1,
    failed: [],
    movedTick: tick,
  };
}

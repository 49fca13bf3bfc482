import type { MeshRun, RunWork } from './run.ts';

/**
 * A run whose bytes behind `segment` are lost goes on from there: its state is in the store. Nobody holds it any more;
 * what is run again is not paid again.
 */
export function rewound(run: MeshRun, segment: number, tick: number): MeshRun {
  const { lease: _, returned: __, ...rest } = run;
  return {
    ...rest,
    ...(run.work && { work: uncounted(run.work) }),
    state: 'open',
    accepted: segment,
    spans: [],
    fence: run.fence + 1,
    failed: [],
    movedTick: tick,
  };
}

/** How much was done up to there nobody says. */
const uncounted = ({ accepted: _, ...known }: RunWork): RunWork => known;

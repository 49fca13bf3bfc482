import { tickOf } from '../../src/clock/pulse.ts';
import { CHECK_TICKS } from '../decide/checks.ts';
import { LEASE_TICKS, whyNot } from '../decide/leases.ts';
import { house, type MeshRun, type NodeFacts } from '../decide/run.ts';

const NEVER = Number.MAX_SAFE_INTEGER;
const own: NodeFacts = { id: house, owner: house, engine: house };

/**
 * The first tick in which the passing of time alone may change anything of a run: nobody needs to look at it before.
 * A lower bound, from what decide.ts does with a tick: leases and checks lapse, and a run that nobody has is named
 * again in each tick.
 */
export function wakeTick(run: MeshRun, deadlineNs: bigint): number {
  if (run.state !== 'open') return NEVER;
  const { lease, spans, movedTick, excluded } = run;
  const open = spans.flatMap(({ checks }) => checks.filter(({ claim }) => claim === undefined));
  const first = Math.min(
    tickOf(deadlineNs),
    lease ? Math.min(lease.heard + LEASE_TICKS, lease.due ?? NEVER) : NEVER,
    ...open.map(({ id, owner, heard, due }) =>
      // Who was found to be of no use meanwhile is not waited for.
      excluded.includes(id) && owner !== house ? movedTick : Math.min(heard + CHECK_TICKS, due ?? NEVER),
    ),
    whyNot(run, own) === undefined ? movedTick + 1 : NEVER,
  );
  return Math.ceil(first);
}

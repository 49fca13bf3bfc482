import type { NodeFacts } from '../decide/run.ts';
import type { Beacons } from './ports.ts';

/** A beacon that came after everything in a batch, and who is there. */
export interface Seen {
  readonly drawn: Awaited<ReturnType<Beacons['next']>>;
  readonly candidates: readonly NodeFacts[];
}
export type Scene = () => Promise<Seen>;

/** Where nothing is drawn: should it be, all that was committed is later than this, and is checked. */
export const unseen: Seen = { drawn: { tNs: 0n, beacon: new Uint8Array(32) }, candidates: [] };

export interface SceneParts {
  readonly beacons: Pick<Beacons, 'next'>;
  readonly candidates: () => Promise<readonly NodeFacts[]>;
}

/** What the decisions about one batch see: made at most once, when the first of them needs it. */
export function newScene({ beacons, candidates }: SceneParts): Scene {
  let made: Promise<Seen> | undefined;
  const make = async () => {
    const [drawn, there] = await Promise.all([beacons.next(), candidates()]);
    return { drawn, candidates: there };
  };
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * The clock of the service node that wrote a commitment down may be ahead of the one here: the beacon that draws is
 * later than what it wrote.
 */
export async function seenAfter(
  committedNs: bigint,
  scene: Scene,
  { beacons }: Pick<SceneParts, 'beacons'>,
): Promise<Seen> {
  const seen = await scene();
  return seen.drawn.tNs > committedNs ? seen : { ...seen, drawn: await beacons.next(committedNs) };
}

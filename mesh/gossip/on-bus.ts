import { canonicalBytes } from '../../src/proof/canonical.ts';
import type { Beacons } from '../beacons.ts';
import type { Bus } from '../nats/bus.ts';
import { subjects } from '../subjects.ts';
import type { Gossip } from './gossip.ts';

/** What gossip needs of the transport. */
export type GossipBus = Pick<Bus, 'publish' | 'subscribe'>;

export interface Speakers {
  readonly gossip: Pick<Gossip, 'addWay' | 'onMessage'>;
  readonly beacons: Pick<Beacons, 'onUsed'>;
}

/**
 * Lets a service node hear and say gossip over NATS, and publish its beacons as they draw something. NATS proves
 * nothing here: what comes is held to the same check as over HTTP.
 *
 * @returns how to leave
 */
export function joinBus(
  bus: GossipBus,
  { gossip, beacons }: Speakers,
  onError: (error: unknown) => void,
): () => void {
  const hear = (subject: string) =>
    bus.subscribe(subject, ({ data, header }) => {
      void gossip.onMessage(data, (name) => header(name) || undefined).catch(onError);
    });
  const leave = [
    gossip.addWay({
      send: ({ subject, bytes, headers }) => bus.publish(subject, bytes, { headers: headers() }),
    }),
    beacons.onUsed((shown) => bus.publish(subjects.beacon, canonicalBytes(shown))),
    hear(subjects.gossip('*')),
    hear(subjects.gossipOf('*', '*')),
  ];
  return () => {
    for (const each of leave) each();
  };
}

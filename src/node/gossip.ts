import { signingKey } from '#crypto';
import { Beacons } from '../../mesh/beacons.ts';
import { Gossip } from '../../mesh/gossip/gossip.ts';
import { type GossipBus, joinBus } from '../../mesh/gossip/on-bus.ts';
import { HttpPeers } from '../../mesh/gossip/peers.ts';
import { utf8 } from '../proof/bytes.ts';
import type { NodeKeys } from '../spine/identity.ts';
import type { NodeLog } from '../spine/node-log.ts';
import type { Store } from '../store/store.ts';

/** What a node is told about the mesh by its configuration. */
export interface GossipConfig {
  /** Shared by the service nodes of a mesh; absent: no gossip is said or heard. */
  readonly secret?: string;
  /** Origins of service nodes that own events are pushed to over HTTP. */
  readonly peers?: readonly string[];
}

interface Parts {
  readonly store: Store;
  readonly log: NodeLog;
  readonly keys: NodeKeys;
  readonly now: () => bigint;
  readonly threads: number;
  readonly memory: number;
}

/** About four ticks: how often the node looks whether there is something to say. */
const BEAT_MS = 3108;

/** What a service node says of itself and draws with: gossip and beacons, both signed with the key of its notes. */
export class NodeGossip {
  readonly gossip: Gossip;
  readonly beacons: Beacons;
  readonly #peers: HttpPeers;
  #beat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor({ store, log, keys, now, threads, memory }: Parts, { secret, peers = [] }: GossipConfig = {}) {
    const { sign } = signingKey(keys.signingSeed);
    const engine = `v8-${process.versions.v8} ${process.arch}`;
    this.gossip = new Gossip({
      store,
      now,
      identity: { id: log.vkey, sign },
      self: { engine, cores: threads, memory },
      ...(secret === undefined ? {} : { secret: utf8(secret) }),
    });
    this.#peers = new HttpPeers({ peers });
    if (peers.length > 0) this.gossip.addWay(this.#peers);
    this.beacons = new Beacons({
      store,
      node: keys.name,
      sign,
      now,
      checkpoint: () => log.checkpoint(store),
    });
  }

  /** Says who the node is, now and from time to time. */
  async start(onError: (error: unknown) => void): Promise<void> {
    const beat = () => this.gossip.beat().catch(onError);
    await beat();
    this.#beat = setInterval(() => {
      this.#beating = this.#beating.then(beat);
    }, BEAT_MS).unref();
  }

  /** Hears and says gossip over NATS too. @returns how to leave */
  join(bus: GossipBus, onError: (error: unknown) => void): () => void {
    return joinBus(bus, this, onError);
  }

  /** Resolves once what was said reached the peers, or was given up. */
  said(): Promise<void> {
    return this.#peers.settled();
  }

  async close(): Promise<void> {
    clearInterval(this.#beat);
    await Promise.all([this.#beating, this.#peers.close()]);
  }
}

import { toBase64, toHex } from '../src/proof/bytes.ts';
import type { Schema } from '../src/store/schema.ts';
import type { Store, Transaction } from '../src/store/store.ts';
import { table } from '../src/store/table.ts';
import type { ShownBeacon } from './beacon-proof.ts';
import { beaconMessage, beaconOf } from './decide/beacon.ts';

/** Beacons that drew something: whoever doubts a draw makes it again from these. */
export const meshBeacons = table({
  name: 'mesh_beacons',
  key: ['node', 't_ns'],
  columns: {
    /** Name of the service node that signed it. */
    node: 'text',
    t_ns: 'int64',
    /** The signed head of the node's log then; empty while the log was. */
    checkpoint: 'text',
    signature: 'blob',
  },
});

export const beaconSchema: Schema = { feature: 'beacons', tables: [meshBeacons] };

export interface Beacon {
  readonly tNs: bigint;
  readonly checkpoint: string;
  /** Ed25519, 64 bytes. */
  readonly signature: Uint8Array;
  /** 32 bytes. */
  readonly beacon: Uint8Array;
}

export interface BeaconParts {
  readonly store: Store;
  /** Name of the service node. */
  readonly node: string;
  /** Ed25519 signature of the service's note signer. */
  readonly sign: (message: Uint8Array) => Uint8Array;
  /** Strictly increasing. */
  readonly now: () => bigint;
  /** The last signed head of the node's log. */
  readonly checkpoint: () => Promise<string | undefined>;
}

/** Beacons that may still be kept: more than decisions are under way at once. */
const REMEMBERED = 32_768;
/** A beacon that drew something can be asked for so long: 30 days. */
const KEPT_NS = 30n * 86_400_000_000_000n;
const FORGET_EVERY = 1024;
const FORGET_BATCH = 2 * FORGET_EVERY;

/**
 * Makes a beacon for every batch of commitments, after they are durable, and keeps those that drew something. Making
 * one is a look at the log's head and one signature.
 */
export class Beacons {
  readonly #parts: BeaconParts;
  readonly #made = new Map<bigint, Beacon>();
  readonly #listeners = new Set<(shown: ShownBeacon) => void>();
  #used = 0;

  constructor(parts: BeaconParts) {
    this.#parts = parts;
  }

  /**
   * A beacon later than everything that was durable when it was asked for.
   * @param after Unix ns that another service node wrote down, whose clock may be ahead: it is later than that too
   */
  async next(after = 0n): Promise<Beacon> {
    const { now, sign, checkpoint: head } = this.#parts;
    const checkpoint = (await head()) ?? '';
    const tNs = this.#laterThan(after, now());
    const signature = sign(beaconMessage(tNs, checkpoint));
    const made: Beacon = { tNs, checkpoint, signature, beacon: beaconOf(signature) };
    this.#made.set(tNs, made);
    if (this.#made.size > REMEMBERED) this.#made.delete(this.#made.keys().next().value!);
    return made;
  }

  /** No time has two beacons, and none that was made for somebody else is used again: it may be known by now. */
  #laterThan(after: bigint, now: bigint): bigint {
    let tNs = now > after ? now : after + 1n;
    while (this.#made.has(tNs)) tNs++;
    return tNs;
  }

  /**
   * Keeps a beacon that drew something, so that it is durable together with what it drew; once that is so, call
   * `tell`. Twice is once.
   *
   * @throws RangeError for one that this process did not make, or long ago
   */
  keep(tx: Transaction, tNs: bigint): Promise<void> {
    const { checkpoint, signature } = this.#madeAt(tNs);
    return tx.put(meshBeacons, { node: this.#parts.node, t_ns: tNs, checkpoint, signature });
  }

  /** Tells the listeners of a beacon that is kept, and now and then forgets what is old. */
  tell(tNs: bigint): void {
    const shown = shownBeacon(this.#madeAt(tNs));
    for (const listener of this.#listeners) listener(shown);
    if (++this.#used % FORGET_EVERY !== 0) return;
    void this.forgetBefore(tNs - KEPT_NS).catch(() => undefined); // the next turn takes them
  }

  /** Keeps it in a transaction of its own, and tells of it. */
  async used(tNs: bigint): Promise<void> {
    await this.#parts.store.transaction((tx) => this.keep(tx, tNs));
    this.tell(tNs);
  }

  /** Told of every beacon that drew something, such as to publish it. @returns what ends that */
  onUsed(listener: (shown: ShownBeacon) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The last ones that drew something, the newest first. */
  async latest(limit: number): Promise<ShownBeacon[]> {
    const { store, node } = this.#parts;
    const rows = await store.find(meshBeacons, { where: { node }, orderBy: { t_ns: 'desc' }, limit });
    return rows.map(({ t_ns, checkpoint, signature }) => shownBeacon({ tNs: t_ns, checkpoint, signature }));
  }

  /** Deletes a batch of what was made before. */
  async forgetBefore(before: bigint): Promise<void> {
    const { store, node } = this.#parts;
    const where = { node, t_ns: { lt: before } };
    const old = await store.find(meshBeacons, { where, limit: FORGET_BATCH });
    if (old.length === 0) return;
    await store.transaction(async (tx) => {
      for (const { t_ns } of old) await tx.delete(meshBeacons, { node, t_ns });
    });
  }

  #madeAt(tNs: bigint): Beacon {
    const made = this.#made.get(tNs);
    if (!made) throw new RangeError('a beacon is kept soon after it was made');
    return made;
  }
}

const shownBeacon = ({ tNs, checkpoint, signature }: Omit<Beacon, 'beacon'>): ShownBeacon => ({
  t_ns: String(tNs),
  checkpoint,
  signature: toBase64(signature),
  beacon: toHex(beaconOf(signature)),
});

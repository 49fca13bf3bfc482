import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hmacKey, signingKey } from '#crypto';
import { eventBytes, signedEvent } from '../../../mesh/gossip/event.ts';
import { Gossip } from '../../../mesh/gossip/gossip.ts';
import { handshakeText, nodeHandshakeKey } from '../../../mesh/gossip/handshake.ts';
import { type Identity, identityOf } from '../../../mesh/nats/nkey.ts';
import { meshNodes } from '../../../mesh/records.ts';
import { TICK_NS } from '../../../src/clock/pulse.ts';
import { schemas } from '../../../src/node/node-store.ts';
import { utf8 } from '../../../src/proof/bytes.ts';
import { noteSigner } from '../../../src/proof/note.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';

interface Test {
  teardown(work: () => Promise<void>): void;
}

export const meshSecret = 'a secret of the mesh, for tests only';
const self = { engine: 'v8-11.3 x64', cores: 2, memory: 2 ** 30 };
export const contributorSelf = { role: 'contributor', ...self, mode: 'contributing' };
export const broadcast = (run: string) => ({ run, class: 'paid-small', kernel: 'ab'.repeat(32), work: 1000 });

/** Time that only a test moves, in ticks. */
export class TestTime {
  ns = 1_800_000_000_000_000_000n;
  readonly now = (): bigint => {
    this.ns += 1n;
    return this.ns;
  };
  get tick(): number {
    return Number(this.ns / TICK_NS);
  }
  pass(ticks: number): void {
    this.ns += BigInt(ticks) * TICK_NS;
  }
}

export function serviceIdentity(name: string): Identity {
  const seed = Uint8Array.from({ length: 32 }, (_, i) => (i * 7 + name.charCodeAt(name.length - 1)) % 256);
  return { id: noteSigner(name, seed).vkey, sign: signingKey(seed).sign };
}

export const contributorIdentity = (n: number): Identity => identityOf('user', new Uint8Array(32).fill(n));

export async function testStore(t: Test): Promise<Store> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gossip-'));
  const store = await openStore({ dataDir }, schemas);
  t.teardown(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return store;
}

export function member(
  store: Store,
  name: string,
  time: TestTime,
  secret: string | undefined = meshSecret,
): Gossip {
  const identity = serviceIdentity(name);
  return new Gossip({ store, now: time.now, identity, self, secret: secret ? utf8(secret) : undefined });
}

export function admit(store: Store, id: string, state = 'admitted'): Promise<void> {
  const facts = { owner: 'z1', engine: self.engine, cores: 2n, memory: 2n ** 30n, mode: 'contributing' };
  return store.transaction((tx) => tx.put(meshNodes, { id, state, ...facts, admitted_ns: 1n, heard_ns: 1n }));
}

/** The key of any node, as those make it who hold the secret. */
export const keyOf = (node: string): Uint8Array => nodeHandshakeKey(hmacKey(utf8(meshSecret)), node);

/** An event and its header, as a node with this key sends them. */
export function sent(
  identity: Identity,
  kind: string,
  body: Record<string, unknown>,
  { tick, event = tick }: { tick: number; event?: number },
): { bytes: Uint8Array; header: string } {
  const bytes = eventBytes(signedEvent(identity, kind, body, event));
  return { bytes, header: handshakeText(keyOf(identity.id), identity.id, tick, bytes) };
}

import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { signingKey } from '#crypto';
import { isBeaconOf } from '../../mesh/beacon-proof.ts';
import { Beacons, meshBeacons } from '../../mesh/beacons.ts';
import { beaconMessage, beaconOf, drawnNumber } from '../../mesh/decide/beacon.ts';
import { toBase64, toHex } from '../../src/proof/bytes.ts';
import { noteSigner } from '../../src/proof/note.ts';
import type { Store } from '../../src/store/store.ts';
import { TestTime, testStore } from './gossip/members.ts';

const seed = Uint8Array.from({ length: 32 }, (_, i) => i);
const { vkey } = noteSigner('n1', seed);
const { sign } = signingKey(seed);

const beaconsOn = (store: Store, time: TestTime, head?: string) =>
  new Beacons({ store, node: 'n1', sign, now: time.now, checkpoint: () => Promise.resolve(head) });

t.test('a beacon is what another program makes of time, checkpoint and key', async (t) => {
  // Python 3, hashlib and cryptography's Ed25519: sha256(sign(sha256(b'SVC-BEACON-1\0' + pack('<Q', t) + checkpoint))).
  const signature = sign(beaconMessage(1_800_000_000_000_000_000n, 'n1\n1\nAAAA\n'));
  const shown = {
    t_ns: '1800000000000000000',
    checkpoint: 'n1\n1\nAAAA\n',
    signature: 'RFfkbZ8SCvepxLiNiAVFXkLSoa03QfWxn/hivMopIBgIlmT7FvSHHMUEY1slxFU0S8LShXCJvIARleipMO2cBQ==',
    beacon: 'bafe59f68479d574495a7f7ec73913d77aa918de1178bef8052c762485bef565',
  };
  t.equal(toBase64(signature), shown.signature);
  t.equal(toHex(beaconOf(signature)), shown.beacon);
  t.ok(isBeaconOf(vkey, shown), 'a stranger finds it good');
  const other = noteSigner('n1', seed.toReversed());
  const changes = [
    { t_ns: '1800000000000000001' },
    { t_ns: '99999999999999999999' },
    { checkpoint: 'n1\n2\nAAAA\n' },
    { signature: toBase64(sign(beaconMessage(1n, ''))) },
    { signature: '' },
    { beacon: '0'.repeat(64) },
  ];
  for (const change of changes) t.notOk(isBeaconOf(vkey, { ...shown, ...change }), JSON.stringify(change));
  t.notOk(isBeaconOf(other.vkey, shown), 'of another key');
  t.throws(() => isBeaconOf(vkey, { ...shown, t_ns: '-1' }), { code: 'INVALID_INPUT' });
  t.throws(() => isBeaconOf(vkey, { ...shown, more: 1 } as typeof shown), { code: 'INVALID_INPUT' });
});

t.test('every beacon is later than the one before, and draws otherwise', async (t) => {
  const beacons = beaconsOn(await testStore(t), new TestTime());
  const made = await Promise.all(Array.from({ length: 100 }, () => beacons.next()));
  for (const [i, { tNs }] of made.entries()) if (i > 0) t.ok(tNs > made[i - 1]!.tNs);
  t.equal(new Set(made.map(({ beacon }) => drawnNumber(beacon, 'run/0'))).size, 100);
});

t.test('a beacon is later than what a clock that is ahead wrote down, and no time has two', async (t) => {
  const beacons = beaconsOn(await testStore(t), new TestTime());
  const ahead = (await beacons.next()).tNs + 60_000_000_000n;
  const [first, second] = [await beacons.next(ahead), await beacons.next(ahead)];
  t.equal(first.tNs, ahead + 1n);
  t.equal(second.tNs, ahead + 2n);
  t.notSame(first.beacon, second.beacon);
});

t.test('only beacons that drew something are kept and told, each with its proof', async (t) => {
  const store = await testStore(t);
  const time = new TestTime();
  const beacons = beaconsOn(store, time, 'a head');
  const told: string[] = [];
  const stop = beacons.onUsed(({ t_ns }) => told.push(t_ns));
  const [, drew, , within] = [
    await beacons.next(),
    await beacons.next(),
    await beacons.next(),
    await beacons.next(),
  ];
  await beacons.used(drew!.tNs);
  await beacons.used(drew!.tNs);
  await store.transaction((tx) => beacons.keep(tx, within!.tNs));
  beacons.tell(within!.tNs);
  stop();
  const latest = await beaconsOn(store, time).latest(10);
  t.same(
    latest.map(({ beacon }) => beacon),
    [within, drew].map((made) => toHex(made!.beacon)),
    'the newest first, after a restart too',
  );
  for (const shown of latest) t.ok(isBeaconOf(vkey, shown));
  t.equal((await beacons.latest(1)).length, 1);
  t.same(new Set(told), new Set([drew, within].map((made) => String(made!.tNs))));
  await t.rejects(beacons.used(1n), { name: 'RangeError' }, 'one that was never made');
  await beacons.forgetBefore(within!.tNs);
  t.equal(await store.count(meshBeacons), 1);
});

t.test('what drew something is forgotten after 30 days, whoever kept it', async (t) => {
  const store = await testStore(t);
  const beacons = beaconsOn(store, new TestTime());
  const monthNs = 30n * 86_400_000_000_000n;
  await store.transaction((tx) =>
    tx.put(meshBeacons, { node: 'n1', t_ns: -monthNs, checkpoint: '', signature: new Uint8Array(64) }),
  );
  const { tNs } = await beacons.next();
  await store.transaction((tx) => beacons.keep(tx, tNs));
  for (let i = 0; i < 1024; i++) beacons.tell(tNs);
  while ((await store.count(meshBeacons)) > 1) await setImmediate();
  t.equal((await beacons.latest(2))[0]?.t_ns, String(tNs));
});

t.test('of many beacons that drew nothing, none stays for ever', async (t) => {
  const beacons = beaconsOn(await testStore(t), new TestTime());
  const first = await beacons.next();
  for (let i = 0; i < 32_768; i++) await beacons.next();
  await t.rejects(beacons.used(first.tNs), { name: 'RangeError' });
});

import t from 'tap';
import { sha256 } from '#crypto';
import { type ErrandParts, Errands } from '../../../mesh/coordinator/errands.ts';
import { Gathered } from '../../../mesh/coordinator/gathered.ts';
import { type RunSheet, storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { packSpan } from '../../../mesh/coordinator/span-bytes.ts';
import type { Claim } from '../../../mesh/decide/claim.ts';
import { openRun } from '../../../mesh/decide/run.ts';
import type { Reveal } from '../../../mesh/desk.ts';
import { meshErrands, meshNodes } from '../../../mesh/records.ts';
import { fromHex, toHex } from '../../../src/proof/bytes.ts';
import { segmentDigest } from '../../../src/proof/digests.ts';
import { merkleRoot } from '../../../src/proof/merkle.ts';
import { LocalMesh, MemoryObjects } from '../local-mesh.ts';
import { orbits } from '../orbits.ts';

// What an admitted node may try, said to the coordinator directly: there is no honest node around it.

const hash = 'ab'.repeat(32);
const nothing = new Uint8Array(0);

/** Bytes that hold to their own claim, whoever made them up. */
function madeUp(fence: number): Reveal {
  const state = new Uint8Array(64);
  const rowsHash = sha256(nothing);
  const end = { segment: 0, steps: 0, status: 0, state, rowsHash };
  const claim: Claim = {
    ...{ from: 0, to: 0, steps: 0, work: '0', digests: [toHex(segmentDigest(fromHex(hash), end))] },
    ...{ state: toHex(sha256(state)), rowsHash: toHex(rowsHash), rowsRoot: toHex(merkleRoot([rowsHash])) },
  };
  return { run: 'j-0', fence, claim, salt: new Uint8Array(32), state, rows: [nothing], observed: [] };
}

async function begun(t: Parameters<typeof LocalMesh.open>[0]): Promise<LocalMesh> {
  const mesh = await LocalMesh.open(t);
  const sheet: RunSheet = {
    ...{ runHash: hash, kernel: hash, parameters: hash, stepsPerSegment: 1, memory: 1 },
    ...{ work: 1, class: 'paid-small' },
  };
  const run = openRun({ id: 'j-0', kernel: hash, payer: 'payer', policy: 'none', work: { planned: 1e15, segment: 1e15 } }, 0);
  await mesh.coordinator.begin('j', sheet, run, 2n ** 62n);
  return mesh;
}

const admit = (mesh: LocalMesh, mode: string) =>
  mesh.store.transaction((tx) =>
    tx.put(meshNodes, {
      ...{ id: 'mallory', owner: 'mallory', engine: 'e', cores: 1n, memory: 1n, mode },
      ...{ state: 'admitted', admitted_ns: 0n, heard_ns: 0n },
    }),
  );

async function leased(mesh: LocalMesh): Promise<number> {
  await admit(mesh, 'contributing');
  const [answer] = await mesh.coordinator.leases('mallory', ['j-0']);
  return answer && 'lease' in answer ? answer.lease.fence : -1;
}

t.test('what a node shows unasked is not kept', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh);
  const reveal = { kind: 'reveal', ...madeUp(fence) } as const;
  t.same(await mesh.coordinator.results([{ node: 'mallory', result: reveal }]), ['fenced']);
  t.equal(mesh.objects.bytes.size, 0);
});

t.test('a node that was switched off commits to nothing more, whatever it holds', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh);
  const commit = { kind: 'commit', run: 'j-0', fence, from: 0, to: 0, commitment: hash } as const;
  await admit(mesh, 'idle');
  t.same(await mesh.coordinator.results([{ node: 'mallory', result: commit }]), ['fenced']);
  await admit(mesh, 'contributing');
  t.same(await mesh.coordinator.results([{ node: 'mallory', result: commit }]), ['kept']);
});

t.test('a run that was cancelled is not begun again because its bytes are gone', async (t) => {
  const mesh = await begun(t);
  await mesh.coordinator.cancel('j-0');
  await mesh.coordinator.rewind('j-0', undefined);
  t.equal((await storedRun(mesh.store, 'j-0'))?.machine.state, 'cancelled');
});

t.test('spans that leave a gap are not put together', async (t) => {
  const objects = new MemoryObjects();
  const bytes = await objects.put('j', packSpan({ rows: [nothing], observed: [] }));
  const gathered = new Gathered('j', orbits({ steps: 10, stepsPerSegment: 1 }), objects, {});
  const { claim } = madeUp(1);
  await gathered.add({ claim, bytes });
  await t.rejects(gathered.add({ claim: { ...claim, from: 2, to: 2 }, bytes }), { name: 'MissingBytes' });
  await gathered.add({ claim: { ...claim, from: 1, to: 1 }, bytes });
  t.equal(gathered.segment, 1);
});

t.test('an errand is not answered with work that no store can hold', async (t) => {
  const { store } = await LocalMesh.open(t);
  const work = { from: 0, through: 0 };
  const times = { asked_ns: 0n, heard_ns: 0n };
  await store.transaction((tx) =>
    tx.insert(meshErrands, { id: 'errand-1', node: 'mallory', owner: 'm', work, ...times }),
  );
  const credits = { credit: () => Promise.resolve(), withhold: () => Promise.resolve() };
  const errands = new Errands({ store, credits, now: () => 1n } as unknown as ErrandParts);
  const { claim } = madeUp(1);
  const say = (work: string) =>
    errands.answered('mallory', {
      ...{ kind: 'checked', run: 'errand-1', fence: 1 },
      claim: { ...claim, work },
    });
  t.equal(await say('9'.repeat(20)), 'not-committed');
  t.equal(await say('9'), 'kept');
});

import t from 'tap';
import { type ErrandParts, Errands } from '../../../mesh/coordinator/errands.ts';
import { Gathered } from '../../../mesh/coordinator/gathered.ts';
import { storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { packSpan } from '../../../mesh/coordinator/span-bytes.ts';
import { meshErrands } from '../../../mesh/records.ts';
import { LocalMesh, MemoryObjects } from '../local-mesh.ts';
import { orbits } from '../orbits.ts';
import { admit, begun, hash, leased, madeUp, nothing } from './said.ts';

// What an admitted node may try, said to the coordinator directly: there is no honest node around it.

t.test('what a node shows unasked is not kept', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh);
  const reveal = { kind: 'reveal', ...madeUp(fence, 0, 0, 0n) } as const;
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

t.test('what a node asked is known to every service node of the store', async (t) => {
  const mesh = await LocalMesh.open(t);
  const [one, other] = [mesh.coordinator, mesh.service('house-2')];
  t.equal(await one.asked('alice', 'alive', 5), 0);
  t.equal(await other.asked('alice', 'alive', 5), 5, 'recorded, and said again to another one');
  t.equal(await other.asked('alice', 'alive', 4), 5, 'an earlier one that came late');
  t.equal(await other.asked('alice', 'lease', 4), 0, 'each kind by itself');
  t.equal(await other.asked('alice', 'alive', 6), 5);
  t.equal(await one.asked('alice', 'alive', 6), 6);
});

t.test('a service whose clock was ahead, and was set right, hears its nodes again', async (t) => {
  const mesh = await LocalMesh.open(t);
  const now = Date.now();
  t.equal(await mesh.coordinator.asked('alice', 'lease', now + 3_600_000), 0, 'while it was an hour ahead');
  t.equal(await mesh.coordinator.asked('alice', 'lease', now), 0, 'what was said then counts for nothing');
  t.equal(await mesh.coordinator.asked('alice', 'lease', now), now, 'and now it counts again');
});

t.test('a run that was cancelled is not begun again because its bytes are gone', async (t) => {
  const mesh = await begun(t);
  await mesh.coordinator.cancel('j-0');
  await mesh.coordinator.rewind('j-0', undefined);
  t.equal((await storedRun(mesh.store, 'j-0'))?.machine.state, 'cancelled');
});

t.test('spans that leave a gap are not put together', async (t) => {
  const objects = new MemoryObjects();
  const bytes = await objects.put('j', packSpan({ rows: [nothing], observed: [] }, '1/0'));
  const gathered = new Gathered('j', orbits({ steps: 10, stepsPerSegment: 1 }), objects, {});
  const { claim } = madeUp(1, 0, 0, 0n);
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
  const { claim } = madeUp(1, 0, 0, 0n);
  const say = (work: string) =>
    errands.answered('mallory', {
      ...{ kind: 'checked', run: 'errand-1', fence: 1 },
      claim: { ...claim, work },
    });
  t.equal(await say('9'.repeat(20)), 'not-committed');
  t.equal(await say('9'), 'kept');
});

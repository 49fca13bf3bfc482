import t from 'tap';
import { Roll } from '../../../mesh/coordinator/roll.ts';
import { storedRun, wakingRuns } from '../../../mesh/coordinator/run-rows.ts';
import { HOUSE_TICKS } from '../../../mesh/decide/decide.ts';
import { openRun } from '../../../mesh/decide/run.ts';
import { meshNodes, meshRuns, meshSpans, meshTrust } from '../../../mesh/records.ts';
import { type JobClass, jobClasses } from '../../../mesh/subjects.ts';
import { TICK_NS } from '../../../src/clock/pulse.ts';
import type { Store } from '../../../src/store/store.ts';
import type { LocalMesh } from '../local-mesh.ts';
import { admit, begun, hash, leased, madeUp, RUN, show } from './said.ts';

const own = { id: 'house-1', owner: 'house', engine: 'test' };

/** More runs beside the first one. */
async function beside(mesh: LocalMesh, names: readonly string[], jobClass?: JobClass): Promise<void> {
  const stored = (await storedRun(mesh.store, RUN))!;
  const sheet = { ...stored.sheet, class: jobClass ?? stored.sheet.class };
  for (const id of names) {
    const run = openRun({ id, kernel: hash, payer: 'payer', policy: 'none' }, 0);
    await mesh.coordinator.begin(id, sheet, run, 2n ** 62n);
  }
}

const wordOf = (answer: object | undefined) =>
  answer && 'lease' in answer ? 'leased' : (answer as { refused: string }).refused;

t.test('a node holds two leases for each of its cores, however many it asks for', async (t) => {
  const mesh = await begun(t);
  await beside(mesh, ['a', 'b', 'c']);
  await admit(mesh, 'contributing', 'ann', 1n);
  const words = (await mesh.coordinator.leases('ann', [RUN, 'a', 'b', 'c'])).map(wordOf);
  t.same(words.sort(), ['busy', 'busy', 'leased', 'leased']);
  const held = await mesh.store.find(meshRuns, { where: { holder: 'ann' } });
  t.equal(held.length, 2);
  const again = await mesh.coordinator.leases('ann', [held[0]!.id]);
  t.equal(wordOf(again[0]), 'leased', 'what it has already is told again');
  const { lease } = held[0]!.machine as { lease: { fence: number } };
  await mesh.coordinator.release('ann', { run: held[0]!.id, fence: lease.fence }, false);
  const free = ['a', 'b', 'c', RUN].find((id) => held.every((row) => row.id !== id))!;
  t.equal(wordOf((await mesh.coordinator.leases('ann', [free]))[0]), 'leased', 'one that is free again');
  t.equal(await mesh.store.count(meshRuns, { holder: 'ann', state: 'open' }), 2);
});

t.test('two service nodes that are asked at once give out no more than one would', async (t) => {
  const mesh = await begun(t);
  await beside(mesh, ['a', 'b', 'c']);
  await admit(mesh, 'contributing', 'ann', 1n);
  const other = mesh.service('house-2');
  const answers = await Promise.all([
    mesh.coordinator.leases('ann', [RUN, 'a']),
    other.leases('ann', ['b', 'c']),
  ]);
  t.equal(answers.flat().filter((answer) => 'lease' in answer).length, 2);
});

t.test('the threads of the service take what nobody takes, whatever they hold', async (t) => {
  const mesh = await begun(t);
  await beside(mesh, ['a', 'b']);
  const words = (await mesh.coordinator.leases('house-1', [RUN, 'a', 'b'])).map(wordOf);
  t.same(words, ['leased', 'leased', 'leased']);
});

t.test(
  'runs that nobody takes come to the threads of the service in the order of their classes',
  async (t) => {
    const mesh = await begun(t);
    for (const name of [...jobClasses].reverse()) await beside(mesh, [name], name);
    const came: [string, string][] = [];
    const later = mesh.service('house-2', BigInt(HOUSE_TICKS + 1) * TICK_NS);
    const nothing = () => undefined;
    later.employ({ idle: (run, name) => void came.push([run, name]), check: nothing, lost: nothing });
    await later.tick();
    t.strictSame(
      came.filter(([run]) => run !== RUN),
      jobClasses.map((name) => [name, name]),
    );
  },
);

// ---- what it costs -----------------------------------------------------------------------------------------

/** A store that counts what is asked of it. */
function counting(store: Store): { readonly store: Store; readonly asked: string[] } {
  const asked: string[] = [];
  const handler: ProxyHandler<Store> = {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        asked.push(`${String(name)} ${(args[0] as { name?: string })?.name ?? ''}`);
        return value.apply(target, args);
      };
    },
  };
  return { store: new Proxy(store, handler), asked };
}

t.test('who may be asked is one question to the store in a tick, however many there are', async (t) => {
  const mesh = await begun(t);
  const present = Array.from({ length: 300 }, (_, i) => `n${i}`);
  for (const id of present) await admit(mesh, id === 'n7' ? 'idle' : 'contributing', id);
  await mesh.store.transaction((tx) => tx.update(meshNodes, { id: 'n8' }, { state: 'barred' }));
  let now = TICK_NS;
  const { store, asked } = counting(mesh.store);
  const post = { present: () => Promise.resolve([...present, 'unknown']) };
  const roll = new Roll({ store, post, house: own, now: () => now });
  for (let i = 0; i < 50; i++) t.equal((await roll.candidates()).length, 298);
  t.same(asked, ['find mesh_nodes']);
  now += TICK_NS;
  await roll.candidates();
  t.equal(asked.length, 2, 'and a tick later anew');
});

t.test('a run that somebody works on is not read again until it may be late', async (t) => {
  const mesh = await begun(t);
  await beside(mesh, ['a']);
  await leased(mesh, 'ann');
  const { wake_tick } = (await mesh.store.get(meshRuns, { id: RUN }))!;
  const tick = Number(wake_tick);
  const names = async (at: number) => (await wakingRuns(mesh.store, at)).map(({ machine }) => machine.id);
  t.same(await names(tick - 1), ['a'], 'the one that nobody has is');
  t.same((await names(tick)).sort(), ['a', RUN]);
  await mesh.store.transaction((tx) => tx.update(meshRuns, { id: RUN }, { wake_tick: null }));
  t.same((await names(tick - 1)).sort(), ['a', RUN], 'what an older version wrote is read always');
});

// ---- beacons of two clocks ---------------------------------------------------------------------------------

t.test(
  'what a service node with a clock ahead wrote down is drawn by a later beacon, not checked for that',
  async (t) => {
    const mesh = await begun(t, 'sampled');
    await mesh.store.transaction((tx) =>
      tx.put(meshTrust, { node: 'ann', kernel: hash, matches: 1_000_000n }),
    );
    const ahead = mesh.service('house-2', 60_000_000_000n);
    const fence = await leased(mesh, 'ann');
    const aheadNs = mesh.now() + 59_000_000_000n;
    for (let segment = 0; segment < 4; segment++)
      await show(mesh, 'ann', madeUp(fence, segment, segment, BigInt(segment)), ahead);
    const { machine } = (await storedRun(mesh.store, RUN))!;
    const accepted = (await mesh.store.find(meshSpans)).map(({ drawn_ns }) => drawn_ns!);
    const waiting = machine.spans.map(({ drawnNs }) => BigInt(drawnNs!)); // one of 32 is checked for good
    t.ok(accepted.length + waiting.length > 0);
    for (const drawnNs of [...accepted, ...waiting]) t.ok(drawnNs > aheadNs);
  },
);

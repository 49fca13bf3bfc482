import t, { type Test } from 'tap';
import { Attention } from '../../../mesh/coordinator/attention.ts';
import { storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { openRun } from '../../../mesh/decide/run.ts';
import { TICK_NS } from '../../../src/clock/pulse.ts';
import type { LocalMesh } from '../local-mesh.ts';
import { begun, hash, leased, RUN } from './said.ts';

t.test('a service node hears without a gap as long as it beats, and its transport does', async (t) => {
  let transport = 0;
  const attention = new Attention(10, () => transport);
  t.equal(attention.since(13), 10, 'three ticks are no gap');
  t.equal(attention.since(14), 14, 'four are');
  t.equal(attention.since(12), 10, 'and asking changes nothing');
  for (let tick = 11; tick <= 20; tick++) attention.beat(tick);
  t.equal(attention.since(23), 10);
  attention.beat(40);
  t.equal(attention.since(41), 40, 'it stood still until then');
  transport = 42;
  t.equal(attention.since(43), 42);
  transport = 99;
  t.equal(attention.since(43), 43, 'nothing is heard at all');
});

t.test('after an outage of the service no lease lapses before its node could be heard', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  const later = mesh.service('house-2', 100n * TICK_NS); // comes up a hundred ticks after ann was heard
  await later.tick();
  const { machine } = (await storedRun(mesh.store, RUN))!;
  t.equal(machine.lease?.fence, fence, 'a process that has just begun knows of nobody that it is silent');
  t.same(await later.leases('ann', [RUN]).then(([answer]) => answer && 'lease' in answer), true);
});

/** A clock that the test alone moves on, and by how much one that shows so many ms more is ahead of the mesh's. */
function standing(mesh: LocalMesh) {
  let nowNs = mesh.now();
  return {
    now: () => nowNs,
    skip: (ticks: number) => {
      nowNs += BigInt(Math.round(ticks * Number(TICK_NS)));
    },
    ahead:
      (moreMs = 0) =>
      () =>
        nowNs + BigInt(moreMs) * 1_000_000n - mesh.now(),
  };
}

/** A run with ten ticks to live, and a service node whose clock the test moves on. @returns what passes so many ticks */
async function shortLived(t: Test) {
  const mesh = await begun(t);
  const { sheet } = (await storedRun(mesh.store, RUN))!;
  const { now, skip, ahead } = standing(mesh);
  const run = openRun({ id: 'short', kernel: hash, payer: 'payer', policy: 'none' }, 0);
  const service = mesh.service('house-2', ahead());
  await service.begin('short', sheet, run, now() + 10n * TICK_NS);
  const state = async () => (await storedRun(mesh.store, 'short'))!.machine.state;
  const pass = async (ticks: number) => {
    for (let i = 0; i < ticks; i++) {
      skip(1);
      await service.tick();
    }
    return state();
  };
  return { mesh, now, pass, skip, ahead, state };
}

t.test('a run that is not done when its time is over is given up', async (t) => {
  const { pass } = await shortLived(t);
  t.equal(await pass(8), 'open');
  t.equal(await pass(4), 'cancelled');
});

t.test('behind an outage of the transport a run has all of its time again', async (t) => {
  const { mesh, now, pass } = await shortLived(t);
  t.equal(await pass(5), 'open');
  mesh.heardSinceNs = 2n ** 62n; // nothing is heard
  t.equal(await pass(30), 'open', 'nobody could show anything');
  mesh.heardSinceNs = now();
  t.equal(await pass(8), 'open');
  t.equal(await pass(4), 'cancelled');
});

t.test('and so it has behind a time in which the service was away', async (t) => {
  const { mesh, pass, skip, ahead, state } = await shortLived(t);
  skip(100);
  const later = mesh.service('house-3', ahead());
  await later.tick();
  t.equal(await state(), 'open', 'nor does a service node that has just begun give it up');
  t.equal(await pass(8), 'open');
  t.equal(await pass(4), 'cancelled');
});

t.test('service nodes whose clocks are 4 s apart agree on who lives, and 6 s apart do not', async (t) => {
  for (const apartMs of [4000, 6000]) {
    const mesh = await begun(t);
    const { skip, ahead } = standing(mesh);
    const [behind, before] = [mesh.service('house-2', ahead()), mesh.service('house-3', ahead(apartMs))];
    const fence = await leased(mesh, 'ann');
    let isHeld = true;
    for (let sign = 0; sign < 60 && isHeld; sign++) {
      await behind.alive('ann', [{ run: RUN, fence }]);
      skip(1.3); // a second
      await before.tick();
      isHeld = (await storedRun(mesh.store, RUN))!.machine.lease?.fence === fence;
    }
    t.equal(isHeld, apartMs === 4000, `${apartMs} ms`);
  }
});

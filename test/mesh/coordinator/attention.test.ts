import t from 'tap';
import { Attention } from '../../../mesh/coordinator/attention.ts';
import { storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { TICK_NS } from '../../../src/clock/pulse.ts';
import { begun, leased, RUN } from './said.ts';

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

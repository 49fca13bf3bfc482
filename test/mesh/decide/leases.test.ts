import t from 'tap';
import { HOUSE_TICKS } from '../../../mesh/decide/decide.ts';
import { LEASE_TICKS } from '../../../mesh/decide/leases.ts';
import { rewound } from '../../../mesh/decide/rewind.ts';
import { asked, kinds, node, of, ownThreads, Scene } from './scene.ts';

const [ann, bob, cyd, dan] = [node('A'), node('B'), node('C'), node('D')];

t.test('one node at a time has the lease, and each has a number of its own', async (t) => {
  const scene = new Scene();
  t.equal(scene.lease(ann), 1);
  t.equal(scene.lease(bob), 'leased');
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  t.equal(scene.lease(bob), 2);
});

t.test('a node that did not hear that it has the lease hears it again', async (t) => {
  const scene = new Scene();
  t.equal(scene.lease(ann), 1);
  t.equal(scene.lease(ann), 1);
  scene.commit(ann, 1, scene.truth(0, 0));
  t.equal(scene.lease(ann), 'leased', 'not once it has shown that it knows');
});

t.test('who asks for its lease again lives', async (t) => {
  const scene = new Scene();
  scene.lease(ann);
  scene.wait(LEASE_TICKS - 1);
  t.equal(scene.lease(ann), 1);
  t.same(kinds(scene.wait(LEASE_TICKS - 1)), []);
});

t.test('the nodes of who pays for a run do not run it', async (t) => {
  t.equal(new Scene().lease(node('P', 'payer')), 'own');
});

t.test('a silent lease is taken back, a living one is not', async (t) => {
  const scene = new Scene();
  scene.lease(ann);
  scene.wait(LEASE_TICKS - 1);
  scene.tell({ kind: 'alive', node: 'A', fence: 1 });
  t.same(kinds(scene.wait(LEASE_TICKS - 1)), []);
  t.match(scene.wait(1), [{ kind: 'lost', node: 'A', fence: 1, reason: 'lapsed' }, { kind: 'ring' }]);
  t.equal(scene.run.lease, undefined);
});

t.test('after an outage of the service a node has its whole time again to be heard', async (t) => {
  const scene = new Scene();
  scene.lease(ann);
  scene.tick += 5 * LEASE_TICKS;
  scene.listeningSince = scene.tick;
  t.equal(scene.lease(bob), 'leased', 'nobody could hear it');
  t.same(kinds(scene.wait(LEASE_TICKS - 1)), []);
  scene.tell({ kind: 'alive', node: 'A', fence: 1 });
  t.same(kinds(scene.wait(LEASE_TICKS - 1)), []);
  t.match(scene.wait(1), [{ kind: 'lost', node: 'A', fence: 1, reason: 'lapsed' }, { kind: 'ring' }]);
});

t.test(
  'a node has no more leases than cores, whatever it asks for; the service is not counted',
  async (t) => {
    const scene = new Scene();
    t.equal(scene.lease(ann, 0), 'busy');
    t.equal(scene.run.lease, undefined);
    t.equal(scene.lease(ann, 1), 1);
    t.equal(scene.lease(ann, 0), 1, 'what it has it hears again');
    scene.wait(LEASE_TICKS);
    t.equal(scene.lease(ownThreads, 0), 2);
  },
);

t.test('who asks for a lapsed lease gets it without waiting for a tick', async (t) => {
  const scene = new Scene();
  scene.lease(ann);
  scene.tick += LEASE_TICKS;
  t.equal(scene.lease(bob), 2);
});

t.test('nobody with an earlier fence is listened to', async (t) => {
  const scene = new Scene();
  scene.lease(ann);
  scene.commit(ann, 1, scene.truth(0, 0));
  scene.wait(LEASE_TICKS);
  t.equal(scene.lease(bob), 2);
  const { run } = scene;
  for (const event of [
    { kind: 'alive', node: 'A', fence: 1 },
    { kind: 'release', node: 'A', fence: 1, failed: true },
    { kind: 'alive', node: 'A', fence: 2 },
  ] as const)
    scene.tell(event);
  t.match(scene.commit(ann, 1, scene.truth(0, 1)), [{ kind: 'refused', reason: 'fenced' }]);
  t.match(scene.reveal(ann, 1, scene.truth(0, 0)), [{ kind: 'refused', reason: 'fenced' }]);
  t.equal(scene.run, run, 'to the last byte');
});

t.test('after three leases that came to nothing the service alone is asked', async (t) => {
  const scene = new Scene();
  for (const who of [ann, bob, cyd]) {
    t.type(scene.lease(who), 'number');
    scene.wait(LEASE_TICKS);
    t.equal(scene.lease(who), 'excluded', 'nor is who failed');
  }
  t.equal(scene.lease(dan), 'house-only');
  t.equal(scene.lease(ownThreads), 4);
  scene.claims(ownThreads, 4, scene.truth(0, 0));
  scene.tell({ kind: 'release', node: 'H', fence: 4, failed: false });
  t.equal(scene.lease(ann), 5, 'what was accepted makes them all welcome again');
});

/** Takes the lease and gives it back. */
function bounced(scene: Scene, who: typeof ann, hasCommitted = false): void {
  const fence = scene.lease(who) as number;
  if (hasCommitted) scene.commit(who, fence, scene.truth(0, 0));
  scene.tell({ kind: 'release', node: who.id, fence, failed: false });
}

t.test('taking a lease and giving it back is no way to hold a run up', async (t) => {
  const scene = new Scene();
  bounced(scene, ann);
  bounced(scene, ann);
  t.equal(scene.lease(ann), 'excluded');
  bounced(scene, bob, true);
  t.equal(scene.lease(bob), 'excluded', 'nor what was begun');
});

t.test('a run that was fetched for a thread that went on is nobody’s failure', async (t) => {
  const scene = new Scene('none');
  for (const who of [ann, bob, cyd]) bounced(scene, who);
  t.same(scene.run.failed, []);
  const fence = scene.lease(ann) as number;
  t.equal(fence, 4, 'who gave it back may take it');
  scene.claims(ann, fence, scene.truth(0, 0));
  scene.tell({ kind: 'release', node: 'A', fence, failed: false });
  bounced(scene, ann);
  t.type(scene.lease(ann), 'number', 'what was accepted gives each its one time again');
});

t.test('many nodes that give it back hold a run up no longer than a few', async (t) => {
  const scene = new Scene();
  for (let i = 0; i < 6; i++) bounced(scene, node(`N${i}`, 'one owner'));
  t.equal(scene.lease(node('N6', 'one owner')), 'house-only', 'three for nothing, three that failed');
  t.equal(scene.lease(ownThreads), 7);
});

t.test('the service itself may give a lease back as often as its nodes are stopped', async (t) => {
  const scene = new Scene();
  for (let fence = 1; fence <= 6; fence++) {
    t.equal(scene.lease(ownThreads), fence);
    scene.tell({ kind: 'release', node: 'H', fence, failed: false });
  }
  t.equal(scene.run.state, 'open');
});

t.test('a node that cannot run it is not asked again, however far others come', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: true });
  t.equal(scene.lease(bob), 2);
  scene.claims(bob, 2, scene.truth(0, 0));
  scene.tell({ kind: 'release', node: 'B', fence: 2, failed: false });
  t.equal(scene.lease(ann), 'excluded');
});

t.test('what nobody takes is rung for, and then taken by the service', async (t) => {
  const scene = new Scene();
  t.same(kinds(scene.wait(HOUSE_TICKS - 1)), ['ring', 'ring', 'ring']);
  t.same(kinds(scene.wait(1)), ['ring', 'idle'], 'contributors first');
});

/** What is heard of a run that can be taken since this tick. */
const heard = (scene: Scene) => [kinds(scene.wait(HOUSE_TICKS - 1)), kinds(scene.wait(1))];
const contributorsFirst = [
  ['ring', 'ring', 'ring'],
  ['ring', 'idle'],
];

t.test('what comes to be free is rung for once in that tick, and contributors come first', async (t) => {
  const scene = new Scene();
  scene.lease(ann);
  t.same(kinds(scene.wait(LEASE_TICKS)), ['lost', 'ring']);
  t.same(heard(scene), contributorsFirst);
});

t.test('what waited for a check is offered to contributors first when that is done', async (t) => {
  const scene = new Scene('full');
  scene.candidates = [bob];
  const shown = scene.lease(ann) as number;
  const { fence } = asked(scene.claims(ann, shown, scene.truth(0, 0)));
  scene.tell({ kind: 'release', node: 'A', fence: shown, failed: true });
  t.equal(scene.lease(cyd), 'waiting', 'for the check of what nobody could go on from');
  scene.wait(2 * HOUSE_TICKS);
  scene.checked('B', fence, scene.truth(0, 0));
  t.equal(scene.run.accepted, 0);
  t.same(heard(scene), contributorsFirst);
});

t.test('what was refuted is offered to contributors first', async (t) => {
  const scene = new Scene('full');
  const { fence } = asked(scene.claims(ann, scene.lease(ann) as number, scene.lie(0, 9)));
  scene.wait(2 * HOUSE_TICKS);
  scene.checked('H', fence, scene.truth(0, 9));
  t.same(scene.run.spans, []);
  t.same(heard(scene), contributorsFirst);
});

t.test('what the service itself cannot run ends the run', async (t) => {
  const scene = new Scene();
  t.equal(scene.lease(ownThreads), 1);
  t.match(scene.tell({ kind: 'release', node: 'H', fence: 1, failed: true }), [
    { kind: 'ended', state: 'failed' },
  ]);
});

t.test('what cannot be run on unchecked ground waits for the checks and ends nothing', async (t) => {
  const scene = new Scene();
  scene.candidates = [bob];
  scene.lease(ann);
  scene.claims(ann, 1, scene.lie(0, 0));
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  const fence = scene.lease(ownThreads) as number;
  scene.tell({ kind: 'release', node: 'H', fence, failed: true });
  t.equal(scene.run.state, 'open');
  t.equal(scene.lease(cyd), 'waiting');
});

t.test('a run whose every lease by the service lapses is given up', async (t) => {
  const scene = new Scene();
  for (let i = 0; i < 5; i++) {
    t.equal(scene.run.state, 'open');
    t.type(scene.lease(ownThreads), 'number');
    scene.wait(LEASE_TICKS);
  }
  t.equal(scene.run.state, 'failed');
});

t.test('who holds anything of a cancelled run is told', async (t) => {
  const scene = new Scene();
  scene.candidates = [bob];
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 0));
  const effects = scene.tell({ kind: 'cancel' });
  t.match(of(effects, 'lost'), [
    { node: 'A', fence: 1, reason: 'ended' },
    { node: 'B', from: 0, reason: 'ended' },
  ]);
  t.match(effects.at(-1), { kind: 'ended', state: 'cancelled' });
  t.equal(scene.lease(bob), 'ended');
});

t.test('a run that lost its bytes goes on from what is there, and nobody holds it', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 4));
  scene.run = rewound(scene.run, 2, scene.tick);
  t.match(scene.commit(ann, 1, scene.truth(5, 5)), [{ kind: 'refused', reason: 'fenced' }]);
  t.match(scene.tell({ kind: 'lease', node: bob, free: 1 }), [{ kind: 'leased', fence: 3, from: 3 }]);
});

t.test('a run that lost its bytes is offered to all again, contributors first', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 4));
  scene.wait(LEASE_TICKS);
  t.equal(scene.lease(ann), 'excluded', 'its lease behind segment 4 came to nothing');
  scene.wait(2 * HOUSE_TICKS);
  scene.run = rewound(scene.run, 2, scene.tick);
  t.same(heard(scene), contributorsFirst);
  t.type(scene.lease(ann), 'number');
});

t.test('how heavy segments are is not learnt across lost bytes', async (t) => {
  const work = { planned: 10e9, segment: 4e9, heaviest: 0 };
  const scene = new Scene('none', { accepted: 4, work });
  const fence = scene.lease(ann) as number;
  scene.claims(ann, fence, { ...scene.truth(5, 6), work: String(7e9) });
  scene.run = rewound(scene.run, 4, scene.tick);
  const again = scene.lease(bob) as number;
  scene.claims(bob, again, { ...scene.truth(5, 8), work: String(9e9) });
  t.equal(scene.run.work?.heaviest, 0, 'of segments 5 to 8 nobody knows where they began');
  scene.claims(bob, again, scene.truth(9, 9));
  t.equal(scene.run.state, 'done');
  t.equal(scene.run.work?.heaviest, 1e9);
});

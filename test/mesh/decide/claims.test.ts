import t from 'tap';
import { commitmentOf } from '../../../mesh/decide/claim.ts';
import { decide } from '../../../mesh/decide/decide.ts';
import { LEASE_TICKS } from '../../../mesh/decide/leases.ts';
import { toHex } from '../../../src/proof/bytes.ts';
import { asked, kinds, node, of, ownThreads, Scene, salt } from './scene.ts';

const [ann, bob, cyd] = [node('A'), node('B'), node('C')];

t.test('spans are committed in order, without gaps, each after the one before it was shown', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  t.match(scene.commit(ann, 1, scene.truth(1, 1)), [{ kind: 'refused', reason: 'out-of-order' }]);
  t.match(scene.commit(ann, 1, scene.truth(0, 1)), [{ kind: 'committed', from: 0 }]);
  t.match(scene.commit(ann, 1, scene.truth(2, 2)), [{ kind: 'refused', reason: 'out-of-order' }]);
  scene.reveal(ann, 1, scene.truth(0, 1));
  t.match(scene.commit(ann, 1, scene.truth(2, 2)), [{ kind: 'committed', from: 2 }]);
});

t.test('what comes twice is answered twice and done once', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  const claim = scene.truth(0, 0);
  t.same(scene.commit(ann, 1, claim), scene.commit(ann, 1, claim));
  t.same(kinds(scene.reveal(ann, 1, claim)), ['accepted']);
  t.match(scene.reveal(ann, 1, claim), [{ kind: 'refused', reason: 'settled' }]);
  t.match(scene.commit(ann, 1, claim), [{ kind: 'refused', reason: 'settled' }]);
});

t.test('there is no span of no segments, or of part of one', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 2));
  for (const to of [2, 1, 3.5, Number.NaN]) {
    const claim = { ...scene.truth(3, 3), to };
    t.match(
      scene.commit(ann, 1, claim, 'a'.repeat(64)),
      [{ kind: 'refused', reason: 'out-of-order' }],
      `${to}`,
    );
  }
});

t.test('nobody shows a claim for another, or under another fence', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.commit(ann, 1, scene.truth(0, 0));
  const { run } = scene;
  t.match(scene.reveal(bob, 1, scene.lie(0, 0)), [{ kind: 'refused', node: 'B', reason: 'fenced' }]);
  t.match(scene.reveal(ann, 2, scene.truth(0, 0)), [{ kind: 'refused', node: 'A', reason: 'fenced' }]);
  t.equal(scene.run, run, 'who committed to it has lost nothing by that');
  t.same(kinds(scene.reveal(ann, 1, scene.truth(0, 0))), ['accepted']);
});

t.test(
  'a claim ends where its commitment said, also where it is the one that was committed to',
  async (t) => {
    const scene = new Scene('none');
    scene.lease(ann);
    const claim = scene.truth(0, 5);
    const commitment = toHex(commitmentOf(claim, salt));
    const [node, fence, from] = ['A', 1, 0];
    scene.tell({ kind: 'commit', node, fence, from, to: 3, commitment, atNs: 1n });
    const effects = scene.reveal(ann, 1, claim);
    t.match(of(effects, 'refused'), [{ node: 'A', reason: 'not-committed' }]);
    t.equal(of(effects, 'ring').length, 1, 'and somebody else is called at once');
    t.equal(scene.run.accepted, -1);
  },
);

t.test('a commitment is a sign of life', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.wait(LEASE_TICKS - 1);
  scene.commit(ann, 1, scene.truth(0, 0));
  t.same(kinds(scene.wait(LEASE_TICKS - 1)), []);
});

t.test('a commitment cannot be exchanged', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.commit(ann, 1, scene.truth(0, 0));
  const { run } = scene;
  t.match(scene.commit(ann, 1, scene.lie(0, 0)), [{ kind: 'refused' }]);
  t.match(scene.commit(ann, 1, scene.truth(0, 0), 'F'.repeat(64)), [
    { kind: 'refused', reason: 'not-committed' },
  ]);
  t.equal(scene.run, run);
});

t.test('a node that cannot stand behind its commitment is not asked again', async (t) => {
  const behind: [string, (scene: Scene) => void][] = [
    ['another claim', (scene) => scene.reveal(ann, 1, scene.lie(0, 0))],
    ['another salt', (scene) => scene.reveal(ann, 1, scene.truth(0, 0), new Uint8Array(32))],
    [
      'no salt, as for bytes that are not what the claim says',
      (scene) => scene.reveal(ann, 1, scene.truth(0, 0), new Uint8Array(0)),
    ],
    ['a longer span', (scene) => scene.reveal(ann, 1, scene.truth(0, 1))],
    ['no claim at all', (scene) => scene.reveal(ann, 1, { from: 0 } as never)],
    [
      'digests in another spelling',
      (scene) => {
        const claim = scene.truth(0, 0);
        scene.reveal(ann, 1, { ...claim, digests: claim.digests.map((digest) => digest.toUpperCase()) });
      },
    ],
  ];
  for (const [what, shows] of behind) {
    const scene = new Scene('none');
    scene.lease(ann);
    scene.commit(ann, 1, scene.truth(0, 0));
    shows(scene);
    t.equal(scene.run.accepted, -1, what);
    t.equal(scene.lease(ann), 'excluded', what);
    t.equal(scene.lease(bob), 2, what);
  }
});

t.test('who shows another claim than it committed to has no word for what waits', async (t) => {
  const scene = new Scene('sampled');
  scene.candidates = [bob];
  const fence = scene.lease(ann) as number;
  scene.claims(ann, fence, scene.truth(0, 1));
  scene.matches = 1e6;
  scene.claims(ann, fence, scene.truth(2, 3));
  t.match(scene.run.spans[1], { sound: true, checks: [] }, 'not drawn');
  scene.commit(ann, fence, scene.truth(4, 5));
  const effects = scene.reveal(ann, fence, scene.lie(4, 5));
  t.same(of(effects, 'mismatched'), [{ kind: 'mismatched', node: 'A' }]);
  t.same(scene.run.distrusted, ['A']);
  t.match(asked(effects), { id: 'B', kind: 'second', through: 3 });
  t.match(scene.run.spans[1], { from: 2, sound: false });
});

t.test('a commitment that nothing stands behind goes with its lease', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.commit(ann, 1, scene.truth(0, 0));
  scene.wait(LEASE_TICKS);
  t.same(scene.run.spans, []);
  t.equal(scene.lease(bob), 2);
  t.match(scene.commit(bob, 2, scene.truth(0, 0)), [{ kind: 'committed' }]);
});

t.test('a claim that was shown outlives its lease, and another goes on behind it', async (t) => {
  const scene = new Scene('full');
  scene.candidates = [bob];
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 2));
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  t.match(scene.tell({ kind: 'lease', node: bob, free: 1 }), [{ kind: 'leased', from: 3 }]);
});

t.test('the last segment ends the lease, and accepted it ends the run', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  const effects = scene.claims(ann, 1, scene.truth(0, 9));
  t.same(kinds(effects), ['accepted', 'ended']);
  t.equal(scene.run.state, 'done');
  t.match(scene.reveal(ann, 1, scene.truth(0, 9)), [{ kind: 'refused', reason: 'settled' }]);
  t.match(scene.commit(ann, 1, scene.truth(10, 10)), [{ kind: 'refused', reason: 'ended' }]);
});

t.test('behind its last segment nobody goes on, also while that waits to be checked', async (t) => {
  const scene = new Scene('full');
  scene.candidates = [bob];
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 9));
  t.equal(scene.run.state, 'open');
  t.equal(scene.lease(cyd), 'complete');
  t.equal(scene.lease(ownThreads), 'complete');
});

t.test('who did not hear that the last segment was kept hears it', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 8));
  scene.claims(ann, 1, scene.truth(9, 9));
  t.equal(scene.run.state, 'done');
  t.match(scene.reveal(ann, 1, scene.truth(9, 9)), [{ kind: 'refused', reason: 'settled' }]);
});

t.test('when 64 spans wait for their checks the chain waits too', async (t) => {
  const scene = new Scene('full');
  scene.candidates = [bob];
  const facts = { ...scene.facts, last: 1000 };
  Object.assign(scene.facts, facts);
  scene.lease(ann);
  for (let i = 0; i < 64; i++) scene.claims(ann, 1, scene.truth(i, i));
  t.equal(scene.run.spans.length, 64);
  t.match(scene.commit(ann, 1, scene.truth(64, 64)), [{ kind: 'refused', reason: 'waiting' }]);
  t.ok(scene.run.lease, 'and its node keeps its lease');
});

t.test('the draw: nobody foresees it, and anybody can make it again', async (t) => {
  const drawn = (beacon: number, matches: number) => {
    const scene = new Scene('sampled');
    scene.candidates = [bob];
    scene.matches = matches;
    scene.beacon = new Uint8Array(32).fill(beacon);
    scene.lease(ann);
    const effects = scene.claims(ann, 1, scene.truth(0, 0));
    const [span] = [...scene.run.spans, ...of(effects, 'accepted').map((effect) => effect.span)];
    if (BigInt(span!.drawnNs!) <= BigInt(span!.committedNs)) t.fail('drawn before it was committed');
    return span!.checks.length > 0;
  };
  const rate = (matches: number) =>
    Array.from({ length: 256 }, (_, i) => drawn(i, matches)).filter((each) => each).length / 256;
  t.equal(rate(0), 1, 'every claim of a node that nobody knows');
  // 256 draws at p = 1/2: four standard deviations are 0.125; at 1/32 they are 0.044.
  t.ok(Math.abs(rate(8) - 1 / 2) < 0.125);
  t.ok(Math.abs(rate(1000) - 1 / 32) < 0.044);
});

t.test('where clocks leave the order of commitment and beacon open, the claim is checked', async (t) => {
  const scene = new Scene('sampled');
  scene.candidates = [bob];
  scene.matches = 1e6;
  scene.lease(ann);
  const claim = scene.truth(0, 0);
  scene.commit(ann, 1, claim);
  const [span] = scene.run.spans;
  const drawnNs = scene.world.beaconNs + 1n;
  for (const committedNs of [1n << 62n, drawnNs]) {
    const run = { ...scene.run, spans: [{ ...span!, committedNs: String(committedNs) }] };
    const world = { ...scene.world, beaconNs: drawnNs };
    const event = { kind: 'reveal', node: 'A', fence: 1, claim, salt } as const;
    t.same(kinds(decide(run, event, world).effects), ['ask'], `of ${committedNs}, drawn at ${drawnNs}`);
  }
});

t.test('who was only slow at a check is drawn as anybody else, who has no word always', async (t) => {
  const shown = (change: Partial<Scene['run']>) => {
    const scene = new Scene('sampled');
    scene.candidates = [bob];
    scene.matches = 1e6;
    scene.beacon = new Uint8Array(32).fill(2); // spares this claim where nothing else speaks for a check
    scene.lease(ann);
    scene.run = { ...scene.run, excluded: ['A'], ...change };
    return kinds(scene.claims(ann, 1, scene.truth(0, 0)));
  };
  t.same(shown({}), ['accepted']);
  t.same(shown({ distrusted: ['A'] }), ['ask']);
});

t.test('a claim of more work than the run was planned with is checked, whoever makes it', async (t) => {
  const shown = (planned: number) => {
    const scene = new Scene('sampled');
    scene.run = { ...scene.run, work: { ...scene.run.work!, planned } };
    scene.candidates = [bob];
    scene.matches = 1e6;
    scene.beacon = new Uint8Array(32).fill(2); // spares this claim where nothing else speaks for a check
    scene.lease(ann);
    return kinds(scene.claims(ann, 1, scene.truth(0, 0)));
  };
  const work = Number(new Scene().truth(0, 0).work);
  t.same(shown(work), ['accepted']);
  t.same(shown(work - 1), ['ask']);
});

t.test('the service does not check itself', async (t) => {
  const scene = new Scene('full');
  scene.candidates = [bob];
  scene.lease(ownThreads);
  t.same(kinds(scene.claims(ownThreads, 1, scene.truth(0, 0))), ['accepted']);
});

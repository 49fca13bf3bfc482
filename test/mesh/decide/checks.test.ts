import t from 'tap';
import { CHECK_TICKS } from '../../../mesh/decide/checks.ts';
import type { Claim } from '../../../mesh/decide/claim.ts';
import { isDoubtful } from '../../../mesh/decide/doubt.ts';
import type { Effect } from '../../../mesh/decide/effects.ts';
import type { NodeFacts } from '../../../mesh/decide/run.ts';
import { asked, kinds, node, of, ownThreads, Scene } from './scene.ts';

const [ann, bob, cyd, dan] = [node('A'), node('B'), node('C'), node('D')];

/** Ann has claimed segments 0 … 3, and somebody is asked to run them again. */
function claimed(candidates: readonly NodeFacts[], claim: (scene: Scene) => Claim) {
  const scene = new Scene('full');
  scene.candidates = candidates;
  scene.lease(ann);
  return { scene, second: asked(scene.claims(ann, 1, claim(scene))) };
}

/** … and the second execution says this; a third and the service's own follow. */
function disputed(says: { readonly ann: (scene: Scene) => Claim; readonly bob: (scene: Scene) => Claim }) {
  const { scene } = claimed([bob], says.ann);
  scene.candidates = [cyd];
  const third = asked(scene.checked('B', scene.run.fence, says.bob(scene)));
  return { scene, third };
}

function concluded(scene: Scene, third: { fence: number; through: number }, word: Claim): readonly Effect[] {
  const confirm = asked(scene.checked('C', third.fence, word));
  t.match(confirm, { kind: 'confirm', id: 'H', through: third.through });
  return scene.checked('H', confirm.fence, scene.truth(0, third.through));
}

t.test('a second execution that says the same makes the claim sound, and both are paid', async (t) => {
  const { scene, second } = claimed([bob], (scene) => scene.truth(0, 3));
  t.match(second, { id: 'B', kind: 'second', through: 3 });
  t.same(kinds(scene.checked('B', second.fence, scene.truth(0, 3))), ['worked', 'matched', 'accepted']);
  t.equal(scene.run.accepted, 3);
});

t.test('a check never runs on a node or an owner of a side, nor on one of the payer', async (t) => {
  const barred = [ann, node('A2', ann.owner), node('P', 'payer')];
  t.match(claimed(barred, (scene) => scene.truth(0, 3)).second, { id: 'H', kind: 'second' });
  const { scene, second } = claimed([bob], (scene) => scene.truth(0, 3));
  scene.candidates = [...barred, bob, node('B2', bob.owner)];
  const third = asked(scene.checked('B', second.fence, scene.lie(0, 3)));
  t.match(third, { id: 'H', kind: 'third' }, 'a third execution never runs on either side');
});

t.test('another engine is asked more often than its share', async (t) => {
  const other = node('Z', 'owner of Z', 'wasmtime arm64');
  let first = 0;
  for (let i = 0; i < 64; i++) {
    const scene = new Scene('full');
    scene.beacon = new Uint8Array(32).fill(i);
    scene.candidates = [bob, cyd, dan, other];
    scene.lease(ann);
    if (asked(scene.claims(ann, 1, scene.truth(0, 0))).id === 'Z') first++;
  }
  // 64 draws at (1 + 1/4)/2 = 0.625: 40, σ = 3.9; its share alone would be 16.
  t.ok(first > 25 && first < 55, `${first} of 64`);
});

t.test('the third execution ends at the first segment on which two differ', async (t) => {
  const { third } = disputed({ ann: (scene) => scene.lie(0, 3, 2), bob: (scene) => scene.truth(0, 3) });
  t.match(third, { id: 'C', kind: 'third', through: 2 });
});

t.test('a contributor that a third and the service contradict is slashed (CONTRIB-06)', async (t) => {
  const { scene, third } = disputed({
    ann: (scene) => scene.lie(0, 3, 2),
    bob: (scene) => scene.truth(0, 3),
  });
  const effects = concluded(scene, third, scene.truth(0, 2));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'contributor_wrong', segment: 2, faulty: ['A'] } }]);
  t.match(of(effects, 'mismatched'), [{ node: 'A' }]);
  t.same(
    of(effects, 'worked').map(({ check }) => check.id),
    ['C', 'H', 'B'],
    'who was right is paid',
  );
  t.equal(scene.run.accepted, -1);
  t.equal(scene.lease(ann), 'excluded');
});

t.test('a challenger that a third and the service contradict is slashed instead', async (t) => {
  const { scene, third } = disputed({ ann: (scene) => scene.truth(0, 3), bob: (scene) => scene.lie(0, 3) });
  const effects = concluded(scene, third, scene.truth(0, 3));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'challenger_wrong', faulty: ['B'] } }]);
  t.notOk(
    of(effects, 'worked').some(({ check }) => check.id === 'B'),
    'whose slander is paid for by nobody',
  );
  t.same(of(effects, 'accepted').length, 1);
  t.same(of(effects, 'matched'), [{ kind: 'matched', node: 'A' }], 'a slandered claim was found right too');
});

t.test('where nobody says what the third and the service say nobody is slashed (CONTRIB-07)', async (t) => {
  const { scene, third } = disputed({
    ann: (scene) => scene.lie(0, 3, 3, 'one'),
    bob: (scene) => scene.lie(0, 3, 3, 'other'),
  });
  const effects = concluded(scene, third, scene.truth(0, 3));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'not_reproducible', faulty: [] } }]);
  t.same(scene.run.excluded, ['A', 'B']);
  t.equal(scene.run.accepted, -1);
});

t.test('who goes on behind the end of a run is found wrong, and those who saw the end are not', async (t) => {
  const beyond = (scene: Scene): Claim => {
    const { final: _, ...whole } = scene.truth(0, 9);
    return { ...whole, to: 11, digests: [...whole.digests, 'ab'.repeat(32), 'cd'.repeat(32)] };
  };
  const { scene, third } = disputed({ ann: beyond, bob: (scene) => scene.truth(0, 9) });
  t.equal(third.through, 10, 'where the run had ended before');
  const confirm = asked(scene.checked('C', third.fence, scene.truth(0, 9)));
  const effects = scene.checked('H', confirm.fence, scene.truth(0, 9));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'contributor_wrong', faulty: ['A'] } }]);
  t.same(scene.run.excluded, ['A']);
});

t.test('a claim of other work, result or rows differs in its last segment', async (t) => {
  for (const change of [{ work: '1' }, { steps: 1 }, { rowsRoot: 'ab'.repeat(32) }] as Partial<Claim>[]) {
    const { third } = disputed({
      ann: (scene) => ({ ...scene.truth(0, 3), ...change }),
      bob: (scene) => scene.truth(0, 3),
    });
    t.match(third, { kind: 'third', through: 3 });
  }
});

t.test('a third that the service contradicts slashes nobody, and another is asked', async (t) => {
  const { scene, third } = disputed({ ann: (scene) => scene.truth(0, 3), bob: (scene) => scene.lie(0, 3) });
  scene.candidates = [cyd, dan];
  const effects = concluded(scene, third, scene.lie(0, 3));
  t.same(of(effects, 'verdict'), []);
  t.match(of(effects, 'mismatched'), [{ node: 'C' }]);
  t.match(asked(effects), { id: 'D', kind: 'third' });
  const after = scene.checked('D', asked(effects).fence, scene.truth(0, 3));
  t.match(of(after, 'verdict'), [{ verdict: { outcome: 'challenger_wrong', faulty: ['B'] } }]);
});

t.test('a third cannot overrule the service that was the second', async (t) => {
  const { scene, second } = claimed([], (scene) => scene.lie(0, 3));
  t.equal(second.id, 'H');
  scene.candidates = [cyd];
  const third = asked(scene.checked('H', second.fence, scene.truth(0, 3)));
  const effects = scene.checked('C', third.fence, scene.lie(0, 3));
  t.same(of(effects, 'accepted'), []);
  t.same(of(effects, 'verdict'), [], 'two parties are no verdict');
  t.equal(scene.run.accepted, -1);
  t.same(scene.run.excluded, ['A', 'C'], 'but the span is run again, by somebody else');
});

t.test('where nobody else is left the service is the third, and needs nobody to confirm it', async (t) => {
  const { scene, second } = claimed([bob], (scene) => scene.lie(0, 3));
  const third = asked(scene.checked('B', second.fence, scene.truth(0, 3)));
  t.match(third, { id: 'H', kind: 'third' });
  const effects = scene.checked('H', third.fence, scene.truth(0, 3));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'contributor_wrong', faulty: ['A'] } }]);
});

t.test('behind a refuted challenge the rest of the span is checked again', async (t) => {
  const { scene, third } = disputed({
    ann: (scene) => scene.lie(0, 3, 3, 'one'),
    bob: (scene) => scene.lie(0, 3, 1, 'other'),
  });
  t.equal(third.through, 1);
  const effects = concluded(scene, third, scene.truth(0, 1));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'challenger_wrong', faulty: ['B'] } }]);
  t.same(of(effects, 'accepted'), [], 'two liars do not hide each other');
  t.match(asked(effects), { id: 'C', kind: 'second', through: 3 });
});

t.test('what was said of an earlier segment judges nothing that is checked anew', async (t) => {
  const { scene, third } = disputed({
    ann: (scene) => scene.lie(0, 3, 3, 'one'),
    bob: (scene) => scene.lie(0, 3, 1, 'other'),
  });
  const anew = asked(concluded(scene, third, scene.truth(0, 1)));
  t.same(scene.run.spans[0]!.checks, [anew], 'nothing of the first dispute is left');
  scene.candidates = [dan];
  const again = asked(scene.checked('C', anew.fence, scene.truth(0, 3)));
  t.match(again, { id: 'D', kind: 'third', through: 3 });
  const confirm = asked(scene.checked('D', again.fence, scene.truth(0, 3)));
  t.match(confirm, { id: 'H', kind: 'confirm', through: 3 }, 'and the service runs the last segment too');
  const effects = scene.checked('H', confirm.fence, scene.truth(0, 3));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'contributor_wrong', faulty: ['A'] } }]);
  t.same(
    of(effects, 'mismatched').map(({ node }) => node),
    ['A'],
    'honest thirds keep their word',
  );
});

t.test('a span behind a refuted one is dropped, with its checks and its lease', async (t) => {
  const { scene, second } = claimed([bob], (scene) => scene.lie(0, 3));
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  scene.candidates = [dan];
  const fence = scene.lease(cyd) as number;
  scene.claims(cyd, fence, scene.truth(4, 5));
  const third = asked(scene.checked('B', second.fence, scene.truth(0, 3)));
  const confirm = asked(scene.checked('D', third.fence, scene.truth(0, 3)));
  const effects = scene.checked('H', confirm.fence, scene.truth(0, 3));
  t.match(of(effects, 'lost'), [
    { node: 'C', fence, reason: 'fenced' },
    { node: 'D', from: 4, reason: 'fenced' },
  ]);
  t.same(scene.run.spans, []);
  t.notOk(scene.run.excluded.includes('C'), 'whoever stood on sand did nothing wrong');
});

t.test('what waits unchecked of a node that is found out is checked, and what it still shows', async (t) => {
  const scene = new Scene('sampled');
  scene.candidates = [bob];
  const fence = scene.lease(ann) as number;
  scene.claims(ann, fence, scene.truth(0, 1));
  scene.matches = 1e6;
  scene.claims(ann, fence, scene.truth(2, 3));
  t.match(scene.run.spans[1], { sound: true, checks: [] }, 'not drawn');
  scene.matches = 0;
  const second = asked(scene.claims(ann, fence, scene.lie(4, 5)));
  scene.candidates = [cyd];
  const third = asked(scene.checked('B', second.fence, scene.truth(4, 5)));
  const confirm = asked(scene.checked('C', third.fence, scene.truth(4, 5)));
  const effects = scene.checked('H', confirm.fence, scene.truth(4, 5));
  t.match(of(effects, 'verdict'), [{ verdict: { faulty: ['A'] } }]);
  t.match(asked(effects), { id: 'C', kind: 'second', through: 3 });
  t.match(scene.run.spans[1], { from: 2, sound: false });
  t.equal(scene.run.spans.length, 2);
});

/** Ann's claims wait: 0 … 1 is checked, 2 … 3 was not drawn, 4 … 5 was confirmed by Dan. */
function waiting(lies: { anns: (scene: Scene) => Claim; bobs: (scene: Scene) => Claim }) {
  const scene = new Scene('sampled');
  scene.candidates = [bob];
  const fence = scene.lease(ann) as number;
  const second = asked(scene.claims(ann, fence, lies.anns(scene)));
  scene.matches = 1e6;
  scene.claims(ann, fence, scene.truth(2, 3));
  scene.matches = 0;
  scene.candidates = [dan];
  const dans = asked(scene.claims(ann, fence, scene.truth(4, 5)));
  scene.checked('D', dans.fence, scene.truth(4, 5));
  scene.candidates = [cyd];
  return { scene, third: asked(scene.checked('B', second.fence, lies.bobs(scene))) };
}

t.test('who came out as nobody else has no word in the run, though nobody is to blame', async (t) => {
  const scene = new Scene('sampled');
  scene.candidates = [bob];
  const fence = scene.lease(ann) as number;
  scene.matches = 1e6;
  scene.claims(ann, fence, scene.truth(0, 1));
  t.equal(scene.run.accepted, 1, 'not drawn');
  scene.matches = 0;
  const second = asked(scene.claims(ann, fence, scene.lie(2, 3, 3, 'one')));
  scene.candidates = [cyd];
  const third = asked(scene.checked('B', second.fence, scene.lie(2, 3, 3, 'other')));
  const confirm = asked(scene.checked('C', third.fence, scene.truth(2, 3)));
  t.match(of(scene.checked('H', confirm.fence, scene.truth(2, 3)), 'verdict'), [
    { verdict: { outcome: 'not_reproducible', faulty: [] } },
  ]);
  const { distrusted = [] } = scene.run;
  t.same(distrusted, ['A', 'B']);
  for (const [span, isInDoubt] of [
    [{ node: 'A', witness: null }, true],
    [{ node: 'A', witness: 'C' }, false],
    [{ node: 'C', witness: 'B' }, true],
    [{ node: 'C', witness: null }, false],
  ] as const)
    t.equal(isDoubtful(span, distrusted), isInDoubt, JSON.stringify(span));
});

t.test('a third that the service contradicts has no word for what waits', async (t) => {
  const { scene, third } = waiting({
    anns: (scene) => scene.truth(0, 1),
    bobs: (scene) => scene.lie(0, 1),
  });
  scene.candidates = [dan];
  const confirm = asked(scene.checked('C', third.fence, scene.lie(0, 1, 0, 'third')));
  const again = of(scene.checked('H', confirm.fence, scene.truth(0, 1)), 'ask');
  t.match(again, [{ check: { id: 'D', kind: 'third' } }], 'what Cyd had no part in is not asked again');
  t.same(scene.run.distrusted, ['C']);
  scene.candidates = [node('E')];
  const effects = scene.checked('D', again[0]!.check.fence, scene.lie(0, 1, 0, 'fourth'));
  t.match(
    of(effects, 'ask').map(({ span, check }) => [span.from, check.kind]),
    [
      [0, 'third'],
      [4, 'second'],
    ],
    'what Dan alone had confirmed is',
  );
});

t.test('what hangs on the word of a slanderer alone is checked again', async (t) => {
  const { scene, second } = claimed([bob], (scene) => scene.truth(0, 1));
  const behind = asked(scene.claims(ann, 1, scene.truth(2, 3)));
  scene.checked('B', behind.fence, scene.truth(2, 3));
  t.match(scene.run.spans[1], { from: 2, sound: true }, 'by the word of Bob alone');
  scene.candidates = [cyd];
  const third = asked(scene.checked('B', second.fence, scene.lie(0, 1)));
  const effects = concluded(scene, third, scene.truth(0, 1));
  t.match(of(effects, 'verdict'), [{ verdict: { outcome: 'challenger_wrong', faulty: ['B'] } }]);
  t.match(asked(effects), { id: 'C', kind: 'second', through: 3 });
  t.equal(scene.run.accepted, 1);
  t.match(scene.run.spans, [{ from: 2, sound: false }]);
});

t.test('who answers a check with what is no answer has no word for what waits', async (t) => {
  for (const nonsense of [
    (scene: Scene): Claim => ({ ...scene.truth(0, 1), digests: [] }),
    (scene: Scene): Claim => scene.truth(0, 0),
    (scene: Scene): Claim => ({ ...scene.truth(0, 9), from: 0 }),
  ]) {
    const { scene, second } = claimed([bob], (scene) => scene.truth(0, 1));
    for (const from of [2, 4]) {
      const behind = asked(scene.claims(ann, 1, scene.truth(from, from + 1)));
      scene.checked('B', behind.fence, scene.truth(from, from + 1));
      t.match(scene.run.spans.at(-1), { from, sound: true }, 'by the word of Bob alone');
    }
    scene.candidates = [cyd];
    const effects = scene.checked('B', second.fence, nonsense(scene));
    t.match(of(effects, 'refused'), [{ node: 'B', reason: 'not-committed' }]);
    t.same(of(effects, 'mismatched'), [{ kind: 'mismatched', node: 'B' }]);
    t.same(of(effects, 'verdict'), [], 'no bond is touched');
    t.same(scene.run.distrusted, ['B']);
    t.match(
      of(effects, 'ask').map(({ node, span }) => [node, span.from]),
      [
        ['C', 0],
        ['C', 2],
        ['C', 4],
      ],
      'all that Bob alone had confirmed is checked again',
    );
  }
});

t.test('whom the service contradicts has no word in the run, though nobody can judge', async (t) => {
  const scene = new Scene('sampled');
  const fence = scene.lease(ann) as number;
  scene.claims(ann, fence, scene.truth(0, 1));
  scene.matches = 1e6;
  scene.claims(ann, fence, scene.truth(2, 3));
  t.match(scene.run.spans[1], { sound: true, checks: [] }, 'not drawn');
  scene.matches = 0;
  const second = asked(scene.claims(ann, fence, scene.lie(4, 5)));
  t.match(second, { id: 'H', kind: 'second' }, 'nobody else is there');
  const effects = scene.checked('H', second.fence, scene.truth(4, 5));
  t.same(of(effects, 'verdict'), [], 'no bond is touched');
  t.same(of(effects, 'mismatched'), [{ kind: 'mismatched', node: 'A' }]);
  t.same(scene.run.distrusted, ['A']);
  t.match(asked(effects), { id: 'H', kind: 'second', through: 3 }, 'what waits of it is run again');
  t.match(scene.run.spans[1], { from: 2, sound: false });
  t.equal(scene.run.spans.length, 2, 'and what the service found otherwise is dropped');
});

t.test('whom the service contradicts has no word before the dispute is over', async (t) => {
  const { scene, third } = disputed({
    ann: (scene) => scene.lie(0, 3, 3, 'one'),
    bob: (scene) => scene.lie(0, 3, 3, 'other'),
  });
  scene.candidates = [dan];
  const effects = concluded(scene, third, scene.lie(0, 3, 3, 'third'));
  t.same(of(effects, 'verdict'), []);
  t.same(
    of(effects, 'mismatched')
      .map(({ node }) => node)
      .sort(),
    ['A', 'C'],
  );
  t.same([...scene.run.distrusted!].sort(), ['A', 'C']);
  t.match(asked(effects), { id: 'D', kind: 'third' });
});

t.test('who has no word any more is not heard of a check that it was given before', async (t) => {
  const { scene, second } = claimed([bob, cyd], (scene) => scene.truth(0, 3));
  scene.run = { ...scene.run, excluded: [second.id], distrusted: [second.id] };
  const effects = scene.checked(second.id, second.fence, scene.truth(0, 3));
  t.match(of(effects, 'lost'), [{ node: second.id, from: 0, reason: 'fenced' }]);
  t.same(kinds(effects), ['lost', 'ask']);
  t.not(asked(effects).id, second.id);
  t.match(scene.run.spans[0], { sound: false });
});

t.test('sound spans wait for those before them, and are accepted in order', async (t) => {
  const { scene, second } = claimed([bob], (scene) => scene.truth(0, 3));
  const behind = asked(scene.claims(ann, 1, scene.truth(4, 5)));
  t.same(kinds(scene.checked('B', behind.fence, scene.truth(4, 5))), ['worked', 'matched']);
  const effects = scene.checked('B', second.fence, scene.truth(0, 3));
  t.same(
    of(effects, 'accepted').map(({ span }) => span.from),
    [0, 4],
  );
});

t.test('in place of a silent node another is asked, and the silent one is not listened to', async (t) => {
  const { scene, second } = claimed([bob, cyd], (scene) => scene.truth(0, 3));
  const effects = scene.wait(CHECK_TICKS);
  t.match(
    of(effects, 'lost').filter(({ from }) => from !== undefined),
    [{ node: second.id, from: 0, reason: 'lapsed' }],
  );
  t.not(asked(effects).id, second.id);
  t.match(scene.checked(second.id, second.fence, scene.truth(0, 3)), [{ kind: 'refused', reason: 'fenced' }]);
});

t.test('after an outage of the service whoever checks has its whole time again to be heard', async (t) => {
  const { scene, second } = claimed([bob, cyd], (scene) => scene.truth(0, 3));
  scene.tick += 10 * CHECK_TICKS;
  scene.listeningSince = scene.tick;
  t.same(of(scene.wait(CHECK_TICKS - 1), 'ask'), []);
  scene.tell({ kind: 'alive', node: second.id, fence: second.fence, from: 0 });
  t.same(of(scene.wait(CHECK_TICKS - 1), 'ask'), []);
  t.equal(of(scene.wait(1), 'ask').length, 1);
});

t.test('after five silent nodes the service runs the check itself', async (t) => {
  const many = Array.from({ length: 20 }, (_, i) => node(`N${i}`));
  const { scene } = claimed(many, (scene) => scene.truth(0, 3));
  const effects = scene.wait(5 * CHECK_TICKS);
  t.equal(of(effects, 'ask').length, 5);
  t.equal(asked(effects).id, 'H');
});

t.test('a service that is busy, or dies, loses no claim for anybody: it is asked again', async (t) => {
  for (const refuses of [true, false]) {
    const { scene } = claimed([], (scene) => scene.truth(0, 3));
    for (let round = 0; round < 20; round++) {
      const { id, fence } = scene.run.spans[0]!.checks[0]!;
      t.equal(id, 'H');
      if (refuses) {
        const effects = scene.tell({ kind: 'release', node: 'H', fence, from: 0, failed: false });
        t.same(effects, [], 'not at once: it is as busy then');
      }
      t.equal(of(scene.wait(CHECK_TICKS), 'ask').length, 1);
    }
    t.same(scene.run.excluded, []);
    const [check] = scene.run.spans[0]!.checks;
    t.same(kinds(scene.checked('H', check!.fence, scene.truth(0, 3))), ['worked', 'matched', 'accepted']);
  }
});

t.test('when the service was asked in vain too, whoever is there again is asked', async (t) => {
  const { scene, second } = claimed([bob], (scene) => scene.truth(0, 3));
  t.equal(second.id, 'B');
  t.equal(asked(scene.wait(CHECK_TICKS)).id, 'H');
  const again = asked(scene.wait(CHECK_TICKS));
  t.equal(again.id, 'B');
  t.match(scene.checked('B', second.fence, scene.truth(0, 3)), [{ kind: 'refused', reason: 'fenced' }]);
  scene.checked('B', again.fence, scene.truth(0, 3));
  t.equal(scene.run.accepted, 3);
});

t.test('what the service cannot run five times nobody can: the claim is dropped', async (t) => {
  const { scene } = claimed([], (scene) => scene.truth(0, 3));
  for (let i = 0; i < 5; i++) {
    t.equal(scene.run.spans.length, 1);
    const { fence } = scene.run.spans[0]!.checks[0]!;
    scene.tell({ kind: 'release', node: 'H', fence, from: 0, failed: true });
  }
  t.same(scene.run.spans, []);
  t.same(scene.run.excluded, ['A']);
});

t.test('an answer that is none is not waited for', async (t) => {
  const { scene, second } = claimed([bob, cyd], (scene) => scene.truth(0, 3));
  const effects = scene.checked(second.id, second.fence, scene.truth(0, 2));
  t.same(kinds(effects), ['refused', 'mismatched', 'ask']);
  t.ok(scene.run.excluded.includes(second.id));
});

t.test('a node that gives a check back is replaced at once', async (t) => {
  const { scene, second } = claimed([bob, cyd], (scene) => scene.truth(0, 3));
  const { id, fence } = second;
  const effects = scene.tell({ kind: 'release', node: id, fence, from: 0, failed: true });
  t.not(asked(effects).id, id);
});

t.test('the service confirms, and nobody else can in its name', async (t) => {
  const { scene, third } = disputed({ ann: (scene) => scene.lie(0, 3), bob: (scene) => scene.truth(0, 3) });
  const confirm = asked(scene.checked('C', third.fence, scene.truth(0, 3)));
  t.match(scene.checked('A', confirm.fence, scene.lie(0, 3)), [{ kind: 'refused', reason: 'fenced' }]);
  t.equal(confirm.id, ownThreads.id);
});

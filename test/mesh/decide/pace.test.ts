import t from 'tap';
import { CHECK_TICKS } from '../../../mesh/decide/checks.ts';
import { firstAsked, HOUSE_PATIENCE_TICKS, PATIENCE_TICKS, SLOWEST } from '../../../mesh/decide/pace.ts';
import type { MeshRun, NodeFacts } from '../../../mesh/decide/run.ts';
import { TICK_NS } from '../../../src/clock/pulse.ts';
import { asked, node, of, ownThreads, Scene } from './scene.ts';

const [ann, bob] = [node('A'), node('B')];
const ticksOf = (seconds: number) => (seconds * 1e9) / Number(TICK_NS);

/** Segments of a second on the reference core. */
function sceneOf(segments: number, policy: MeshRun['policy'] = 'none', segment = 1e9): Scene {
  const work = { planned: segments * 1e9, segment, heaviest: 0, accepted: 0 };
  const scene = new Scene(policy, { work });
  Object.assign(scene.facts, { last: segments - 1 });
  return scene;
}

/** Lets ticks pass in which a node says that it lives. */
function living(scene: Scene, ticks: number, { id }: NodeFacts, fence: number, from?: number) {
  const effects = [];
  for (let i = 0; i < ticks; i++) {
    if (from === undefined && !scene.run.lease) break;
    effects.push(...scene.wait(1));
    scene.tell({ kind: 'alive', node: id, fence, ...(from !== undefined && { from }) });
  }
  return effects;
}

/** How far a node gets that shows a segment each `seconds`, and for how long it holds the run. */
function shows(scene: Scene, seconds: number, most: number) {
  scene.lease(ann);
  const begin = scene.tick;
  let isDue = ticksOf(seconds);
  for (let segment = 0; segment < most; segment++) {
    living(scene, Math.round(begin + isDue - scene.tick), ann, 1);
    if (!scene.run.lease) return { segments: segment, ticks: scene.tick - begin };
    scene.claims(ann, 1, scene.truth(segment, segment));
    isDue += ticksOf(seconds);
  }
  return { segments: most, ticks: scene.tick - begin };
}

t.test('a node alive without getting anywhere is not waited for, nor asked again', async (t) => {
  const scene = sceneOf(10);
  scene.lease(ann);
  const most = PATIENCE_TICKS + ticksOf(SLOWEST);
  living(scene, Math.floor(most), ann, 1);
  t.ok(scene.run.lease, 'a minute, and a segment on the slowest node');
  t.match(scene.wait(1), [{ kind: 'lost', node: 'A', reason: 'lapsed' }, { kind: 'ring' }]);
  t.same(scene.run.excluded, ['A']);
  t.equal(scene.lease(ann), 'excluded');
});

t.test('a node of a twentieth of the reference core keeps its lease to the end', async (t) => {
  t.equal(shows(sceneOf(200), 20, 199).segments, 199);
  t.equal(shows(sceneOf(200), 38, 199).segments, 199, 'also when half of its time goes to checks');
});

t.test(
  'a node of a sixtieth of it is found out, and so is one that shows a segment now and then',
  async (t) => {
    for (const seconds of [60, 80, 100]) {
      const { segments, ticks } = shows(sceneOf(200), seconds, 199);
      t.ok(segments > 0 && segments < 4, `${segments} segments`);
      t.ok(ticks <= PATIENCE_TICKS + (segments + 1) * ticksOf(SLOWEST) + 1, `after ${ticks} ticks`);
    }
  },
);

t.test('what a fast node did does not buy it time to stand still', async (t) => {
  const scene = sceneOf(200);
  scene.lease(ann);
  for (let i = 0; i < 100; i++) {
    living(scene, 1, ann, 1);
    scene.claims(ann, 1, scene.truth(i, i));
  }
  living(scene, Math.ceil(PATIENCE_TICKS + ticksOf(SLOWEST)), ann, 1);
  t.equal(scene.run.lease, undefined);
});

t.test('how heavy segments are is learnt from what was accepted', async (t) => {
  const scene = sceneOf(200, 'none', 60e9);
  scene.lease(ann);
  living(scene, Math.floor(PATIENCE_TICKS + ticksOf(60 * SLOWEST)), ann, 1);
  t.ok(scene.run.lease, 'as planned, before anything was accepted');
  scene.claims(ann, 1, scene.truth(0, 0));
  t.equal(scene.run.work?.heaviest, 1e9);
  scene.claims(ann, 1, scene.truth(1, 1));
  living(scene, Math.ceil(PATIENCE_TICKS + ticksOf(SLOWEST)), ann, 1);
  t.equal(scene.run.lease, undefined);
});

t.test('a lease that was given by the plan ends by what was learnt of it', async (t) => {
  const scene = sceneOf(200, 'none', 60e9);
  scene.lease(ann);
  scene.claims(ann, 1, scene.truth(0, 0));
  living(scene, Math.floor(PATIENCE_TICKS + ticksOf(SLOWEST)), ann, 1);
  t.ok(scene.run.lease);
  scene.wait(1);
  t.equal(scene.run.lease, undefined);
});

t.test('the heaviest segment so far is what is waited for', async (t) => {
  const scene = sceneOf(10);
  scene.lease(ann);
  scene.claims(ann, 1, { ...scene.truth(0, 0), work: String(3e9) });
  scene.claims(ann, 1, { ...scene.truth(1, 1), work: String(4e9) });
  t.equal(scene.run.work?.heaviest, 3e9);
});

t.test('nobody buys more time than the whole run may take, whatever work is claimed', async (t) => {
  const scene = sceneOf(10);
  scene.lease(ann);
  scene.claims(ann, 1, { ...scene.truth(0, 0), work: '9'.repeat(17) });
  t.equal(scene.run.accepted, 0, 'where nobody checked it');
  const fence = scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false }) && scene.lease(bob);
  living(scene, Math.ceil(PATIENCE_TICKS + ticksOf(10 * SLOWEST)), bob, fence as number);
  t.equal(scene.run.lease, undefined);
});

t.test('what was due while the service heard nobody is due when the purse is empty once more', async (t) => {
  const scene = sceneOf(10);
  scene.lease(ann);
  living(scene, 100, ann, 1);
  scene.tick += 60;
  scene.listeningSince = scene.tick;
  scene.tell({ kind: 'alive', node: 'A', fence: 1 });
  living(scene, Math.floor(PATIENCE_TICKS + ticksOf(SLOWEST)), ann, 1);
  t.ok(scene.run.lease);
  scene.wait(1);
  t.equal(scene.run.lease, undefined);
});

t.test('while 64 spans wait their node waits with them, and begins anew behind them', async (t) => {
  const scene = sceneOf(200, 'full');
  scene.lease(ann);
  for (let i = 0; i < 64; i++) scene.claims(ann, 1, scene.truth(i, i));
  const { checks } = scene.run.spans[0]!;
  for (let i = 0; i < 20; i++) {
    living(scene, 10, ann, 1);
    for (const { from, checks: of } of scene.run.spans)
      scene.tell({ kind: 'alive', node: 'H', fence: of[0]!.fence, from });
  }
  t.ok(scene.run.lease, 'for longer than its purse');
  scene.checked(checks[0]!.id, checks[0]!.fence, scene.truth(0, 0));
  t.equal(scene.run.spans.length, 63);
  scene.wait(1);
  t.ok(scene.run.lease);
});

t.test("the service's own threads are waited for a quarter of an hour", async (t) => {
  const scene = sceneOf(10);
  const fence = scene.lease(ownThreads) as number;
  living(scene, HOUSE_PATIENCE_TICKS, ownThreads, fence);
  t.ok(scene.run.lease);
  living(scene, Math.ceil(ticksOf(SLOWEST)), ownThreads, fence);
  t.equal(scene.run.lease, undefined);
});

/** Bob is asked to run these spans of Ann's again. */
function asks(segments: number, spans: readonly [number, number][], planned = 1e9) {
  const scene = sceneOf(segments, 'full', planned);
  scene.candidates = [bob];
  scene.lease(ann);
  const checks = spans.map(([from, to]) => asked(scene.claims(ann, 1, scene.truth(from, to))));
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  return { scene, checks };
}

/** Ticks until somebody else is asked in place of Bob, who lives. */
function lasts(scene: Scene, fences: readonly { readonly fence: number }[], most: number): number {
  const begin = scene.tick;
  while (scene.tick - begin < most) {
    if (of(scene.wait(1), 'ask').length > 0) break;
    for (const { fence } of fences) {
      const span = scene.run.spans.find(({ checks }) => checks.some((each) => each.fence === fence));
      if (span) scene.tell({ kind: 'alive', node: 'B', fence, from: span.from });
    }
  }
  return scene.tick - begin;
}

t.test('a check is waited for as long as its segments take on the slowest node', async (t) => {
  const { scene, checks } = asks(10, [[0, 3]]);
  const most = PATIENCE_TICKS + ticksOf(4 * SLOWEST);
  t.equal(lasts(scene, checks, 1e4), Math.ceil(most));
  t.ok(scene.run.excluded.includes('B'));
  t.match(scene.run.spans[0]!.checks, [{ id: 'H' }]);
});

t.test('checks that a node has at once are waited for one after the other', async (t) => {
  const { scene, checks } = asks(10, [
    [0, 3],
    [4, 7],
  ]);
  const first = Math.floor(ticksOf(4 * SLOWEST));
  t.equal(lasts(scene, checks, first), first);
  scene.checked('B', checks[0]!.fence, scene.truth(0, 3));
  const both = Math.ceil(PATIENCE_TICKS + ticksOf(8 * SLOWEST));
  t.equal(lasts(scene, checks.slice(1), 1e4), both - first);
});

t.test('segments that turn out lighter than planned leave no time to stand still in', async (t) => {
  const spans = Array.from({ length: 12 }, (_, i): [number, number] => [i, i]);
  const { scene, checks } = asks(100, spans, 60e9);
  const begin = scene.tick;
  for (const done of [0, 1, 2]) {
    // A twentieth of the reference core, half of whose time goes to other checks: nobody is asked in its place.
    const ticks = begin + Math.floor(ticksOf((done + 1) * SLOWEST)) - scene.tick;
    t.equal(lasts(scene, checks.slice(done), ticks), ticks);
    scene.checked('B', checks[done]!.fence, scene.truth(done, done));
  }
  t.equal(scene.run.accepted, 2);
  t.ok(lasts(scene, checks.slice(3), 1e4) <= Math.ceil(PATIENCE_TICKS + ticksOf(2 * SLOWEST)));
  t.ok(scene.run.excluded.includes('B'));
});

/** As `asks`, behind segment 0, which Cyd checks: its answer tells how heavy segments are. */
function asksBehind(spans: readonly [number, number][], planned: number) {
  const scene = sceneOf(10, 'full', planned);
  scene.candidates = [node('C')];
  scene.lease(ann);
  const first = asked(scene.claims(ann, 1, scene.truth(0, 0)));
  scene.candidates = [bob];
  const checks = spans.map(([from, to]) => asked(scene.claims(ann, 1, scene.truth(from, to))));
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  const learn = () => scene.checked('C', first.fence, scene.truth(0, 0));
  const living = () => scene.tell({ kind: 'alive', node: 'C', fence: first.fence, from: 0 });
  return { scene, checks, learn, living };
}

t.test('what is learnt of segments counts for checks one after the other', async (t) => {
  const { scene, checks, learn } = asksBehind(
    [
      [1, 4],
      [5, 8],
    ],
    9e9,
  );
  learn();
  const first = Math.floor(ticksOf(4 * SLOWEST));
  t.equal(lasts(scene, checks, first), first);
  scene.checked('B', checks[0]!.fence, scene.truth(1, 4));
  t.equal(lasts(scene, checks.slice(1), 1e4), Math.ceil(PATIENCE_TICKS + ticksOf(8 * SLOWEST)) - first);
});

t.test('what is learnt of segments gives nobody more time than it had', async (t) => {
  const { scene, checks, learn, living } = asksBehind([[1, 4]], 1.1e9);
  const had = Math.ceil(PATIENCE_TICKS + ticksOf(4 * 1.1 * SLOWEST));
  let passed = 0;
  for (; passed < Math.floor(PATIENCE_TICKS + ticksOf(SLOWEST)); passed++) {
    living();
    t.equal(lasts(scene, checks, 1), 1);
  }
  learn();
  t.equal(scene.run.accepted, 0);
  t.equal(passed + lasts(scene, checks, 1e4), had);
});

t.test('however many segments a span claims to have, a check of it ends', async (t) => {
  const { scene, checks } = asks(1e6, [[0, 99_999]]);
  t.equal(lasts(scene, checks, 1e4), Math.ceil(PATIENCE_TICKS + ticksOf(60 * SLOWEST)));
});

t.test('whoever is given up over one check is not waited for in the others', async (t) => {
  const { scene, checks } = asks(10, [
    [0, 0],
    [1, 9],
  ]);
  lasts(scene, checks, 1e4);
  t.same(
    scene.run.spans.map(({ checks: of }) => of[0]!.id),
    ['H', 'H'],
  );
});

t.test('a run that an earlier release began goes on, and its lease lapses when it is silent', async (t) => {
  const scene = new Scene('none');
  const { work: _, ...before } = scene.run;
  scene.run = before;
  scene.lease(ann);
  const { due: __, ...lease } = scene.run.lease!;
  scene.run = { ...scene.run, lease };
  living(scene, 2 * HOUSE_PATIENCE_TICKS, ann, 1);
  t.ok(scene.run.lease);
  scene.claims(ann, 1, scene.truth(0, 0));
  t.equal(scene.run.accepted, 0);
  scene.wait(CHECK_TICKS);
  t.equal(scene.run.lease, undefined);
});

t.test('a span of several segments fills the purse by as many', async (t) => {
  const scene = sceneOf(60);
  scene.lease(ann);
  const begin = scene.tick;
  for (let from = 0; from < 50; from += 5) {
    // Five segments of 15 s each, shown together.
    living(scene, Math.round(begin + ticksOf(15 * (from + 5)) - scene.tick), ann, 1);
    scene.claims(ann, 1, scene.truth(from, from + 4));
  }
  t.equal(scene.run.accepted, 49);
  t.equal(scene.run.lease?.fence, 1);
});

t.test('of the run that waits longest the check comes first that was asked for first', (t) => {
  const waiting = [
    { run: 'b', fence: 46 },
    { run: 'a', fence: 2 },
    { run: 'b', fence: 42 },
    { run: 'b', fence: 47 },
  ];
  t.equal(firstAsked(waiting), waiting[2]);
  t.same(
    waiting.map(({ fence }) => fence),
    [46, 2, 42, 47],
    'nothing is moved',
  );
  t.equal(firstAsked([]), undefined);
  t.end();
});

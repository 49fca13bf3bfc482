import t from 'tap';
import { losses, rewoundLosses } from '../../../mesh/coordinator/losses.ts';
import { storedRun } from '../../../mesh/coordinator/run-rows.ts';
import type { WorkBefore } from '../../../mesh/coordinator/work-before.ts';
import { CHECK_TICKS } from '../../../mesh/decide/checks.ts';
import type { Claim } from '../../../mesh/decide/claim.ts';
import type { Event } from '../../../mesh/decide/decision.ts';
import { LEASE_TICKS } from '../../../mesh/decide/leases.ts';
import { meshUnpaid } from '../../../mesh/records.ts';
import { asked, node, Scene } from '../decide/scene.ts';
import type { LocalMesh } from '../local-mesh.ts';
import { begun, leased, madeUp, RUN, show } from './said.ts';

// Whatever was run and is not paid leaves a line that says why.

const [ann, bob, cyd] = [node('A'), node('B'), node('C')];
const works = { of: ({ work }: Claim) => BigInt(work) } as WorkBefore;

type Line = readonly [node: string, from: number, reason: string, hasWork: boolean];

/** What somebody loses by what is told to a run. */
function lost(scene: Scene, event: Event): Line[] {
  const before = scene.run;
  const effects = scene.tell(event);
  const lines = losses(before, { run: scene.run, effects }, works);
  return lines.map(({ node: id, from, reason, work }) => [id, from, reason, work > 0n]);
}

/** Ann holds the lease and has claimed segments 0 … 3; Bob is asked to run them again. */
function checking(claim: (scene: Scene) => Claim = (scene) => scene.truth(0, 3)) {
  const scene = new Scene('full');
  scene.candidates = [bob];
  scene.lease(ann);
  return { scene, second: asked(scene.claims(ann, 1, claim(scene))) };
}

const answer = (id: string, fence: number, claim: Claim): Event => ({
  kind: 'checked',
  node: id,
  fence,
  claim,
});

/** Bob has said otherwise than Ann; who is asked next has answered, and the service is asked. */
function disputed(
  anns: (scene: Scene) => Claim,
  bobs: (scene: Scene) => Claim,
  cyds: (scene: Scene) => Claim,
) {
  const { scene, second } = checking(anns);
  scene.candidates = [cyd];
  const third = asked(scene.checked('B', second.fence, bobs(scene)));
  const confirm = asked(scene.checked('C', third.fence, cyds(scene)));
  return { scene, confirm, own: scene.truth(0, third.through) };
}

const truth = (scene: Scene) => scene.truth(0, 3);
const lie = (scene: Scene) => scene.lie(0, 3);

t.test('a run that is cancelled: claims, the lease, and answers that are not judged yet', async (t) => {
  const { scene, second } = checking();
  t.same(lost(scene, { kind: 'cancel' }), [
    ['A', 0, 'cancelled', true],
    ['B', 0, 'cancelled', false],
    ['A', 4, 'cancelled', false],
  ]);
  const late = checking(lie);
  late.scene.candidates = [cyd];
  late.scene.checked('B', second.fence, truth(late.scene));
  t.same(lost(late.scene, { kind: 'cancel' }), [
    ['A', 0, 'cancelled', true],
    ['B', 0, 'cancelled', true],
    ['C', 0, 'cancelled', false],
    ['A', 4, 'cancelled', false],
  ]);
});

t.test('a lease that lapses, with and without something that was committed to', async (t) => {
  for (const commits of [true, false]) {
    const scene = new Scene('none');
    scene.lease(ann);
    if (commits) scene.commit(ann, 1, truth(scene));
    scene.tick += LEASE_TICKS;
    t.same(lost(scene, { kind: 'tick' }), [['A', 0, 'fenced', false]]);
  }
});

t.test('what is given back: nothing where nothing was shown, and what was committed to', async (t) => {
  const release: Event = { kind: 'release', node: 'A', fence: 1, failed: false };
  const scene = new Scene('none');
  scene.lease(ann);
  t.same(lost(scene, release), []);
  scene.lease(bob);
  scene.commit(bob, 2, truth(scene));
  t.same(lost(scene, { ...release, node: 'B', fence: 2 }), [['B', 0, 'returned', false]]);
  const { scene: other, second } = checking();
  t.same(lost(other, { kind: 'release', node: 'B', fence: second.fence, from: 0, failed: false }), []);
});

t.test('a check that lapses', async (t) => {
  const { scene } = checking();
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  scene.tick += CHECK_TICKS;
  t.same(lost(scene, { kind: 'tick' }), [['B', 0, 'unawaited', false]]);
});

t.test('what is not what was committed to, or asked for', async (t) => {
  const scene = new Scene('none');
  scene.lease(ann);
  scene.commit(ann, 1, truth(scene));
  const shown = { node: 'A', fence: 1, claim: truth(scene), salt: new Uint8Array(32) };
  t.same(lost(scene, { kind: 'reveal', ...shown }), [['A', 0, 'not-committed', false]]);
  const { scene: other, second } = checking();
  t.same(lost(other, answer('B', second.fence, other.truth(0, 2))), [['B', 0, 'not-committed', false]]);
});

t.test('a lie, and who stood on it', async (t) => {
  const { scene, confirm, own } = disputed(lie, truth, truth);
  scene.claims(ann, 1, scene.truth(4, 5));
  scene.tell({ kind: 'release', node: 'A', fence: 1, failed: false });
  const fence = scene.lease(cyd) as number;
  scene.claims(cyd, fence, scene.truth(6, 7));
  t.same(lost(scene, answer('H', confirm.fence, own)), [
    ['A', 0, 'refuted', true],
    ['A', 4, 'refuted', true],
    ['C', 4, 'behind-refuted', false],
    ['C', 6, 'behind-refuted', true],
    ['C', 8, 'behind-refuted', false],
  ]);
});

t.test('a check that was false, also where the span is accepted by the same verdict', async (t) => {
  const { scene, confirm, own } = disputed(truth, lie, truth);
  t.same(lost(scene, answer('H', confirm.fence, own)), [['B', 0, 'refuted', true]]);
  t.equal(scene.run.accepted, 3);
});

t.test('a check that was right, of a node whose other check was false', async (t) => {
  const { scene, second } = checking(truth);
  const behind = asked(scene.claims(ann, 1, scene.truth(4, 5)));
  scene.checked('B', behind.fence, scene.truth(4, 5));
  scene.candidates = [cyd];
  const third = asked(scene.checked('B', second.fence, lie(scene)));
  const confirm = asked(scene.checked('C', third.fence, truth(scene)));
  t.same(lost(scene, answer('H', confirm.fence, truth(scene))), [['B', 0, 'refuted', true]]);
  t.match(scene.run.spans, [{ from: 4, sound: false }], 'which is checked again all the same');
});

t.test('a check that is paid is not lost with the span that waits', async (t) => {
  const { scene } = checking(truth);
  const behind = asked(scene.claims(ann, 1, scene.truth(4, 5)));
  scene.checked('B', behind.fence, scene.truth(4, 5));
  const lines = [
    ['A', 0, true],
    ['B', 0, false],
    ['A', 4, true],
    ['A', 6, false],
  ];
  t.same(
    rewoundLosses(scene.run, works).map(({ node: id, from, work }) => [id, from, work > 0n]),
    lines,
  );
  t.same(
    lost(scene, { kind: 'cancel' }).map(([id, from, , hasWork]) => [id, from, hasWork]),
    lines,
  );
});

t.test('a third that the service contradicts', async (t) => {
  const { scene, confirm, own } = disputed(truth, lie, (scene) => scene.lie(0, 3, 3, 'third'));
  t.same(lost(scene, answer('H', confirm.fence, own)), [['C', 0, 'contradicted', true]]);
});

t.test('where nobody says what the third and the service say', async (t) => {
  const { scene, confirm, own } = disputed(
    (scene) => scene.lie(0, 3, 3, 'one'),
    (scene) => scene.lie(0, 3, 3, 'other'),
    truth,
  );
  t.same(lost(scene, answer('H', confirm.fence, own)), [
    ['A', 0, 'undecided', true],
    ['B', 0, 'undecided', true],
    ['A', 4, 'behind-refuted', false],
  ]);
});

t.test('a run that goes back behind what waits', async (t) => {
  const { scene } = checking();
  const lines = rewoundLosses(scene.run, works);
  t.same(
    lines.map(({ node: id, from, reason, work }) => [id, from, reason, work > 0n]),
    [
      ['A', 0, 'rewound', true],
      ['B', 0, 'rewound', false],
      ['A', 4, 'rewound', false],
    ],
  );
});

t.test('the own threads of the service lose nothing', async (t) => {
  const scene = new Scene('full');
  scene.lease(node('H', 'house'));
  t.same(lost(scene, { kind: 'cancel' }), []);
});

// ---- in the store ------------------------------------------------------------------------------------------

async function lines(mesh: LocalMesh) {
  const rows = await mesh.store.find(meshUnpaid, { orderBy: { node: 'asc' } });
  return rows.map(({ node: id, from_segment, work, reason }) => [
    id,
    Number(from_segment),
    Number(work),
    reason,
  ]);
}

t.test(
  'an answer that comes when the run is over is counted in the line that says so, and no other is',
  async (t) => {
    const mesh = await begun(t, 'full');
    await mesh.contribute(bob, { isDead: () => true });
    const fence = await leased(mesh, 'ann');
    t.same(await show(mesh, 'ann', madeUp(fence, 0, 0, 10n)), ['kept', 'kept']);
    const [check] = (await storedRun(mesh.store, RUN))!.machine.spans[0]!.checks;
    t.equal(check?.id, bob.id);
    await mesh.coordinator.cancel(RUN);
    const cancelled = (own: number) => [
      ['B', 0, own, 'cancelled'],
      ['ann', 0, 10, 'cancelled'],
      ['ann', 1, 0, 'cancelled'],
    ];
    t.same(await lines(mesh), cancelled(0));
    const { claim } = madeUp(check!.fence, 0, 0, 12n);
    const say = (id: string) => {
      const result = { kind: 'checked', run: RUN, fence: check!.fence, claim } as const;
      return mesh.coordinator.results([{ node: id, result }]);
    };
    for (const id of [bob.id, bob.id, 'mallory']) t.same(await say(id), ['ended']);
    t.same(await lines(mesh), cancelled(12));
    const next = { kind: 'reveal', ...madeUp(fence, 1, 2, 30n) } as const;
    t.same(await mesh.coordinator.results([{ node: 'ann', result: next }]), ['ended']);
    t.same(mesh.credited, []);
  },
);

t.test('what comes late is counted from where the span before it ended', async (t) => {
  for (const [counter, own] of [
    [70n, 20],
    [40n, 0],
  ] as const) {
    const mesh = await begun(t);
    const fence = await leased(mesh, 'ann');
    t.same(await show(mesh, 'ann', madeUp(fence, 0, 4, 50n)), ['kept', 'kept']);
    await mesh.coordinator.cancel(RUN);
    t.same(await lines(mesh), [['ann', 5, 0, 'cancelled']]);
    t.same(await show(mesh, 'ann', madeUp(fence, 5, 6, counter)), ['ended', 'ended']);
    t.same(await lines(mesh), [['ann', 5, own, 'cancelled']]);
  }
});

t.test('what no commitment covers is named', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  const { claim, ...reveal } = madeUp(fence, 0, 0, 10n);
  t.same(await show(mesh, 'ann', { ...reveal, claim, state: new Uint8Array(64) }), ['kept', 'not-committed']);
  t.same(await lines(mesh), [['ann', 0, 0, 'not-committed']]);
});

import fc from 'fast-check';
import t from 'tap';
import { wakeTick } from '../../../mesh/coordinator/wake.ts';
import { decide } from '../../../mesh/decide/decide.ts';
import { frontier } from '../../../mesh/decide/run.ts';
import { seeded } from '../../http/test-app.ts';
import { node, Scene } from '../decide/scene.ts';

const far = 2n ** 62n;
const nodes = ['A', 'B', 'C', 'D'].map((id) => node(id));

/** Something happens to the run. */
function happens(scene: Scene, deed: number, who: number): void {
  const actor = nodes[who]!;
  const { lease, spans } = scene.run;
  const open = spans.flatMap(({ from, checks }) =>
    checks.filter(({ claim }) => !claim).map((check) => ({ ...check, from })),
  );
  const next = frontier(scene.run) + 1;
  if (deed === 0) scene.lease(actor);
  else if (deed === 1 && lease && next <= 8) scene.claims(lease, lease.fence, scene.truth(next, next));
  else if (deed === 2 && lease && next <= 8) scene.claims(lease, lease.fence, scene.lie(next, next));
  else if (deed === 3 && open[0])
    scene.checked(open[0].id, open[0].fence, scene.truth(open[0].from, open[0].through));
  else if (deed === 4 && lease) scene.tell({ kind: 'alive', node: lease.id, fence: lease.fence });
  else if (deed === 5 && lease)
    scene.tell({ kind: 'release', node: lease.id, fence: lease.fence, failed: who > 1 });
  else if (deed === 6) scene.wait(who + 1);
  else if (deed === 7) scene.listeningSince = scene.tick - who;
}

t.test('before the tick in which a run wakes, the passing of time changes nothing of it', async (t) => {
  let asleep = 0;
  const deeds = fc.array(fc.tuple(fc.nat(7), fc.nat(3)), { maxLength: 25 });
  fc.assert(
    fc.property(deeds, fc.constantFrom('none', 'sampled', 'full'), (list, policy) => {
      const scene = new Scene(policy);
      scene.candidates = nodes;
      for (const [deed, who] of list) happens(scene, deed, who);
      const { run, world, tick: now } = scene;
      const wake = wakeTick(run, far);
      for (let tick = now; tick < Math.min(wake, now + 2000); tick++) {
        const after = decide(run, { kind: 'tick' }, { ...world, tick });
        asleep++;
        if (after.run !== run || after.effects.length > 0)
          throw new Error(`it wakes in ${tick}, not ${wake}`);
      }
    }),
    { numRuns: 400, ...seeded },
  );
  t.ok(asleep > 1000, 'and most of the time a run sleeps');
});

t.test('a run wakes at once when whoever has to check it is asked no more', async (t) => {
  const scene = new Scene('full');
  scene.candidates = [nodes[1]!];
  scene.lease(nodes[0]!);
  scene.claims(nodes[0]!, 1, scene.truth(0, 0));
  scene.run = { ...scene.run, excluded: ['B'] };
  t.ok(wakeTick(scene.run, far) <= scene.tick);
  scene.candidates = [];
  scene.wait(1);
  t.match(scene.run.spans[0]?.checks, [{ owner: 'house' }]);
  t.ok(wakeTick(scene.run, far) > scene.tick);
});

t.test('a run wakes by its deadline, one that is over never', async (t) => {
  const scene = new Scene('none');
  scene.lease(nodes[0]!);
  t.equal(wakeTick(scene.run, 777_000_777n * 3n), 3);
  scene.tell({ kind: 'cancel' });
  t.equal(wakeTick(scene.run, 0n), Number.MAX_SAFE_INTEGER);
});

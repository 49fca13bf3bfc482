import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { CHECK_TICKS } from '../../../mesh/decide/checks.ts';
import { house } from '../../../mesh/decide/run.ts';
import { meshUnpaid } from '../../../mesh/records.ts';
import { LocalMesh } from '../local-mesh.ts';
import { orbits } from '../orbits.ts';

t.test(
  'the only checker dies with dozens of checks: the service runs them one by one, and all are paid',
  async (t) => {
    // Of 128 MiB for each check two have room at once.
    const mesh = await LocalMesh.open(t, { memory: 2 ** 28, stands: true });
    const [alice, bob] = ['alice', 'bob'].map((id) => ({ id, owner: `owner of ${id}`, engine: 'v8' }));
    await mesh.contribute(alice!, { shows: async () => undefined });
    await mesh.contribute(bob!, { isDead: () => true });
    const spec = orbits({ steps: 24_000, stepsPerSegment: 1000 });
    const name = { id: 'busy-0', job: 'busy', payer: 'payer', paid: true };
    const spans = async () => (await storedRun(mesh.store, name.id))?.machine.spans ?? [];
    const executing = mesh.executor('full').execute(spec, { name });
    while (!(await spans()).at(-1)?.claim?.final) await delay(10);
    await mesh.pass(CHECK_TICKS);
    const open = (await spans()).flatMap(({ checks }) =>
      checks.filter(({ owner, claim }) => owner === house && !claim),
    );
    const run = await executing;
    t.ok(open.length > 12, `${open.length} checks at once were with the service`);
    t.same(await mesh.store.count(meshUnpaid, { node: alice!.id }), 0, 'nothing that she did is lost');
    const paid = mesh.credited.filter(({ kind, node }) => kind === 'segment' && node === alice!.id);
    t.equal(
      paid.reduce((sum, { work }) => sum + work, 0n),
      run.work,
      'she did all of it',
    );
    t.same(mesh.withheld, []);
    t.same(mesh.errors, []);
  },
);

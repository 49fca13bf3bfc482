import t from 'tap';
import { meshNodes, meshSpans } from '../../mesh/records.ts';
import { Contributions } from '../../src/contribute/contributions.ts';
import { contributeSchema } from '../../src/contribute/records.ts';
import { house, houseBalance, openAccounts } from '../../src/ledger/accounts.ts';
import { audit } from '../../src/ledger/audit.ts';
import { ledgerSchema } from '../../src/ledger/records.ts';
import { spineSchema } from '../../src/spine/schema.ts';
import { blobSchema } from '../../src/store/blob-records.ts';
import type { Store } from '../../src/store/store.ts';
import { LocalMesh } from '../mesh/local-mesh.ts';
import { orbits } from '../mesh/orbits.ts';
import { mint, putJob } from './world.ts';

const schemas = [blobSchema, ledgerSchema, spineSchema, contributeSchema];
const nodes = ['alice', 'bob', 'carol', 'dave'].map((owner) => ({
  ...{ id: `node-${owner}`, owner, engine: `engine of ${owner}` },
}));
const atNs = 1_800_000_000_000_000_000n;
const coins = 8;

t.test(
  'a run on the mesh: each span is paid once, and who lies loses bond and pay (CONTRIB-06, ECO-08)',
  async (t) => {
    let contributions!: Contributions;
    const credits = (store: Store) => {
      contributions = new Contributions({ store, now: () => atNs, policy: { bondCoins: coins } });
      return contributions;
    };
    const mesh = await LocalMesh.open(t, { books: { schemas, credits }, stands: true });
    const { store } = mesh;
    for (const { owner } of nodes) await store.transaction((tx) => openAccounts(tx, owner, atNs));
    await mint(store, 'dave', coins);
    await contributions.bond('dave');
    const others = async (segment: number) => {
      if (segment === 0) for (const node of nodes.slice(0, 3)) await mesh.contribute(node);
    };
    const liar = await mesh.lie(nodes[3]!, { shows: others });
    const run = await mesh.executor('full').execute(orbits({ steps: 4000, stepsPerSegment: 250 }), {
      name: { id: 'job_1-0', job: 'job_1', payer: 'payer', paid: true },
    });
    t.ok(liar.lies > 0, 'it did lie');
    t.strictSame(mesh.errors, []);
    await putJob(store, 'job_1', 'done');
    await contributions.payOut();

    const { bond, verdicts } = await contributions.standing('dave');
    t.match(bond, { state: 'withheld', coins });
    t.equal(verdicts.length, 1);
    t.match(await store.get(meshNodes, { id: 'node-dave' }), { state: 'barred', mode: 'idle' });
    for (const { owner } of nodes.slice(0, 3))
      t.match((await contributions.standing(owner)).verdicts, [], `${owner} is honest`);

    const earned = await Promise.all(
      nodes.map(({ owner }) => contributions.earnings(owner, { limit: 200, offset: 0 })),
    );
    const paid = earned.flatMap(({ paid }) => paid.rows);
    const own = await store.sum(meshSpans, 'work', { owner: 'house' });
    const ofSegments = paid
      .filter(({ kind }) => kind === 'segment')
      .reduce((sum, line) => sum + line.paid, 0n);
    t.equal(
      ofSegments + own,
      run.work,
      'the work of the run is paid, to the unit, or was done by the service',
    );
    t.notOk(paid.some(({ owner, kind }) => owner === 'dave' && kind === 'segment'));
    const total = earned.reduce((sum, { balance }) => sum + balance, 0n);
    t.equal(await houseBalance(store, house.work, 'coin'), -total);
    t.match(await audit(store), { sound: true, units: { coin: { sum: 0n } } });
  },
);

import t from 'tap';
import { meshRuns } from '../../mesh/records.ts';
import { workCredits } from '../../src/contribute/records.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { natsMissing } from '../servers/nats.ts';
import { answerOf, figureEight, hour, testNode } from '../spine/test-node.ts';
import { contributor, secret, server } from './over-nats.ts';

const { G: _, ...bodies } = figureEight;

/** Jobs of independent runs, each of them long enough to travel: half a second of the reference core. */
const jobs: readonly (readonly [what: string, solver: string, body: object, shards: number])[] = [
  [
    'Monte-Carlo',
    'quant',
    {
      ...{ mode: 'option', type: 'asian-arithmetic', right: 'call', fixings: 200, seed: 42 },
      ...{ S0: 100, K: 150, r: 0.05, sigma: 0.6, T: 1 },
    },
    8,
  ],
  [
    'a lattice of parameters',
    'lattice',
    {
      solver: 'multibody',
      inputs: { ...bodies, dt: 1e-5, t_max: 16 },
      axes: [{ name: 'G', values: [0.9, 1] }],
      reduce: 'max',
    },
    4,
  ],
  ['the zeros in a range', 'zeta', { mode: 'zeros', t1: 9e9, t2: 9e9 + 20_000 }, 2],
];

t.test(
  'independent shards on two nodes are put together as at home, to the root',
  { skip: natsMissing },
  async (t) => {
    const nats = await server(t);
    const mesh = { nats: [nats.url], secret, policy: 'full' } as const;
    const node = await testNode(t, { mesh, gossip: { secret } });
    await node.startRecovery((error) => t.comment(`the service: ${error}`));
    for (const number of [1, 2]) await contributor(t, nats.url, node, number);
    const home = await testNode(t);
    for (const each of [node, home]) await each.accounts.create({ zid: 'payer', fuel: 10n * hour });

    for (const [what, solver, body, shards] of jobs) {
      const request = { account: 'payer', solver, body, background: true };
      const roots: string[] = [];
      const job = await node.spine.submit(request);
      for (const { outcome } of [job, await home.spine.submit(request)])
        roots.push(answerOf((await outcome).answer).envelope.jobRoot);
      t.equal(roots[0], roots[1], what);
      const runs = await node.store.find(meshRuns, { where: { job: job.id } });
      t.equal(
        runs.filter(({ state }) => state === 'done').length,
        shards,
        `${what}: its shards went over the mesh`,
      );
      const credits = await node.store.find(workCredits, {
        where: { run: { in: runs.map(({ id }) => id) } },
      });
      t.equal(new Set(credits.map((credit) => credit.node)).size, 2, `${what}: both have worked on it`);
    }
    t.match(await auditSpine(node.store), { sound: true, leaves: jobs.length });
  },
);

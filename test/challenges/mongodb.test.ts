import { randomBytes } from 'node:crypto';
import t from 'tap';
import { auditSpine } from '../../src/spine/audit.ts';
import { mongoMissing, startMongo } from '../servers/mongodb.ts';
import { oscillator } from '../spine/test-node.ts';
import { court, settledView, slander } from './challenged.ts';

t.setTimeout(180_000);

t.test(
  'two nodes on one database: who sealed settles, while both go on sealing',
  { skip: mongoMissing },
  async (t) => {
    const server = await startMongo();
    t.teardown(() => server.stop());
    const mongo = { uri: server.uri, database: `t${randomBytes(6).toString('hex')}` };
    const [one, other] = [await court(t, { mongo }), await court(t, { mongo })];
    const [lie, honest] = [await one.seal({ run: 0, segment: 60 }), await one.seal(undefined)];
    const difference = (await one.stranger.rerun(lie))!;
    const { envelope } = lie.answer;
    const claim = { envelope, run: difference.run, ...difference.claim };
    t.match(await other.stranger.post('/api/svc/challenges', claim), {
      ...{ status: 409, body: { error: { code: 'CONFLICT', node: one.node.name } } },
    });
    const sealing = [one, other].map(async ({ node, zid }) => {
      for (let i = 0; i < 4; i++)
        await (await node.spine.submit({ account: zid, solver: 'solve', body: oscillator })).outcome;
    });
    const won = await one.stranger.contest(lie, difference);
    const lost = await one.stranger.contest(honest, slander(honest, 0, 33));
    t.equal((await settledView(one, won.challenge)).outcome, 'contributor_wrong');
    t.equal((await settledView(one, lost.challenge)).outcome, 'challenger_wrong');
    await Promise.all(sealing);
    t.match(
      (await other.get(`/api/svc/challenges/${won.challenge}`)).body,
      { state: 'settled' },
      'both tell of it',
    );
    const { sound, problems, leaves } = await auditSpine(one.node.store);
    t.same({ sound, problems, leaves }, { sound: true, problems: [], leaves: 13 });
  },
);

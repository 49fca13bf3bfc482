import t from 'tap';
import { auditSpine } from '../../src/spine/audit.ts';
import { envelopes } from '../../src/spine/records.ts';
import { contributor, secret, server } from '../mesh/over-nats.ts';
import { natsMissing } from '../servers/nats.ts';
import { figureEight } from '../spine/test-node.ts';
import { court, sealedOver, settledView } from './challenged.ts';

// A result of the mesh that nobody checked before it was sealed, from the lie to the last consequence: over HTTP and NATS.

t.setTimeout(300_000);

/** Runs that are long enough to go over the mesh. */
const body = { ...figureEight, dt: 1e-5, t_max: 16 };

/** A line of `GET /api/contribute/earnings`. */
interface Line {
  readonly run: string;
  readonly paid: string;
  readonly taken_back: string;
  readonly coins: string;
  readonly reason: string | null;
}

t.test(
  'a lie that was sealed is overturned: its coin void, its charge back, its pay taken, its node cut off (CONTRIB-06)',
  { skip: natsMissing },
  async (t) => {
    const nats = await server(t);
    const mesh = { nats: [nats.url], secret, policy: 'sampled' } as const;
    const api = await court(t, { mesh, gossip: { secret } });
    const { node, stranger } = api;
    await node.startRecovery((error) => t.comment(`the service: ${error}`));
    const before = await node.accounts.means(api.zid);

    const states: string[] = [];
    let outside: () => void = () => undefined;
    const isOutside = new Promise<void>((resolve) => {
      outside = resolve;
    });
    const liar = await contributor(t, nats.url, node, 66, {
      isLiar: true,
      onStatus: (status) => {
        states.push(status);
        if (status === 'refused') outside();
      },
    });
    const sealed = await sealedOver(api, body, 'none');
    const { key } = await node.accounts.mintKey(liar.zid);
    const earned = async () =>
      (await api.get('/api/contribute/earnings', { authorization: `Bearer ${key}` })).body;
    const paid = await earned();
    t.ok(paid.paid.total > 0 && BigInt(paid.work_units) > 0n, 'the liar was paid');
    const third = await contributor(t, nats.url, node, 1);

    const difference = (await stranger.rerun(sealed))!;
    const found = await stranger.contest(sealed, difference);
    const ended = await settledView(api, found.challenge);
    t.match(ended, { state: 'settled', outcome: 'contributor_wrong', dispute: { count: 1 } });
    t.match(ended.verdict, new RegExp(`"faulty":\\["${liar.id}"\\]`));
    t.match(ended.verdict, third.id, 'another contributor ran the segment over NATS');

    await isOutside;
    t.strictSame(states.slice(-2), ['disconnected', 'refused'], 'the connection of the liar ends at once');
    t.strictSame(await node.mesh!.front.present(), [third.id]);

    const { token_id } = sealed.answer.envelope;
    const coin = await node.store.get(envelopes, { token_id: token_id! });
    t.match(coin, { locked_by: `void/${found.challenge}`, revoked_ns: BigInt }, 'the coin is void');
    t.same(await node.accounts.means(api.zid), before, 'the charge went back');
    const { body: revoked } = await api.get('/api/svc/revocations', { authorization: '' });
    t.equal(revoked.revocations.length, 1, 'the log says so');
    t.match(revoked.revocations[0].leaf, found.challenge);

    const after = await earned();
    const refuted = after.paid.lines.filter(({ run }: Line) => run === `${sealed.job}-${difference.run}`);
    t.ok(refuted.length > 0);
    for (const { paid, taken_back, coins, reason } of refuted as Line[])
      t.match(
        { taken_back, coins, reason },
        { taken_back: paid, coins: '0', reason: /found this work wrong/ },
      );
    const taken = after.paid.lines.reduce((sum: bigint, line: Line) => sum + BigInt(line.taken_back), 0n);
    t.equal(BigInt(after.work_units), BigInt(paid.work_units) - taken, 'and no more than that');
    t.match(await auditSpine(node.store), { sound: true, problems: [] });
  },
);

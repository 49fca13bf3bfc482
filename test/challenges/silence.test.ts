import t from 'tap';
import { childrenIn } from '../../mesh/decide/bisection.ts';
import { EXCHANGE_TICKS } from '../../src/challenges/challenges.ts';
import { openStakes } from '../../src/challenges/stakes.ts';
import { systemClock } from '../../src/clock/clock.ts';
import { TICK_NS, tickOf } from '../../src/clock/pulse.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { court } from './challenged.ts';

const machine = systemClock();
let ahead = 0n;
const api = await court(t, { clock: { now: () => machine.now() + ahead } });
const { node, stranger } = api;
const pass = (ticks: number) => {
  ahead += BigInt(ticks) * TICK_NS;
};

async function opened(segment: number) {
  const sealed = await api.seal({ run: 0, segment });
  const difference = (await stranger.rerun(sealed))!;
  const { run, claim, digests } = difference;
  const { envelope } = sealed.answer;
  const { body } = await stranger.post('/api/svc/challenges', { envelope, run, ...claim });
  const hex = digests.map(toHex);
  const show = ({ from, count }: { from: number; count: number }) =>
    stranger.post(`/api/svc/challenges/${body.challenge}/children`, {
      ...{ from, count },
      ...childrenIn(hex, from, count),
    });
  return { sealed, difference, body, show };
}

t.test('a challenger that says nothing in its time loses its stake, and is told why', async (t) => {
  const before = await node.accounts.means(stranger.zid);
  const { sealed, difference, body, show } = await opened(60);
  t.equal(body.deadline_tick, tickOf(BigInt(body.opened_ns)) + EXCHANGE_TICKS);
  pass(EXCHANGE_TICKS - 200);
  await node.challenges.recover();
  const { body: second } = await show(body.dispute);
  t.equal(second.state, 'bisecting', 'a word in time gives it as much time again');
  pass(EXCHANGE_TICKS + 1);
  await node.challenges.recover();
  const { body: view } = await api.get(`/api/svc/challenges/${body.challenge}`);
  t.match(view, { state: 'forfeited', outcome: null, verdict: null, revocation_index: null });
  t.match(view.detail, /said nothing through tick \d+, 1287 ticks after its last word/);
  const { free, held } = await node.accounts.means(stranger.zid);
  t.equal(before.free - free, BigInt(body.stake_plancks));
  t.equal(held, 0n);
  t.match(await show(second.dispute), { status: 409, body: { error: { state: 'forfeited' } } });
  t.match(await auditSpine(node.store, undefined, { vkeys: [] }, [openStakes]), {
    sound: true,
    problems: [],
  });

  const other = await api.another();
  await other.contest(sealed, difference);
  await node.challenges.idle();
  t.match(
    (await api.get(`/api/svc/jobs/${sealed.job}`)).body,
    { revoked_by: String },
    'others may contest it',
  );
});

t.test('a word that comes too late is refused, though nobody has looked yet', async (t) => {
  const { body, show } = await opened(61);
  pass(EXCHANGE_TICKS + 1);
  t.match(await show(body.dispute), {
    status: 409,
    body: { error: { code: 'CONFLICT', state: 'forfeited' } },
  });
});

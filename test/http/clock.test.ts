import t from 'tap';
import { anchoredClock } from '../../src/clock/clock.ts';
import { acceptClock, gapInTime } from '../../src/spine/known-time.ts';
import { logHeads } from '../../src/spine/records.ts';
import { oscillator } from '../spine/test-node.ts';
import { testApp } from './test-app.ts';

const DAY_MS = 86_400_000;
const MS = 1_000_000n;
const start = 1_790_000_000_000;

t.test(
  'a clock that jumps ahead by years seals nothing, says so everywhere, and leaves no trace',
  async (t) => {
    const wall = { ms: start };
    let counted = 0n;
    const sources = { monotonicNs: () => (counted += 1000n), wallMs: () => wall.ms };
    const api = await testApp(t, { node: { clock: anchoredClock(sources) } });
    const told: unknown[] = [];
    await api.node.startRecovery((error) => told.push(error));
    const seal = () => api.post('/api/svc/solve', oscillator);
    const metric = async () => /^svc_clock_ahead_seconds (\S+)$/m.exec((await api.get('/metrics')).text)?.[1];
    t.match(await seal(), { status: 200 });
    t.equal(await metric(), '0');
    for (const years of [10, 300]) {
      wall.ms = start + years * 365 * DAY_MS;
      const refused = { status: 503, body: { error: { code: 'CLOCK_IN_DOUBT', message: /days ahead/ } } };
      t.match(await seal(), refused);
      t.match(await api.get('/health/ready'), refused);
      t.ok(Number(await metric()) > (years - 1) * 365 * 86_400);
    }
    wall.ms = start + 1000;
    const { status, body } = await seal();
    t.equal(status, 200);
    t.ok(BigInt(body.envelope.t_ns) < BigInt(start + 2000) * MS, 'stamped with the right time');
    t.match(await api.get('/health/ready'), { status: 200 });
    t.equal(await metric(), '0');
  },
);

t.test('its operator is told once', async (t) => {
  const wall = { ms: start };
  const clock = anchoredClock({ monotonicNs: () => 0n, wallMs: () => wall.ms }, BigInt(start) * MS);
  const api = await testApp(t, { node: { clock } });
  wall.ms = start + 10 * 365 * DAY_MS;
  const told: unknown[] = [];
  await api.node.startRecovery((error) => told.push(error));
  t.match(told, [{ code: 'CLOCK_IN_DOUBT' }]);
});

t.test('a start far from the last seal is a sentence, in either direction', async (t) => {
  const at = (days: number) => BigInt(start + days * DAY_MS) * MS;
  t.equal(gapInTime(at(0), at(1)), undefined);
  t.equal(gapInTime(at(0), at(-1)), undefined);
  t.match(gapInTime(at(0), at(30)), /last signed 30 days ago/);
  t.match(gapInTime(at(3650), at(0)), /signed 3650 days ahead/);
});

t.test('a clock is taken for right by the word of the operator, and never back', async (t) => {
  const api = await testApp(t);
  const { store, name } = api.node;
  const at = (ns: bigint) => ({ now: () => ns, ahead: () => 0n });
  await t.rejects(acceptClock(store, name, at(1n)), { code: 'CONFLICT', message: /signed nothing/ });
  t.match(await api.post('/api/svc/solve', oscillator), { status: 200 });
  const { signed_ns } = (await store.get(logHeads, { node: name }))!;
  await t.rejects(acceptClock(store, name, at(signed_ns)), { code: 'CONFLICT', message: /does not go back/ });
  const beyond = anchoredClock({ monotonicNs: () => 0n, wallMs: () => start + 300 * 365 * DAY_MS });
  await t.rejects(acceptClock(store, name, beyond), { code: 'CONFLICT', message: /beyond the year 2262/ });
  const years = signed_ns + 730n * BigInt(DAY_MS) * MS;
  await acceptClock(store, name, at(years));
  const sources = { monotonicNs: () => 0n, wallMs: () => Number(years / MS) + 5 };
  t.ok(anchoredClock(sources, signed_ns).ahead() > 0n, 'without it, it is not believed');
  t.equal(anchoredClock(sources, (await store.get(logHeads, { node: name }))!.signed_ns).ahead(), 0n);
});

t.test('two processes of one node with different clocks: times in the log never go back', async (t) => {
  const data = t.testdir();
  const counting = (startMs: number) => {
    let counted = 0n;
    return anchoredClock({ monotonicNs: () => (counted += 1000n), wallMs: () => startMs });
  };
  const right = await testApp(t, { node: { dataDir: data, clock: counting(start) } });
  const ahead = await testApp(t, { node: { dataDir: data, clock: counting(start + 3_600_000) } });
  t.equal(right.node.name, ahead.node.name);
  let before = 0n;
  for (const api of [right, ahead, right, right, ahead, right]) {
    const { status, body } = await api.post('/api/svc/solve', oscillator);
    t.equal(status, 200);
    t.ok(BigInt(body.envelope.t_ns) > before, `${body.envelope.t_ns} after ${before}`);
    before = BigInt(body.envelope.t_ns);
    const { signed_ns } = (await api.node.store.get(logHeads, { node: api.node.name }))!;
    t.ok(signed_ns >= before, 'and the head says so');
  }
});

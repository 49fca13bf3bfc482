import t from 'tap';
import { isLong } from '../../src/http/long-jobs.ts';
import { LiveJob } from '../../src/spine/live-job.ts';
import type { SpineJob } from '../../src/spine/past-jobs.ts';
import { testApp } from './test-app.ts';

const MINUTE = 60e9;
const job = (expected: number, likely?: number): SpineJob =>
  new LiveJob({ id: 'job_1', account: 'z', solver: 'sat', createdNs: 0n, expected, likely });
const at = (work: bigint) => ({ steps: 1, segments: 1, work, observed: [] });

t.test('a job that is expected to take more than a minute is long at once', async (t) => {
  t.equal(isLong(job(MINUTE + 1)), true);
  t.equal(isLong(job(9 * MINUTE, MINUTE + 1)), true);
});

t.test('a job that is over is not long, whatever it could have cost', async (t) => {
  const past = job(9 * MINUTE);
  past.succeed({ job: past.id, answer: new Uint8Array(), sealed: true });
  t.equal(await isLong(past), false);
});

t.test('a job that may take longer is waited for until it is over or has come to a minute', async (t) => {
  const short = job(9 * MINUTE, MINUTE);
  const waiting = isLong(short);
  short.runStarts(0, 'search', null);
  short.runProgresses(0, at(60_000_000_000n));
  short.fail(new Error('refused'), 'refused');
  t.equal(await waiting, false);
  t.equal(short.listenerCount('progress'), 0);

  const hard = job(9 * MINUTE, MINUTE);
  const waited = isLong(hard);
  hard.runStarts(0, 'search', null);
  hard.runProgresses(0, at(60_000_000_001n));
  t.equal(await waited, true);
  t.equal(hard.listenerCount('progress'), 0);
});

t.test('an option whose ceiling alone is above a minute is answered', async (t) => {
  const api = await testApp(t);
  const option = { mode: 'option', type: 'asian-geometric', right: 'call', S0: 100, K: 100, r: 0.05 };
  const body = { ...option, sigma: 0.2, T: 1, fixings: 500 };
  const { body: quote } = await api.post('/api/svc/quant/quote', body);
  t.ok(Number(quote.price_plancks) > MINUTE && Number(quote.expected_plancks) < MINUTE);
  t.equal((await api.post('/api/svc/quant', body)).status, 200);
});

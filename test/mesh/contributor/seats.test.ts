import t from 'tap';
import { Seats, type Turn } from '../../../mesh/contributor/seats.ts';

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test(
  'a seat goes to a run that was fetched for it, then to checks, then to runs that made way',
  async (t) => {
    const seats = new Seats(1);
    const seated: string[] = [];
    const wait = (name: Turn, fence: number) =>
      void seats.wait(name, { run: 'run', fence }, never).then(() => seated.push(`${name} ${fence}`));
    seats.take();
    wait('resumed', 1);
    wait('check', 9);
    wait('check', 7);
    wait('check', 8);
    wait('next', 10);
    t.equal(seats.free, 0);
    t.equal(seats.waiting('check'), 3);
    for (let i = 0; i < 5; i++) {
      seats.give();
      await turn();
    }
    t.same(seated, ['next 10', 'check 7', 'check 8', 'check 9', 'resumed 1'], 'checks by their fences');
    seats.give();
    t.equal(seats.free, 1);
  },
);

t.test('who gives up is passed over', async (t) => {
  const seats = new Seats(1);
  const stop = new AbortController();
  seats.take();
  const given = t.rejects(seats.wait('check', { run: 'run', fence: 1 }, stop.signal), { message: 'stopped' });
  const waited = seats.wait('check', { run: 'run', fence: 2 }, never);
  stop.abort(new Error('stopped'));
  await given;
  seats.give();
  await waited;
  t.equal(seats.free, 0);
});

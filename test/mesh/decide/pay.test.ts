import t from 'tap';
import { owed, type PaidLine, paymentsFor } from '../../../mesh/decide/pay.ts';
import { node, Scene } from './scene.ts';

// Segments of 10 work units each, unless somebody lies about them.

const scene = new Scene();

/** What is paid for a span whose node says that the counter at its end is this. */
function pays(from: number, to: number, counter: number, whole: number, paid: [number, number | undefined]) {
  const claim = { ...scene.truth(from, to), work: String(counter) };
  const times = { commitment: 'ab'.repeat(32), committedNs: '1', checks: [], sound: true };
  const span = { ...node('A'), fence: 1, from, to, claim, ...times };
  const [segment, work] = paid;
  const begun = { segment, work: work === undefined ? undefined : BigInt(work) };
  const { first, again } = paymentsFor([span], begun, () => BigInt(whole))[0]!;
  return {
    first: [first.from, first.to, Number(first.work)],
    again: [again.from, again.to, Number(again.work)],
  };
}

t.test('a span behind what was paid is paid whole, one before it not at all', async (t) => {
  t.match(pays(5, 6, 70, 20, [4, 50]).first, [5, 6, 20]);
  t.match(pays(3, 4, 50, 20, [4, 50]), { first: [5, 4, 0], again: [3, 4, 20] });
});

t.test('a span that begins before what was paid is paid for the work behind it', async (t) => {
  t.same(pays(3, 6, 70, 40, [4, 50]), { first: [5, 6, 20], again: [3, 4, 20] });
});

t.test('nobody is paid more than its work, nor less than nothing, whatever was counted before', async (t) => {
  t.same(pays(3, 6, 70, 40, [4, 10]).first, [5, 6, 40], 'who was paid before had counted too little');
  t.same(pays(3, 6, 70, 40, [4, 90]), { first: [5, 6, 0], again: [3, 4, 40] }, 'or too much');
  t.same(pays(3, 6, 70, 40, [4, undefined]).first, [5, 6, 0], 'or nobody knows');
});

const line = (from: number, to: number, counter: number | null, isTakenBack: boolean): PaidLine => ({
  ...{ from, to, isTakenBack, work: BigInt(10 * (to - from + 1)) },
  counter: counter === null ? null : BigInt(counter),
});
const whole = { from: 0, to: 9, work: 100n, counter: 100n };
const owes = (lines: readonly PaidLine[], done = whole) =>
  owed(done, lines).map(({ from, to, work, counter }) => [from, to, Number(work), Number(counter)]);

t.test('owed is what nobody is paid for: what was taken back, and what no line is about', async (t) => {
  t.same(owes([]), [[0, 9, 100, 100]]);
  t.same(owes([line(0, 9, 100, false)]), []);
  t.same(owes([line(0, 4, 50, true), line(5, 9, 100, false)]), [[0, 4, 50, 50]]);
  t.same(owes([line(0, 4, 50, false)]), [[5, 9, 50, 100]]);
});

t.test('what is owed together is one part, and what was paid between parts it', async (t) => {
  t.same(owes([line(0, 4, 50, true), line(5, 9, 100, true)]), [[0, 9, 100, 100]]);
  t.same(owes([line(0, 2, 30, true), line(3, 5, 60, false), line(6, 9, 100, true)]), [
    [0, 2, 30, 30],
    [6, 9, 40, 100],
  ]);
});

t.test('where a line of false work began or ended, no more is owed than what is done now', async (t) => {
  const done = { from: 5, to: 9, work: 50n, counter: 100n };
  t.same(owes([line(5, 6, 40, true), line(7, 9, 100, false)], done), [], 'a counter from before the span');
  t.same(owes([line(5, 6, 40, false)], done), [[7, 9, 50, 100]]);
  t.same(
    owes([line(5, 6, 400, true), line(7, 9, 100, false)], done),
    [[5, 6, 50, 100]],
    'and one from behind',
  );
  t.same(owes([line(5, 6, 400, false)], done), []);
});

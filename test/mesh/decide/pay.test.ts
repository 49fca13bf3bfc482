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

const line = (from: number, to: number, counter: bigint | null, isTakenBack: boolean): PaidLine => ({
  ...{ from, to, counter, isTakenBack },
  work: BigInt(to - from + 1) * 10n,
});

t.test('what is owed of segments 2 to 5, of ten units each', async (t) => {
  const done = { from: 2, to: 5, work: 40n, counter: 60n };
  const cases: [string, PaidLine[], [number, number, number][]][] = [
    ['nobody was ever paid', [], [[2, 5, 40]]],
    ['somebody is paid', [line(0, 9, 100n, false)], []],
    ['it was taken back', [line(0, 9, 100n, true)], [[2, 5, 40]]],
    ['and paid again', [line(0, 9, 100n, true), line(2, 5, 60n, false)], []],
    ['and half of it paid again', [line(0, 9, 100n, true), line(0, 3, 40n, false)], [[4, 5, 20]]],
    ['some of it was taken back', [line(0, 3, 40n, true), line(4, 9, 100n, false)], [[2, 3, 20]]],
    ['a paid line is about a part', [line(0, 3, 40n, false)], [[4, 5, 20]]],
    ['its pieces were taken back', [line(0, 3, 40n, true), line(4, 9, 100n, true)], [[2, 5, 40]]],
    [
      'its ends were',
      [line(2, 2, 30n, true), line(3, 4, 50n, false), line(5, 5, 60n, true)],
      [
        [2, 2, 10],
        [5, 5, 10],
      ],
    ],
    ['a liar said too much work', [line(2, 3, 900n, true), line(4, 5, 920n, false)], [[2, 3, 40]]],
    ['and is paid for it', [line(2, 3, 900n, false)], []],
    ['a liar said too little', [line(2, 3, 5n, true), line(4, 5, 60n, false)], []],
    ['and is paid for that', [line(2, 3, 5n, false)], [[4, 5, 40]]],
    ['counters nobody wrote down', [line(2, 5, null, true)], [[2, 5, 40]]],
    ['nor of a part', [line(2, 3, null, true), line(4, 5, null, false)], []],
  ];
  for (const [name, lines, parts] of cases)
    t.same(
      owed(done, lines).map(({ from, to, work }) => [from, to, Number(work)]),
      parts,
      name,
    );
});

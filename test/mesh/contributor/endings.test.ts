import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Endings } from '../../../mesh/contributor/endings.ts';

const running = (kernel = 'k', work = 1000) => ({ work: { kernel, work, memory: 7 } });

/** Endings, and a promise of the next end that is foreseen. */
function watched() {
  let told: () => void = () => undefined;
  const endings = new Endings(() => told());
  const soon = () =>
    new Promise<void>((resolve) => {
      told = resolve;
    });
  return { endings, soon };
}

t.test('an end is foreseen from how far the run has come', async (t) => {
  const { endings, soon } = watched();
  const [one, other] = [running(), running()];
  const foreseen = soon();
  endings.advanced(one, { ms: 90, counted: 900, before: 0 });
  endings.advanced(other, { ms: 60_000, counted: 100, before: 0 });
  t.equal(endings.count, 0, 'not before its time');
  await foreseen;
  t.same([endings.count, endings.memory], [1, 7], 'the one that has an hour to go is none of them');
  endings.over(one);
  t.same([endings.count, endings.memory], [0, 0]);
});

t.test(
  'and from the work that was there when it began: what was done elsewhere took no time here',
  async (t) => {
    const { endings, soon } = watched();
    const foreseen = soon();
    endings.advanced(running(), { ms: 20_000, counted: 600, before: 500 });
    const isSoon = await Promise.race([foreseen.then(() => true), sleep(300, false)]);
    t.notOk(isSoon, 'of 500 it has done 100 in 20 s');
  },
);

t.test(
  'the next run of a kernel is foreseen by what the last one came to, whatever was planned',
  async (t) => {
    const { endings, soon } = watched();
    const one = running();
    endings.over(one, { ms: 50, counted: 500, before: 0 });
    const foreseen = soon();
    const next = running();
    endings.began(next, 0);
    await foreseen; // in 50 ms, where nobody has said how far it is
    t.equal(endings.count, 1);
    endings.over(next);
    const again = soon();
    endings.advanced(running(), { ms: 60_000, counted: 499, before: 0 });
    await again;
    t.equal(endings.count, 1, 'at 499 of 1000 it is nearly over');
  },
);

t.test('a kernel whose run went on is left alone for a while, others are not', async (t) => {
  const { endings, soon } = watched();
  const nearly = { ms: 90, counted: 999, before: 0 };
  const first = soon();
  endings.advanced(running(), nearly);
  await first;
  endings.wereWrong();
  t.equal(endings.count, 0);
  const second = soon();
  endings.advanced(running(), nearly);
  endings.advanced(running('other'), nearly);
  await second;
  t.equal(endings.count, 1);
});

t.test('after some ends it is foreseen again, and after a second mistake later', async (t) => {
  const { endings, soon } = watched();
  const nearly = { ms: 90, counted: 999, before: 0 };
  const whole = { ms: 100, counted: 1000, before: 0 };
  for (const ends of [4, 16]) {
    const foreseen = soon();
    endings.advanced(running(), nearly);
    await foreseen;
    endings.wereWrong();
    for (let i = 0; i < ends; i++) {
      endings.advanced(running(), nearly);
      const isSoon = await Promise.race([soon().then(() => true), sleep(20, false)]);
      t.notOk(isSoon, `${i} of ${ends} ends`);
      endings.over(running(), whole);
    }
  }
  const foreseen = soon();
  endings.advanced(running(), nearly);
  await foreseen;
  t.equal(endings.count, 1);
});

t.test('an end that has come is foreseen no more', async (t) => {
  const { endings, soon } = watched();
  const [one, other] = [running(), running()];
  const foreseen = soon();
  endings.advanced(one, { ms: 90, counted: 900, before: 0 });
  endings.over(one);
  endings.advanced(other, { ms: 190, counted: 900, before: 0 });
  await foreseen;
  t.equal(endings.count, 1);
});

/** Endings whose timers are run by hand, and after how many ms each would have. */
function byHand(t: Test) {
  const set: { readonly ms: number; readonly run: () => void }[] = [];
  const cleared: unknown[] = [];
  t.capture(globalThis, 'setTimeout', (run: () => void, ms: number) => set.push({ ms, run }));
  t.capture(globalThis, 'clearTimeout', (timer: unknown) => timer && cleared.push(timer));
  let told = 0;
  const endings = new Endings(() => told++);
  return { endings, set, cleared, told: () => told };
}

t.test('the next run is asked for half as long again before as it took to come', async (t) => {
  for (const [took, ahead] of [
    [1, 5],
    [100, 150],
    [1000, 250],
  ] as const) {
    const { endings, set } = byHand(t);
    endings.fetched(took);
    endings.advanced(running(), { ms: 1000, counted: 500, before: 0 });
    t.same(
      set.map(({ ms }) => ms),
      [1000 - ahead],
      `${took} ms`,
    );
  }
});

t.test(
  'how fast a kernel is follows from what was done here, and where that was nothing from no run',
  async (t) => {
    const { endings, set } = byHand(t);
    endings.over(running(), { ms: 100, counted: 600, before: 400 });
    endings.over(running(), { ms: 100, counted: 400, before: 400 });
    endings.began(running(), 100);
    t.same(
      set.map(({ ms }) => ms),
      [250 - 5],
      '500 of 600 at 2 a ms',
    );
  },
);

t.test('an end is foreseen once, and not of what is over', async (t) => {
  const { endings, set, cleared, told } = byHand(t);
  const one = running();
  endings.advanced(one, { ms: 100, counted: 500, before: 0 });
  set[0]!.run();
  endings.advanced(one, { ms: 150, counted: 600, before: 0 });
  t.same([set.length, told(), endings.count], [1, 1, 1]);
  const other = running();
  endings.advanced(other, { ms: 100, counted: 500, before: 0 });
  endings.over(other);
  t.same(cleared, [2], 'the timer that was set second');
});

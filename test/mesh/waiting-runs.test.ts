import t from 'tap';
import { WaitingRuns } from '../../mesh/waiting-runs.ts';

const names = (taken: readonly { readonly run: string }[]) => taken.map(({ run }) => run);

/** Named in the order that is the worst. */
function four(most?: number): WaitingRuns {
  const waiting = new WaitingRuns(most);
  waiting.add('d', 'free-large');
  waiting.add('c', 'free-small');
  waiting.add('b', 'paid-large');
  waiting.add('a1', 'paid-small');
  waiting.add('a2', 'paid-small');
  waiting.add('a1', 'paid-small');
  return waiting;
}

t.test(
  'runs are taken paid before free, small before large, each once, the first that came first',
  async (t) => {
    const waiting = four();
    t.strictSame(waiting.take(1), [{ run: 'a1', class: 'paid-small' }]);
    t.strictSame(names(waiting.take(2)), ['a2', 'b']);
    waiting.add('a3', 'paid-small');
    t.strictSame(
      names(waiting.take(10)),
      ['a3', 'c', 'd'],
      'one that comes later and is of an earlier class',
    );
    t.strictSame(waiting.take(10), []);
  },
);

t.test('of one class none of another is given', async (t) => {
  const waiting = four();
  t.strictSame(names(waiting.take(10, ['free-small'])), ['c']);
  t.strictSame(names(waiting.take(10)), ['a1', 'a2', 'b', 'd']);
});

t.test('where there is no room the last of the last class goes, never one that is paid', async (t) => {
  t.strictSame(names(four(3).take(10)), ['a1', 'a2', 'b']);
  t.strictSame(names(four(1).take(10)), ['a1']);
});

import t from 'tap';
import { AskedOnce } from '../../../mesh/nats/asked-once.ts';

const SECOND = 1000;
/** 120 ticks. */
const WINDOW = 93 * SECOND;

function scene() {
  let now = 1_000_000 * SECOND;
  const asked = new AskedOnce(() => now);
  return {
    asked,
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

t.test('a question is new once, for each node and each attempt', async (t) => {
  const { asked, now } = scene();
  t.ok(asked.isNew('a', 'q/0', now()));
  t.notOk(asked.isNew('a', 'q/0', now()));
  t.ok(asked.isNew('a', 'q/1', now()));
  t.ok(asked.isNew('b', 'q/0', now()));
});

t.test('one that is older or newer than 120 ticks is refused, whatever is remembered', async (t) => {
  const { asked, now, pass } = scene();
  t.ok(asked.isNew('a', '1', now() - WINDOW));
  t.ok(asked.isNew('a', '2', now() + WINDOW));
  t.notOk(asked.isNew('a', '3', now() - WINDOW - SECOND));
  t.notOk(asked.isNew('a', '4', now() + WINDOW + SECOND));
  const at = now();
  for (let i = 0; i < 400; i++) {
    t.equal(asked.isNew('a', 'again', at), i === 0);
    pass(SECOND);
    asked.isNew('b', String(i), now());
  }
});

t.test('a question from ahead of our clock is not answered a second time when we come there', async (t) => {
  const { asked, now, pass } = scene();
  const at = now() + WINDOW;
  t.ok(asked.isNew('a', 'q', at));
  for (let i = 0; i < 200; i++) {
    pass(SECOND);
    t.notOk(asked.isNew('a', 'q', at));
  }
});

t.test('who asks more than is remembered loses what is older, and nobody else does', async (t) => {
  const { asked, now, pass } = scene();
  const first = now();
  t.ok(asked.isNew('a', 'first', first));
  t.ok(asked.isNew('b', 'first', first));
  for (let i = 0; i < 20_000; i++) {
    pass(1);
    if (!asked.isNew('a', String(i), now())) t.fail('what is new is answered');
  }
  t.notOk(asked.isNew('a', 'first', first), 'forgotten, and refused all the same');
  t.notOk(asked.isNew('a', 'never asked', first), 'as everything of that time is');
  t.notOk(asked.isNew('b', 'first', first));
  t.ok(asked.isNew('b', 'never asked', first));
});

import t from 'tap';
import { GiveBacks } from '../../../mesh/contributor/give-backs.ts';
import type { Holding } from '../../../mesh/desk.ts';

const check = { run: 'run', fence: 7, from: 3 };
const lease = { run: 'run', fence: 8 };

/** A service that nobody reaches. */
function unreached() {
  const said: Holding[] = [];
  const release = async (holding: Holding) => {
    said.push(holding);
    throw new Error('nobody answers');
  };
  return { said, giveBacks: new GiveBacks({ release }) };
}

t.test('a give-back is said again until it is heard', async (t) => {
  const said: [Holding, boolean][] = [];
  const release = async (holding: Holding, failed: boolean) => {
    said.push([holding, failed]);
    if (said.length < 3) throw new Error('nobody answers');
  };
  const giveBacks = new GiveBacks({ release });
  const heard = giveBacks.say(check, true);
  t.ok(giveBacks.has(check));
  await heard;
  t.same(
    said,
    [0, 1, 2].map(() => [check, true]),
  );
  t.notOk(giveBacks.has(check));
});

t.test('or until the service has taken it back by itself', async (t) => {
  const { said, giveBacks } = unreached();
  const all = [giveBacks.say(check, false), giveBacks.say(lease, false)];
  giveBacks.lost({ run: 'run', fence: 7 });
  t.ok(giveBacks.has(check), 'of a lease, which it was not');
  giveBacks.lost(check);
  await all[0];
  t.notOk(giveBacks.has(check));
  t.ok(giveBacks.has(lease), 'the other is still said');
  t.ok(giveBacks.hasLeaseOf('run'));
  giveBacks.close();
  await all[1];
  t.notOk(giveBacks.hasLeaseOf('run'));
  t.same(said, [check, lease]);
});

t.test('a check that is given back is no lease of its run', async (t) => {
  const { giveBacks } = unreached();
  const said = giveBacks.say(check, false);
  t.notOk(giveBacks.hasLeaseOf('run'));
  giveBacks.close();
  await said;
});

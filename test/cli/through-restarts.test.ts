import t from 'tap';
import { NoAnswer, StrangeAnswer } from '../../src/cli/remote.ts';
import { throughRestarts } from '../../src/cli/through-restarts.ts';
import { Refusal } from '../../src/errors/refusal.ts';

/** Throws what it is given, one after the other, then tells how often it was asked. */
function node(...faults: readonly Error[]) {
  let asked = 0;
  return async () => {
    const fault = faults[asked++];
    if (fault) throw fault;
    return asked;
  };
}

t.test('a node that is away or not ready is asked again', async (t) => {
  const away = new NoAnswer('http://node.example', new Error('refused'));
  t.equal(await throughRestarts(node(away, new Refusal('STORE_UNAVAILABLE', 'The store is away.'))), 3);
});

t.test('what it refuses, or answers strangely, is final', async (t) => {
  for (const fault of [new Refusal('NOT_FOUND', 'No such challenge.'), new StrangeAnswer('/x', 'nonsense')])
    await t.rejects(throughRestarts(node(fault)), fault);
});

import fc from 'fast-check';
import t from 'tap';
import { placementOrder, type Sides } from '../../../mesh/decide/placement.ts';
import type { NodeFacts } from '../../../mesh/decide/run.ts';

const beacon = new Uint8Array(32).fill(3);
const nobody: Sides = { nodes: new Set(), owners: new Set(), engines: new Set() };
const many = (count: number, engines = 1): NodeFacts[] =>
  Array.from({ length: count }, (_, i) => ({ id: `n${i}`, owner: `o${i % 7}`, engine: `e${i % engines}` }));
const ids = (nodes: readonly NodeFacts[]) => nodes.map(({ id }) => id);

t.test('neither sides nor owners of sides are in the order, and everybody else is', async (t) => {
  const node = fc.record({
    id: fc.constantFrom(...'abcdefgh'),
    owner: fc.constantFrom(...'uvwxyz'),
    engine: fc.constantFrom('v8', 'wasmtime'),
  });
  const nodes = fc.uniqueArray(node, { selector: ({ id }) => id });
  fc.assert(
    fc.property(
      nodes,
      fc.subarray([...'abcdefgh']),
      fc.subarray([...'uvwxyz']),
      (candidates, out, owners) => {
        const sides = { nodes: new Set(out), owners: new Set(owners), engines: new Set(['v8']) };
        const order = placementOrder(candidates, sides, beacon, 'run/1/third');
        const may = candidates.filter(({ id, owner }) => !sides.nodes.has(id) && !sides.owners.has(owner));
        t.same(ids(order).sort(), ids(may).sort());
        return true;
      },
    ),
  );
});

t.test(
  'other engines come first in half of the draws, and an engine of a name of its own in no more',
  async (t) => {
    const accomplice = { id: 'z', owner: 'z', engine: 'engine of its own' };
    const candidates = [...many(99), accomplice];
    const sides = { ...nobody, engines: new Set(['e0']) };
    let isFirst = 0;
    for (let i = 0; i < 2000; i++)
      if (placementOrder(candidates, sides, beacon, `run/${i}/second`)[0] === accomplice) isFirst++;
    // A binomial of 2,000 draws at (1 + 1/100)/2 = 0.505 has σ = 22.4; four of them either way.
    t.ok(isFirst > 920 && isFirst < 1100, `${isFirst} of 2000`);
  },
);

t.test('the order does not depend on how the candidates stand', async (t) => {
  const nodes = many(50);
  const order = placementOrder(nodes, nobody, beacon, 'run/1/second');
  t.same(placementOrder([...nodes].reverse(), nobody, beacon, 'run/1/second'), order);
});

t.test('a node that leaves changes nobody else’s place (rendezvous hashing)', async (t) => {
  const nodes = many(50);
  const order = ids(placementOrder(nodes, nobody, beacon, 'run/1/second'));
  const without = ids(placementOrder(nodes.slice(1), nobody, beacon, 'run/1/second'));
  t.same(
    without,
    order.filter((id) => id !== 'n0'),
  );
});

t.test('nobody is favoured by more than chance allows', async (t) => {
  const nodes = many(10);
  const counts = new Map<string, number>();
  for (let i = 0; i < 2000; i++) {
    const { id } = placementOrder(nodes, nobody, beacon, `run/${i}/second`)[0]!;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const squares = [...counts.values()].reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0);
  // χ² of 9 degrees of freedom passes 27.88 in one case of 1,000 (Abramowitz and Stegun 1964, table 26.8).
  t.equal(counts.size, 10);
  t.ok(squares < 27.88, `${squares}`);
});

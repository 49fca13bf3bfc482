import fc from 'fast-check';
import t from 'tap';
import { sha256 } from '#crypto';
import { fromHex, toHex, u32le } from '../../src/proof/bytes.ts';
import {
  appendLeaves,
  consistencyProof,
  emptyLog,
  inclusionProof,
  type LogState,
  logRoot,
  type NodeReader,
  verifyConsistency,
  verifyInclusion,
} from '../../src/proof/log-tree.ts';
import { leafHash, rootOfHashes } from '../../src/proof/merkle.ts';

// Leaves, roots and proofs of Certificate Transparency's reference tree (google/certificate-transparency,
// merkletree tests; also in google/trillian merkle/log_verifier_test.go).
const leaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const h = {
  one: '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  upper: '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  right: '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  four: 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  sixth: 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  pair: '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
};
const inclusion: [index: number, size: number, proof: string[]][] = [
  [0, 1, []],
  [0, 8, [h.one, h.upper, h.right]],
  [5, 8, [h.four, h.sixth, roots[3]!]],
  [2, 3, [roots[1]!]],
  [1, 5, [roots[0]!, h.upper, h.four]],
];
const consistency: [first: number, second: number, proof: string[]][] = [
  [1, 1, []],
  [1, 8, [h.one, h.upper, h.right]],
  [6, 8, [h.pair, h.sixth, roots[3]!]],
  [2, 5, [h.upper, h.four]],
];

/** A tree with its stored nodes; counts the reads. */
class Stored implements NodeReader {
  state: LogState = emptyLog;
  reads = 0;
  readonly nodes = new Map<string, Uint8Array>();

  append(hashes: readonly Uint8Array[]) {
    const batch = appendLeaves(this.state, hashes);
    for (const { level, index, hash } of batch.nodes) this.nodes.set(`${level}/${index}`, hash);
    this.state = batch.state;
    return batch;
  }

  async node(level: number, index: number): Promise<Uint8Array> {
    this.reads++;
    return this.nodes.get(`${level}/${index}`) ?? Promise.reject(new Error(`no node ${level}/${index}`));
  }
}

const hashesOf = (count: number) => Array.from({ length: count }, (_, i) => leafHash(u32le(i)));
const reference = leaves.map((leaf) => leafHash(fromHex(leaf)));

t.test("roots are those of Certificate Transparency's reference tree", async (t) => {
  const tree = new Stored();
  t.equal(toHex(logRoot(emptyLog)), toHex(sha256()), 'the empty tree is the hash of nothing');
  for (const [i, hash] of reference.entries()) t.equal(toHex(tree.append([hash]).root), roots[i]);
  t.equal(toHex(appendLeaves(emptyLog, reference).root), roots[7], 'in one batch');
});

t.test('inclusion proofs are those of the reference tree', async (t) => {
  const tree = new Stored();
  tree.append(reference);
  for (const [index, size, proof] of inclusion) {
    t.same((await inclusionProof(index, size, tree)).map(toHex), proof, `leaf ${index} of ${size}`);
    t.ok(verifyInclusion(index, size, reference[index]!, proof.map(fromHex), fromHex(roots[size - 1]!)));
  }
  await t.rejects(inclusionProof(8, 8, tree), RangeError);
});

t.test('consistency proofs are those of the reference tree', async (t) => {
  const tree = new Stored();
  tree.append(reference);
  for (const [first, second, proof] of consistency) {
    t.same((await consistencyProof(first, second, tree)).map(toHex), proof, `${first} to ${second}`);
    const [old, grown] = [roots[first - 1]!, roots[second - 1]!].map(fromHex) as [Uint8Array, Uint8Array];
    t.ok(verifyConsistency(first, second, old, grown, proof.map(fromHex)));
  }
  await t.rejects(consistencyProof(0, 8, tree), RangeError);
  await t.rejects(consistencyProof(9, 8, tree), RangeError);
});

t.test('any cutting into batches gives the root of all leaves, and proofs without the store', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 6 });
  fc.assert(
    fc.property(sizes, (batches) => {
      const all = hashesOf(batches.reduce((sum, size) => sum + size, 0));
      let state = emptyLog;
      for (const size of batches) {
        const from = state.size;
        const batch = appendLeaves(state, all.slice(from, from + size));
        state = batch.state;
        for (let i = from; i < state.size; i++) {
          if (!verifyInclusion(i, state.size, all[i]!, batch.inclusionProof(i), batch.root)) return false;
        }
      }
      return toHex(logRoot(state)) === toHex(rootOfHashes(all));
    }),
    { numRuns: 40 },
  );
});

const sizePair = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat({ max: 299 }), fc.nat());

t.test('inclusion holds for every size and leaf, from few nodes, and for nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(sizePair, async ([size, leaf, where]) => {
      const index = leaf % size;
      const tree = new Stored();
      const all = hashesOf(size);
      const { root } = tree.append(all);
      const proof = await inclusionProof(index, size, tree);
      const isRight = verifyInclusion(index, size, all[index]!, proof, root);
      const isWrong = mutations(proof, where).some((wrong) =>
        verifyInclusion(index, size, all[index]!, wrong, root),
      );
      const isMoved = size > 1 && verifyInclusion((index + 1) % size, size, all[index]!, proof, root);
      return isRight && !isWrong && !isMoved && tree.reads <= 2 * Math.ceil(Math.log2(size) + 1);
    }),
    { numRuns: 60 },
  );
});

t.test('consistency holds between every two sizes, and for nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(sizePair, async ([second, a, where]) => {
      const first = 1 + (a % second);
      const tree = new Stored();
      const old = tree.append(hashesOf(second).slice(0, first)).root;
      const grown = tree.append(hashesOf(second).slice(first)).root;
      const proof = await consistencyProof(first, second, tree);
      const isRight = verifyConsistency(first, second, old, grown, proof);
      const wrongs = mutations(proof, where);
      const isWrong = wrongs.some((wrong) => verifyConsistency(first, second, old, grown, wrong));
      const isOther = first < second && verifyConsistency(first, second, grown, grown, proof);
      return isRight && !isWrong && !isOther;
    }),
    { numRuns: 60 },
  );
});

/** The proof with a bit changed, an element more, an element less. */
function mutations(proof: readonly Uint8Array[], where: number): Uint8Array[][] {
  const longer = [...proof, sha256()];
  if (proof.length === 0) return [longer];
  const changed = proof.map((hash) => hash.slice());
  changed[where % proof.length]![where % 32]! ^= 1 << (where % 8);
  return [longer, proof.slice(0, -1), proof.slice(1), changed];
}

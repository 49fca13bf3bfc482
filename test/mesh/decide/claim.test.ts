import { createHash } from 'node:crypto';
import t from 'tap';
import {
  type Claim,
  claimRoot,
  commitmentOf,
  firstDifference,
  isClaim,
  isCommittedTo,
} from '../../../mesh/decide/claim.ts';
import { kernels, Scene, salt } from './scene.ts';

const claim = new Scene().truth(2, 4);
const sha = (...parts: readonly (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

t.test(
  'the commitment is a salted hash of the RFC 6962 root over the digests and what is said beside them',
  async (t) => {
    const { digests, ...beside } = claim;
    const leaf = (bytes: Uint8Array | string) => sha(Uint8Array.of(0), bytes);
    const parent = (left: Uint8Array, right: Uint8Array) => sha(Uint8Array.of(1), left, right);
    const members = Object.keys(beside).sort();
    const text = `{${members.map((key) => `"${key}":${JSON.stringify((beside as never)[key])}`).join(',')}}`;
    const [a, b, c] = digests.map((digest) => leaf(Buffer.from(digest, 'hex')));
    const root = parent(parent(a!, b!), parent(c!, leaf(text)));
    t.same(Buffer.from(claimRoot(claim)), root);
    t.same(Buffer.from(commitmentOf(claim, salt)), sha('SVC-COMMIT-1\0', salt, root));
  },
);

t.test('nothing of a claim can change behind its commitment', async (t) => {
  const commitment = commitmentOf(claim, salt);
  t.ok(isCommittedTo(claim, salt, commitment));
  const hash = kernels.hash('other');
  const changes: Partial<Claim>[] = [
    { digests: [hash, ...claim.digests.slice(1)] },
    ...[{ from: 1 }, { to: 5 }, { steps: 1 }, { work: '1' }, { state: hash }, { rowsRoot: hash }],
    ...[{ rowsHash: hash }, { final: { status: 1, result: hash } }],
  ];
  for (const change of changes)
    t.notOk(isCommittedTo({ ...claim, ...change }, salt, commitment), Object.keys(change).join());
  t.notOk(isCommittedTo(claim, new Uint8Array(32), commitment), 'nor the salt');
  t.notOk(
    isCommittedTo(claim, new Uint8Array(0), commitmentOf(claim, new Uint8Array(0))),
    'a salt has 32 bytes',
  );
});

t.test(
  'the first segment that differs is found, and what stands beside the digests differs in the last',
  async (t) => {
    const scene = new Scene();
    for (const at of [0, 1, 5, 9]) t.equal(firstDifference(scene.truth(0, 9), scene.lie(0, 9, at)), at);
    t.equal(firstDifference(scene.truth(3, 8), scene.lie(3, 8, 6)), 6);
    t.equal(firstDifference(claim, { ...claim, work: '1' }), 4);
    t.equal(firstDifference(claim, { ...claim, final: { status: 1, result: claim.state } }), 4);
    t.equal(firstDifference(claim, { ...claim }), undefined);
  },
);

t.test('what has not the shape of a claim is none', async (t) => {
  t.ok(isClaim(claim));
  t.ok(isClaim({ ...claim, final: { status: 17, result: claim.state } }));
  const wrong: Record<string, unknown>[] = [
    ...[{ from: -1 }, { from: 0.5 }, { from: 5 }, { to: 1e300 }, { to: '4' }, { steps: Number.NaN }],
    ...[{ digests: claim.digests.slice(1) }, { digests: 'abc' }, { digests: [1, 2, 3] }],
    { digests: claim.digests.map((digest) => digest.toUpperCase()) },
    ...[{ work: '01' }, { work: '-1' }, { work: '1e3' }, { work: 7 }, { work: '9'.repeat(19) }],
    ...[{ state: '' }, { state: undefined }, { rowsRoot: 'é'.repeat(64) }, { rowsHash: null }],
    ...[{ final: { status: 0, result: claim.state } }, { final: { status: 1, result: 'x' } }],
  ];
  for (const change of wrong) t.notOk(isClaim({ ...claim, ...change } as Claim), JSON.stringify(change));
});

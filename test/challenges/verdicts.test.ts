import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { childrenIn } from '../../mesh/decide/bisection.ts';
import type { Difference } from '../../src/challenges/challenger.ts';
import { openStakes } from '../../src/challenges/stakes.ts';
import { fromBase64, toHex, utf8 } from '../../src/proof/bytes.ts';
import { readVerdict, verdictLeaf } from '../../src/proof/challenge-verdict.ts';
import { readCheckpoint, readLogProof } from '../../src/proof/checkpoint.ts';
import { verifyInclusion } from '../../src/proof/log-tree.ts';
import { leafHash } from '../../src/proof/merkle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { leafHashOf, readRevocations } from '../../src/proof/revocation.ts';
import { readStatement } from '../../src/proof/statement.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { envelopes, idempotencyKeys, jobs } from '../../src/spine/records.ts';
import { KernelCatalogue, releasedKernels } from '../../workers/kernels.ts';
import { figureEight } from '../spine/test-node.ts';
import { court, type Stranger, settledView, slander } from './challenged.ts';
import { type Lie, LyingExecutor, type SealedJob, sealedBy } from './lying.ts';

const api = await court(t);
const { stranger, node } = api;

const meansOf = (zid: string) => node.accounts.means(zid);
const coinOf = ({ answer }: SealedJob) => node.store.get(envelopes, { token_id: answer.envelope.token_id! });
const soundBooks = async () => {
  const { sound, problems, ledger } = await auditSpine(node.store, undefined, { vkeys: [] }, [openStakes]);
  return { sound, problems, sum: ledger.units.planck!.sum };
};
const books = { sound: true, problems: [], sum: 0n };

t.test(
  'a lie about one segment verifies offline, and an honest stranger has it overturned through HTTP (CONTRIB-06)',
  async (t) => {
    const before = await meansOf(api.zid);
    const sealed = await api.seal({ run: 0, segment: 60 });
    const asAnswer = () => api.get(`/api/svc/jobs/${sealed.job}/answer`);
    t.equal((await asAnswer()).headers['x-svc-revoked-by'], undefined);
    t.equal(
      verifyAnswer(readAnswer(sealed.text), { vkeys: [node.vkey] }).verdict,
      'SOUND',
      'its digests fit',
    );
    t.ok((await meansOf(api.zid)).free < before.free, 'it was charged');
    const stake = await meansOf(stranger.zid);

    const difference = (await stranger.rerun(sealed))!;
    t.equal(difference.run, 0);
    const found = await stranger.contest(sealed, difference);
    const most = Math.ceil(Math.log2(sealed.runs[0]!.segments + 1));
    t.ok(found.exchanges <= most, `${found.exchanges} exchanges of at most ${most}`);
    t.match(found, { dispute: { from: 60, count: 1 } }, 'the first segment that differs');

    const ended = await settledView(api, found.challenge);
    t.match(ended, { state: 'settled', outcome: 'contributor_wrong', deadline_tick: null });
    t.equal(ended.shown.length, found.exchanges, 'all that was shown can be read');
    t.notMatch(JSON.stringify(ended), new RegExp(`${api.zid}|${stranger.zid}`), 'and no account');
    t.same(await meansOf(api.zid), before, 'the charge went back where it came from');
    t.same(await meansOf(stranger.zid), stake, 'the stake is back');
    t.match(await coinOf(sealed), { locked_by: `void/${found.challenge}`, revoked_ns: BigInt });
    const { body: job } = await api.get(`/api/svc/jobs/${sealed.job}`);
    t.match(job, { state: 'done', revoked_by: found.challenge }, 'the job says so');
    const { headers, body: answer } = await asAnswer();
    t.equal(headers['x-svc-revoked-by'], found.challenge, 'and so does who gives its answer out');
    t.same(answer.envelope, sealed.answer.envelope, 'which is what was sealed');
    const { account, solver, request_hash, created_ns } = (await node.store.get(jobs, { id: sealed.job }))!;
    const repeated = { account, solver, request_hash, created_ns, job: sealed.job, idempotency_key: 'again' };
    await node.store.transaction((tx) => tx.insert(idempotencyKeys, repeated));
    const again = await api.post(`/api/svc/${solver}`, answer.request, { 'idempotency-key': 'again' });
    t.match(again, { status: 200, body: { envelope: answer.envelope } });
    t.equal(again.headers['x-svc-revoked-by'], found.challenge, 'also where a request is repeated');
    t.same(await soundBooks(), books, 'the audit sums to zero');

    t.test('the verdict is signed, and a leaf of the log', async (t) => {
      const statement = readStatement(ended.verdict, [node.vkey]);
      t.match(statement, { kind: 'svc-verdict-1', signedBy: node.name });
      const verdict = readVerdict(statement.content);
      t.match(verdict, {
        ...{ outcome: 'contributor_wrong', run: 0, from: 60, through: 60, agreed: true, faulty: [] },
        of: { envelope: leafHashOf(sealed.answer.envelope) },
        ...{ before: (sealed.runs[0]!.digests as string[])[59], third: null },
      });
      t.equal(verdict.service.hash, verdict.challenger.hash);
      const leaf = leafHash(utf8(verdictLeaf(ended.verdict.split('\n')[1])));
      const proof = readLogProof((await api.get(`/api/svc/log/proof/${ended.verdict_index}`)).text);
      const { size, root } = readCheckpoint(proof.checkpoint);
      t.ok(verifyInclusion(proof.index, size, leaf, proof.path.map(fromBase64), root));
    });

    t.test('the revocation is listed behind the receipt, with its proof', async (t) => {
      const { index } = sealed.answer.receipt.log;
      const { body: page } = await api.get(`/api/svc/revocations?since=${index + 1}`, { authorization: '' });
      const { revocations, next } = readRevocations(page, node.name, [node.vkey]);
      t.match(revocations, [
        { envelope: leafHashOf(sealed.answer.envelope), challenge: found.challenge, index },
      ]);
      t.equal(next, null);
      const later = (await api.get(`/api/svc/revocations?since=${ended.revocation_index + 1}`)).body;
      t.same(readRevocations(later, node.name, [node.vkey]).revocations, []);
      const forged = { ...page, revocations: [{ ...page.revocations[0], index: 0 }] };
      t.throws(() => readRevocations(forged, node.name, [node.vkey]), { code: 'INVALID_INPUT' });
      t.throws(() => readRevocations(page, 'another', [node.vkey]), { code: 'INVALID_INPUT' });
    });

    t.test('it is not revoked twice', async (t) => {
      const other = await api.another();
      const { status, body } = await open(other, sealed, difference);
      t.match(
        { status, body },
        { status: 409, body: { error: { code: 'CONFLICT', challenge: found.challenge } } },
      );
      t.equal(
        (await open(stranger, sealed, difference)).body.state,
        'settled',
        'a repeat is the same challenge',
      );
    });
  },
);

const open = (who: Stranger, { answer }: SealedJob, { run, claim }: Difference) =>
  who.post('/api/svc/challenges', { envelope: answer.envelope, run, ...claim });

t.test('who slanders an honest result loses its stake, and the result stands', async (t) => {
  const sealed = await api.seal(undefined);
  t.equal(await stranger.rerun(sealed), undefined, 'an honest stranger finds nothing to contest');
  const slanderer = await api.another();
  const [before, paid] = [await meansOf(slanderer.zid), await meansOf(api.zid)];
  const found = await slanderer.contest(sealed, slander(sealed, 1, 77));
  t.match(found, { dispute: { from: 77, count: 1 } });
  const ended = await settledView(api, found.challenge);
  t.match(ended, { state: 'settled', outcome: 'challenger_wrong', revocation_index: null });
  const after = await meansOf(slanderer.zid);
  t.equal(before.free - after.free, BigInt(found.stake_plancks));
  t.equal(after.held, 0n);
  t.same(await meansOf(api.zid), paid, 'nothing is given back');
  t.match(await coinOf(sealed), { locked_by: null, revoked_ns: null });
  t.same(await soundBooks(), books);
});

t.test(
  'what matches neither side is not reproducible: revoked, refunded, nobody slashed (CONTRIB-07)',
  async (t) => {
    const before = await meansOf(api.zid);
    const sealed = await api.seal({ run: 0, segment: 40 });
    const other = await api.another();
    const stake = await meansOf(other.zid);
    const found = await other.contest(sealed, slander(sealed, 0, 40));
    const ended = await settledView(api, found.challenge);
    t.match(ended, { state: 'settled', outcome: 'not_reproducible', revocation_index: Number });
    t.same(await meansOf(other.zid), stake, 'the stake is back');
    t.same(await meansOf(api.zid), before, 'the charge is back');
    const { content } = readStatement(ended.verdict, [node.vkey]);
    t.match(content, { faulty: [], agreed: true, revoked: true });
    t.same(await soundBooks(), books);
  },
);

t.test('a dispute behind a lie on which both sides agree is not reproducible', async (t) => {
  const sealed = await api.seal({ run: 0, segment: 30 });
  const found = await (await api.another()).contest(sealed, slander(sealed, 0, 90));
  const ended = await settledView(api, found.challenge);
  t.match(ended, { outcome: 'not_reproducible' });
  t.match(readStatement(ended.verdict, [node.vkey]).content, { agreed: false });
});

t.test('equal digests with other work or another result are a dispute of the last segment', async (t) => {
  const more = await api.seal(undefined, {
    falsified: (run, i) => (i === 1 ? { ...run, work: run.work - 1000n } : run),
  });
  const difference = (await stranger.rerun(more))!;
  t.equal(difference.claim.root, more.runs[1]!.root);
  const found = await stranger.contest(more, difference);
  t.match(found, { exchanges: 0, dispute: { from: more.runs[1]!.segments, count: 1 } });
  const ended = await settledView(api, found.challenge);
  t.equal(ended.outcome, 'contributor_wrong');
  t.match(readStatement(ended.verdict, [node.vkey]).content, {
    sealed: { work: more.runs[1]!.work },
    service: { work: difference.claim.work },
  });
  const honest = await api.seal(undefined);
  const { root, work, segments, label } = honest.runs[0]!;
  const slander = { run: 0, label, digests: [], claim: { root, work, segments, resultHash: '7'.repeat(64) } };
  const lost = await (await api.another()).contest(honest, slander);
  t.equal((await settledView(api, lost.challenge)).outcome, 'challenger_wrong');
});

t.test('a run that ends earlier or later than it was sealed is contested like any other', async (t) => {
  for (const cut of [-3, 2]) {
    const sealed = await api.seal(undefined, {
      falsified: (run, i) => (i === 0 ? { ...run, digests: resized(run.digests, cut) } : run),
    });
    const found = await stranger.contest(sealed, (await stranger.rerun(sealed))!);
    t.equal((await settledView(api, found.challenge)).outcome, 'contributor_wrong', `${cut} segments`);
  }
});

function resized(digests: readonly Uint8Array[], by: number): readonly Uint8Array[] {
  const more = Array.from({ length: Math.max(by, 0) }, (_, i) => new Uint8Array(32).fill(i + 1));
  return [...digests.slice(0, digests.length + Math.min(by, 0)), ...more];
}

t.test('of a list that is too long to stand in the answer a span of segments is found', async (t) => {
  const body = { ...figureEight, t_max: 90 };
  const sealed = await api.seal({ run: 0, segment: 11_111 }, { steps: 1, body });
  const { digests, segments } = sealed.runs[0]!;
  t.match(digests, { level: 1 }, `${segments} segments`);
  const found = await stranger.contest(sealed, (await stranger.rerun(sealed))!);
  t.match(found, { dispute: { from: 11_110, count: 2 } });
  t.ok(found.exchanges <= Math.ceil(Math.log2(segments + 1)));
  const ended = await settledView(api, found.challenge);
  t.equal(ended.outcome, 'contributor_wrong');
  t.match(readStatement(ended.verdict, [node.vkey]).content, { from: 11_110, through: 11_111 });
});

t.test('an exchange that is said again changes nothing; another in its place is refused', async (t) => {
  const sealed = await api.seal({ run: 0, segment: 5 });
  const difference = (await stranger.rerun(sealed))!;
  const hex = difference.digests.map(toHex);
  const { body: first } = await open(stranger, sealed, difference);
  t.same((await open(stranger, sealed, difference)).body, first);
  const path = `/api/svc/challenges/${first.challenge}/children`;
  const { from, count } = first.dispute;
  const shown = { from, count, ...childrenIn(hex, from, count) };
  const second = (await stranger.post(path, shown)).body;
  t.equal(second.exchanges, 1);
  t.same((await stranger.post(path, shown)).body, second);
  t.match(await stranger.post(path, { ...shown, left: shown.right }), { status: 409 });
  t.match(await stranger.post(path, { ...shown, from: 1 }), { status: 409 });
  const other = await api.another();
  t.match(await other.post(path, shown), { status: 403, body: { error: { code: 'FORBIDDEN' } } });
  const wrong = { ...second.dispute, left: shown.left, right: shown.right };
  t.match(await stranger.post(path, wrong), { status: 400, body: { error: { code: 'INVALID_INPUT' } } });
  t.equal((await api.get(`/api/svc/challenges/${first.challenge}`)).body.exchanges, 1, 'which costs nothing');
  await stranger.contest(sealed, difference);
  await node.challenges.idle();
  t.match(
    await stranger.post(path, shown),
    { status: 200, body: { state: 'settled' } },
    'also after the end',
  );
  t.match(await stranger.post(path, wrong), { status: 409 });
});

t.test(
  'of two challengers at once the first overturns the result, and the other gets its stake back',
  async (t) => {
    const sealed = await api.seal({ run: 0, segment: 100 });
    const [one, two, three] = [stranger, await api.another(), await api.another()];
    const stakes = await Promise.all([meansOf(two.zid), meansOf(three.zid)]);
    const difference = (await one.rerun(sealed))!;
    const { body: waiting } = await open(three, sealed, slander(sealed, 2, 3));
    t.equal(waiting.state, 'bisecting');
    const found = await Promise.all([one, two].map((who) => who.contest(sealed, difference)));
    const ended = await Promise.all(found.map(({ challenge }) => settledView(api, challenge)));
    t.same(ended.map(({ state }) => state).sort(), ['moot', 'settled']);
    t.match(await settledView(api, waiting.challenge), {
      state: 'moot',
      outcome: null,
      detail: /revoked before/,
    });
    t.same(await Promise.all([meansOf(two.zid), meansOf(three.zid)]), stakes);
    t.same(await soundBooks(), books, 'refunded once');
  },
);

/** The kernels that a release called by their names. */
class Released extends KernelCatalogue {
  readonly #digests: Readonly<Record<string, string>>;

  constructor(version: string) {
    super();
    this.#digests = JSON.parse(readFileSync(join(releasedKernels, 'releases.json'), 'utf8'))[version];
  }

  override digest(name: string): string {
    return this.#digests[name]!;
  }
}

t.test('a result of an earlier release is settled with the kernels that it was sealed with', async (t) => {
  const catalogue = new Released('0.1.0');
  const kernel = catalogue.digest('multibody');
  t.not(kernel, api.node.catalogue.digest('multibody'), 'this release runs another one');
  const earlier = Object.create(api.node, { catalogue: { value: catalogue } });
  const seal = (lie?: Lie) => sealedBy(earlier, api.dataDir, api.zid, new LyingExecutor(api.node, lie));
  const lied = await seal({ run: 0, segment: 9 });
  t.equal(lied.runs[0]!.kernel, kernel);
  const found = await stranger.contest(lied, (await stranger.rerun(lied))!);
  t.equal((await settledView(api, found.challenge)).outcome, 'contributor_wrong');
  const honest = await seal();
  t.equal(await stranger.rerun(honest), undefined, 'the stranger finds nothing in an honest one');
  const lost = await stranger.contest(honest, slander(honest, 0, 3));
  t.equal((await settledView(api, lost.challenge)).outcome, 'challenger_wrong');
});

t.test('challenges are listed by job or coin, newest first', async (t) => {
  const sealed = await api.seal({ run: 0, segment: 2 });
  const found = await stranger.contest(sealed, (await stranger.rerun(sealed))!);
  for (const id of [sealed.job, sealed.answer.envelope.token_id])
    t.match((await api.get(`/api/svc/challenges?job=${id}`)).body, {
      challenges: [{ challenge: found.challenge }],
      total: 1,
    });
  const { body } = await api.get('/api/svc/challenges?limit=1', { authorization: '' });
  t.match(body, { challenges: [{ challenge: found.challenge }] });
  t.ok(body.total > 5);
  t.match((await api.get('/api/svc/challenges?job=job_0')).body, { challenges: [], total: 0 });
  await node.challenges.idle();
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { rejudgedSegment } from '../../src/challenges/rejudge-segment.ts';
import {
  readSegmentVerdict,
  type SegmentVerdictStatement,
  segmentVerdictLeaf,
} from '../../src/challenges/segment-verdict.ts';
import { fromBase64, utf8 } from '../../src/proof/bytes.ts';
import { readCheckpoint, readLogProof } from '../../src/proof/checkpoint.ts';
import { verifyInclusion } from '../../src/proof/log-tree.ts';
import { leafHash } from '../../src/proof/merkle.ts';
import { noteSigner, vkeyText } from '../../src/proof/note.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { readStatement, signStatement } from '../../src/proof/statement.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { svc } from '../cli/svc.ts';
import { contributor, secret, server } from '../mesh/over-nats.ts';
import { repositoryRoot } from '../root.ts';
import { natsMissing } from '../servers/nats.ts';
import { pythonMissing, runPython } from '../servers/python.ts';
import { figureEight } from '../spine/test-node.ts';
import { court, sealedOver } from './challenged.ts';

/** The second verifier, test/python/verifier.py, with an answer and, where there is one, a proof of the log. */
function pythonJudge(folder: string, files: { readonly answer: string; readonly log: string }) {
  const verifier = join(repositoryRoot, 'test', 'python', 'verifier.py');
  const [noteFile, proofFile] = [join(folder, 'twin.txt'), join(folder, 'log-proof.txt')];
  return async (note: string, vkey: string, log = files.log) => {
    writeFileSync(noteFile, note);
    if (log !== '') writeFileSync(proofFile, log);
    const proof = log === '' ? [] : ['--proof', proofFile];
    const args = ['-B', verifier, 'verdict', noteFile, '--answer', files.answer, '--key', vkey, '--json'];
    const { code, stdout, stderr } = await runPython([...args, ...proof]);
    return { code, ...(JSON.parse(stdout || '{}') as object), stderr };
  };
}

/** A run that is long enough to go over the mesh. */
const body = { ...figureEight, dt: 1e-5, t_max: 6 };

t.test(
  'a verdict within a run is signed, a leaf of the log, open to everybody, and can be run again',
  { skip: natsMissing, timeout: 120_000 },
  async (t) => {
    const nats = await server(t);
    const api = await court(t, { mesh: { nats: [nats.url], secret, policy: 'full' }, gossip: { secret } });
    const { node } = api;
    await node.startRecovery((error) => t.comment(`the service: ${error}`));
    const liar = await contributor(t, nats.url, node, 66, { isLiar: true });
    const others = [await contributor(t, nats.url, node, 1), await contributor(t, nats.url, node, 2)];
    const open = async (path: string) => (await api.get(path, { authorization: '' })).body;
    // Who runs and checks is drawn: a run may pass the liar by, but not one after another.
    let [sealed, runs] = [await sealedOver(api, body, 'full'), 1];
    for (; runs < 10 && (await open('/api/mesh/verdicts')).total === 0; runs++)
      sealed = await sealedOver(api, { ...body, t_max: 6 + runs / 100 }, 'full');

    const { verdicts, total } = await open('/api/mesh/verdicts');
    t.equal(total, verdicts.length);
    t.ok(total > 0, 'the liar ran something');
    const [first] = verdicts;
    t.match(first, { node: node.name, faulty: [liar.id], outcome: /_wrong$/ });
    t.match(first.run, sealed.job);
    t.same(await open(`/api/mesh/verdicts/${first.verdict}`), first);
    t.same((await open(`/api/mesh/verdicts?run=${first.run}&limit=1`)).verdicts.length, 1);
    t.equal((await open('/api/mesh/verdicts?run=job_other-0')).total, 0);
    t.match(await open('/api/mesh/verdicts/none'), { error: { code: 'NOT_FOUND' } });
    for (const { zid } of [api, liar, ...others]) t.notMatch(JSON.stringify(verdicts), zid, 'no account');

    const statement = readStatement(first.note, [node.vkey]);
    t.match(statement, { kind: 'svc-segment-verdict-1', signedBy: node.name });
    const verdict = readSegmentVerdict(statement.content);
    t.match(verdict, { verdict: first.verdict, run: first.run, segment: first.segment, faulty: [liar.id] });
    const leaf = leafHash(utf8(segmentVerdictLeaf(first.note.split('\n')[1])));
    const proof = readLogProof((await api.get(`/api/svc/log/proof/${first.leaf_index}`)).text);
    const { size, root } = readCheckpoint(proof.checkpoint);
    t.ok(verifyInclusion(proof.index, size, leaf, proof.path.map(fromBase64), root), 'the log has it');
    t.match(await auditSpine(node.store), { sound: true, problems: [] });

    const [note, answer] = ['verdict.txt', 'answer.json'].map((name) => join(api.dataDir, name)) as [
      string,
      string,
    ];
    writeFileSync(note, first.note);
    writeFileSync(answer, sealed.text);
    t.match(await svc(['verdict', note, '--answer', answer, '--data', api.dataDir]), {
      code: 0,
      stdout: new RegExp(
        `^SIGNED by ${node.name}\n${first.outcome}: .*bond withheld: ${liar.id}\nHOLDS: `,
        's',
      ),
    });

    const file = readAnswer(sealed.text);
    const threads = new ThreadPool({ threads: 1 });
    t.teardown(() => threads.close());
    const again = (changes: Partial<SegmentVerdictStatement>) =>
      rejudgedSegment({ ...verdict, ...changes }, file, threads);
    t.match(await again({}), { holds: true, detail: new RegExp(`as the verdict says: ${verdict.outcome}`) });
    const { contributor: one, challenger: other, third } = verdict;
    const turned = verdict.outcome === 'contributor_wrong' ? 'challenger_wrong' : 'contributor_wrong';
    const twins: Partial<SegmentVerdictStatement>[] = [
      { outcome: turned },
      { faulty: [others[0]!.id] },
      // The liar's word for that of the third, and all that follows from it.
      {
        ...{ outcome: turned, service: null, faulty: [one.node === liar.id ? other.node : one.node] },
        third: { ...third, claim: one.node === liar.id ? one.claim : other.claim },
      },
      { before: 'ab'.repeat(32) },
      { runHash: 'ab'.repeat(32) },
    ];
    for (const twin of twins) t.match(await again(twin), { holds: false }, JSON.stringify(Object.keys(twin)));

    const files = { answer, log: (await api.get(`/api/svc/log/proof/${first.leaf_index}`)).text };
    const judgedBy = pythonJudge(api.dataDir, files);
    await t.test('and by the second verifier, from the page alone', { skip: pythonMissing }, async (t) => {
      t.match(await judgedBy(first.note, node.vkey), { code: 0, verdict: 'HOLDS', outcome: verdict.outcome });
      const text = first.note.split('\n')[1];
      // Another key under the name of the node: what it signs is whole, and false.
      const signer = noteSigner(node.name, new Uint8Array(32).fill(9));
      const othersKey = vkeyText(signer);
      const unreadable = [
        first.note.replace(text, text.replace('_wrong', '_right')),
        first.note.slice(0, -9),
      ];
      for (const note of unreadable)
        t.match(await judgedBy(note, node.vkey), { code: 2, verdict: 'UNREADABLE' });
      t.match(await judgedBy(first.note, othersKey), { code: 2, verdict: 'UNREADABLE' });
      const signed = (twin: Record<string, unknown>) =>
        signStatement(signer, 'svc-segment-verdict-1', twin).note;
      for (const twin of [{}, ...twins]) {
        const found = await judgedBy(signed({ ...verdict, ...twin }), othersKey, '');
        const holds = Object.keys(twin).length === 0;
        t.match(found, { verdict: holds ? 'HOLDS' : 'FAILS' }, JSON.stringify([twin, found]).slice(0, 200));
      }
      const elsewhere = files.log.replace(/index \d+/, `index ${first.leaf_index + 1}`);
      t.match(await judgedBy(first.note, node.vkey, elsewhere), { code: 1, verdict: 'FAILS', what: /log/ });
      t.match(await judgedBy(first.note, node.vkey, 'nothing'), { code: 2, verdict: 'UNREADABLE' });
      t.match(await judgedBy(signed({ ...verdict }), othersKey), {
        ...{ code: 1, verdict: 'FAILS', what: /log/ },
      });
    });
  },
);

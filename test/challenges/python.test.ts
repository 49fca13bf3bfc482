import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../root.ts';
import { pythonMissing, runPython } from '../servers/python.ts';
import { court, settledView } from './challenged.ts';

// The second verifier, test/python/verifier.py, reads the node's list of revocations by docs/protocol.md alone.

const verifier = join(repositoryRoot, 'test', 'python', 'verifier.py');

t.test(
  'the Python verifier finds an overturned result revoked, and no other',
  { skip: pythonMissing },
  async (t) => {
    const api = await court(t);
    const { node, stranger, dataDir } = api;
    let files = 0;
    const written = (content: string): string => {
      const file = join(dataDir, `file-${files++}.json`);
      writeFileSync(file, content);
      return file;
    };
    const judged = async (answer: string, page?: string) => {
      const revocations = page === undefined ? [] : ['--revocations', written(page)];
      const args = ['-B', verifier, 'verify', written(answer), '--key', node.vkey, '--json', ...revocations];
      const { code, stdout, stderr } = await runPython(args);
      return { code, ...(JSON.parse(stdout || '{}') as object), stderr };
    };
    const [lie, honest] = [await api.seal({ run: 0, segment: 9 }), await api.seal(undefined)];
    const empty = (await api.get('/api/svc/revocations')).text;
    t.match(await judged(lie.text, empty), { code: 0, verdict: 'SOUND' }, 'before');
    const found = await stranger.contest(lie, (await stranger.rerun(lie))!);
    await settledView(api, found.challenge);
    const page = (await api.get(`/api/svc/revocations?since=${lie.answer.receipt.log.index + 1}`)).text;
    t.match(await judged(lie.text, page), {
      ...{ code: 1, verdict: 'REVOKED' },
      revocation: { challenge: found.challenge, outcome: 'contributor_wrong' },
    });
    t.match(await judged(honest.text, page), { code: 0, verdict: 'SOUND' });
    t.match(await judged(lie.text), { code: 0, verdict: 'SOUND' }, 'offline: sound as of its checkpoint');
    const twins = [
      page.replace('contributor_wrong', 'not_reproducible'),
      page.replace(/"index":\d+,"leaf"/, '"index":0,"leaf"'),
      page.replace(/\\n\d+\\n/, '\\n99\\n'),
      JSON.stringify({ ...JSON.parse(page), since: 999 }),
      '{}',
    ];
    for (const twin of twins) {
      t.not(twin, page);
      t.match(await judged(lie.text, twin), { code: 2, verdict: 'UNREADABLE' }, twin.slice(0, 60));
    }
  },
);

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isSignedBy, readNote, readVkey } from '../../src/proof/note.ts';
import { overturn } from '../../src/spine/revocations.ts';
import { repositoryRoot } from '../root.ts';
import { oscillator } from '../spine/test-node.ts';
import { books, testApp } from './test-app.ts';

t.test('POST /api/svc/reverify', async (t) => {
  const api = await testApp(t);
  const ask = (file: unknown) => api.post('/api/svc/reverify', file, { authorization: '' });
  const { text, body: sealed } = await api.post('/api/svc/solve', oscillator);
  const changed = (change: (answer: Record<string, never>) => void) => {
    const answer = JSON.parse(text);
    change(answer);
    return answer;
  };

  t.test(
    'an answer of this node is verified and executed again, and the verdict signed (CMP-14)',
    async (t) => {
      const { status, body } = await ask(text);
      t.equal(status, 200, JSON.stringify(body));
      t.match(body, { verdict: 'SOUND', where: null, agrees: true, runs: sealed.runs.length });
      const { vkey } = (await api.get('/api/identity')).body;
      const note = readNote(body.note);
      t.ok(isSignedBy(note, readVkey(vkey)));
      t.equal(note.text, `svc-reverify-1\n${body.statement}\n`);
      t.match(JSON.parse(body.statement), {
        ...{ verdict: 'SOUND', node: api.node.name },
        file_sha256: createHash('sha256').update(text).digest('hex'),
        of: { node: api.node.name, solver: 'solve', jobRoot: sealed.envelope.jobRoot },
      });
      t.notOk(isSignedBy(readNote(body.note.replace('"SOUND"', '"NOT_SOUND"')), readVkey(vkey)));
    },
  );

  t.test('a changed number is not sound, and its place is said', async (t) => {
    const value = changed((answer) => Object.assign(answer, { value: 1 }));
    t.match((await ask(value)).body, { verdict: 'NOT_SOUND', where: '/value', agrees: null, runs: 0 });
    const price = changed((answer) => Object.assign(answer.charges, { price_plancks: '1' }));
    t.match((await ask(price)).body, { verdict: 'NOT_SOUND', where: /^\/charges/ });
  });

  t.test('what only a rerun finds is found: a wrong count of steps', async (t) => {
    const answer = changed((each) => {
      const [run] = each.runs as { steps: number }[];
      Object.assign(run!, { steps: run!.steps - 1 });
    });
    t.match((await ask(answer)).body, {
      verdict: 'NOT_SOUND',
      where: '/runs/0',
      agrees: false,
      detail: /steps/,
    });
  });

  t.test('what another node sealed agrees with its rerun, and the node is unknown', async (t) => {
    const other = await testApp(t);
    const { text: theirs } = await other.post('/api/svc/solve', oscillator);
    t.match((await ask(theirs)).body, { verdict: 'UNKNOWN_NODE', where: '/envelope/node', agrees: true });
  });

  t.test('what this node took back since is REVOKED, as svc verify --url says of it', async (t) => {
    const { text, body } = await api.post('/api/svc/solve', oscillator);
    const { store, log, name: node, now } = api.node;
    const why = { outcome: 'contributor_wrong', challenge: 'chl_1', verdict: 'a verdict' } as const;
    const tokenId = body.envelope.token_id as string;
    t.match((await ask(text)).body, { verdict: 'SOUND' });
    await store.transaction((tx) => overturn(tx, { log, node, now }, { tokenId, ...why }));
    const found = (await ask(text)).body;
    t.match(found, { verdict: 'REVOKED', where: '/envelope', agrees: null, runs: 0, segments: 0 });
    t.match(found.detail, /challenge chl_1 ended as contributor_wrong/);
    t.equal(JSON.parse(found.statement).verdict, 'REVOKED');
    const lied = JSON.stringify({ ...JSON.parse(text), value: 1 });
    t.match((await ask(lied)).body, { verdict: 'NOT_SOUND', where: '/value' }, 'a fault is said first');
  });

  t.test('nothing is charged, minted or logged', async (t) => {
    const before = await books(api);
    await ask(text);
    t.same(await books(api), before);
  });

  t.test('what is no answer, of no known release or too long is refused in words', async (t) => {
    const run = { ...sealed.runs[0], work: '10000000001' };
    const example = join(repositoryRoot, 'docs', 'examples', 'triangle-bundle.json');
    const cases: [unknown, number, string, RegExp][] = [
      ['nothing', 400, 'INVALID_INPUT', /not JSON/],
      ['{}', 400, 'INVALID_INPUT', /is needed here/],
      [text.replace('{', '{"value":1,'), 400, 'INVALID_INPUT', /a second member called "value"/],
      [readFileSync(example, 'utf8'), 400, 'UNSUPPORTED', /release "example"/],
      [
        changed((answer) => Object.assign(answer, { runs: [run, ...sealed.runs] })),
        400,
        'LIMIT_EXCEEDED',
        /10 s/,
      ],
      [`[${'0,'.repeat(40_000)}0]`, 413, 'PAYLOAD_TOO_LARGE', /items/],
    ];
    for (const [file, status, code, message] of cases)
      t.match(await ask(file), { status, body: { error: { code, message } } }, code);
  });

  t.test('a body that is none is refused', async (t) => {
    for (const payload of [undefined, '']) {
      const answer = await api.app.inject({ method: 'POST', url: '/api/svc/reverify', payload });
      t.match(answer.json(), { error: { code: 'INVALID_INPUT' } });
    }
    const bytes = { 'content-type': 'application/octet-stream', authorization: '' };
    t.match(
      (await api.post('/api/svc/reverify', text, bytes)).body,
      { verdict: 'SOUND' },
      'as bytes it is taken',
    );
  });

  t.test('a stranger has one rerun at a time', async (t) => {
    const answers = await Promise.all([ask(text), ask(text)]);
    t.same(answers.map(({ status }) => status).sort(), [200, 429]);
    t.equal((await ask(text)).status, 200, 'and then the next');
  });

  t.test('a node that goes down executes nothing more for strangers', async (t) => {
    const underWay = ask(text);
    api.node.reverifier.stop();
    t.match(await underWay, { status: 503, body: { error: { code: 'SHUTTING_DOWN' } } });
    t.match(await ask(text), { status: 503, body: { error: { code: 'SHUTTING_DOWN' } } });
  });
});

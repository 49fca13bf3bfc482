import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ServiceNode } from '../../src/node.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { readStatement, signStatement } from '../../src/proof/statement.ts';
import { nodeKeys } from '../../src/spine/identity.ts';
import { type Lie, LyingExecutor, type SealedJob, sealedBy } from '../challenges/lying.ts';
import { hour, oscillator } from '../spine/test-node.ts';
import { type NodeProcess, svcUp } from './node-process.ts';
import { svc } from './svc.ts';

const data = mkdtempSync(join(tmpdir(), 'svc-test-challenge-'));
t.teardown(() => rmSync(data, { recursive: true, force: true }));
const file = (name: string): string => join(data, name);

let node: NodeProcess;
let key = '';
let keyOfPayer = '';
let other = '';
let keyOfOther = '';

/** Seals an honest result and a falsified one, then brings the node up. */
t.before(async () => {
  const service = await ServiceNode.open({ dataDir: data, threads: 1 });
  const { zid } = await service.accounts.create({ fuel: hour });
  const seal = (lie: Lie | undefined): Promise<SealedJob> =>
    sealedBy(service, data, zid, new LyingExecutor(service, lie));
  writeFileSync(file('honest.json'), (await seal(undefined)).text);
  writeFileSync(file('lie.json'), (await seal({ run: 1, segment: 33 })).text);
  writeFileSync(file('twice.json'), (await seal({ run: 0, segment: 12 })).text);
  keyOfPayer = (await service.accounts.mintKey(zid)).key;
  const stranger = await service.accounts.create({ fuel: hour });
  key = (await service.accounts.mintKey(stranger.zid)).key;
  other = (await service.accounts.create({ fuel: hour })).zid;
  keyOfOther = (await service.accounts.mintKey(other)).key;
  await service.close();
  node = await svcUp(data);
});
t.teardown(() => node.end('SIGTERM'));

const there = (...args: string[]) => svc([...args, '--url', node.url, '--data', data]);
const here = (...args: string[]) => svc([...args, '--data', data]);

t.test('a result that comes out again as it was sealed is not challenged', async (t) => {
  const ended = await there('challenge', file('honest.json'));
  t.match(ended, { code: 0, stdout: /^AGREES: all 4 runs gave the same digests/ });
  t.match(await there('challenge', file('honest.json'), '--run', '2', '--json'), {
    code: 0,
    stdout: /"state": "agrees"/,
  });
  t.match(await there('challenge', file('honest.json'), '--run', '9'), { code: 1, stderr: /no run 9/ });
  t.match(await there('challenge', file('honest.json'), '--run', 'x'), { code: 2, stderr: /index of a run/ });
  t.match(JSON.parse((await svc(['challenges', '--url', node.url, '--json'])).stdout), { total: 0 });
});

t.test(
  'a segment of an honest result can be disputed to see a verdict, at the price of the stake',
  async (t) => {
    const args = ['--dispute', '7', '--run', '2', '--key', key, '--out', file('lost.txt')];
    const ended = await there('challenge', file('honest.json'), ...args);
    t.match(ended, { code: 1, stdout: /^DISPUTED: segment 7 of run 2 / }, ended.stderr);
    t.match(ended.stdout, /\nchallenger_wrong: segment 7 came out as it was sealed.*the stake is lost/);
    t.match(await here('verdict', file('lost.txt'), '--answer', file('honest.json')), {
      code: 0,
      stdout: /HOLDS: run 2, segment 7/,
    });
    for (const [wrong, stderr, code] of [
      [['--dispute', '999999'], /no digest of segment 999999/, 1],
      [['--dispute', '1', '--run', '9'], /no run 9/, 1],
      [['--dispute', '-1'], /index of a segment/, 2],
    ] as const)
      t.match(await there('challenge', file('honest.json'), ...wrong), { code, stderr });
  },
);

t.test('before it is contested a falsified result verifies, and is not revoked', async (t) => {
  t.match(await there('verify', file('lie.json')), {
    code: 0,
    stdout: /^SOUND: sound as of checkpoint \d+ .*not revoked as of checkpoint \d+/s,
  });
});

t.test('svc challenge finds the segment, conducts the search and prints the verdict', async (t) => {
  const args = ['--key', key, '--out', file('verdict.txt')];
  const ended = await there('challenge', file('lie.json'), ...args);
  t.match(ended, { code: 0, stdout: /^DIFFERS: run 1 \(half step\)/ }, ended.stderr);
  t.match(ended.stdout, /\ncontributor_wrong: segment 33 came out as the challenger says/);
  t.match(ended.stdout, /run 1, leaves 33 to 33 after [1-8] exchanges/);
  const again = await there('challenge', file('lie.json'), '--key', key, '--json');
  t.match(JSON.parse(again.stdout), { state: 'settled', outcome: 'contributor_wrong' }, 'said again');
});

t.test(
  'the same file is REVOKED when the node is asked, and sound as of its checkpoint offline',
  async (t) => {
    const asked = await there('verify', file('lie.json'));
    t.match(asked, { code: 1, stdout: /^REVOKED: proofmesh-.* took this result back: contributor_wrong/ });
    t.match(asked.stdout, /\/api\/svc\/challenges\/chl_[0-9a-f]{32}/);
    const json = JSON.parse((await there('verify', file('lie.json'), '--json')).stdout);
    t.match(json, { sound: false, verdict: 'REVOKED', revocation: { outcome: 'contributor_wrong' } });
    t.match(await here('verify', file('lie.json')), {
      code: 0,
      stdout: /^SOUND: sound as of checkpoint \d+/,
    });
    t.match(await there('verify', file('honest.json')), {
      code: 0,
      stdout: /not revoked as of checkpoint \d+/,
    });
    const asPayer = ['--url', node.url, '--key', keyOfPayer];
    const { jobs } = JSON.parse((await svc(['jobs', ...asPayer, '--json'])).stdout);
    const { job, revoked_by } = jobs.find((each: { revoked_by: string | null }) => each.revoked_by);
    t.match(await svc(['watch', job, ...asPayer]), {
      code: 0,
      stderr: new RegExp(`^REVOKED: .*${revoked_by}`),
    });
    const stranger = ['--data', file('nobody')];
    t.match(await svc(['verify', file('lie.json'), '--url', node.url, ...stranger]), {
      code: 1,
      stdout: /^UNKNOWN_NODE/,
    });
  },
);

t.test('a list of revocations that proves nothing is unreadable, whatever it says', async (t) => {
  const page = await (await fetch(`${node.url}/api/svc/revocations`)).json();
  const [entry] = page.revocations;
  const pages = [
    { ...page, checkpoint: page.checkpoint.replace(/\n\d+\n/, '\n9\n') },
    {
      ...page,
      revocations: [{ ...entry, leaf: entry.leaf.replace('contributor_wrong', 'not_reproducible') }],
    },
    { ...page, checkpoint: null, revocations: [] },
    {},
  ];
  let shown: unknown;
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(shown));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (shown of pages) {
    const ended = await here('verify', file('lie.json'), '--url', url);
    t.match(ended, { code: 2, stdout: '', stderr: /^error: / }, JSON.stringify(shown).slice(0, 60));
  }
});

t.test('svc verdict runs the very segment again and says whether the verdict holds', async (t) => {
  const answer = ['--answer', file('lie.json')];
  const held = await here('verdict', file('verdict.txt'), ...answer);
  t.match(held, {
    code: 0,
    stdout: /^SIGNED by proofmesh-.*\ncontributor_wrong: .*\nHOLDS: run 1, segment 33/s,
  });
  t.match(await here('verdict', file('verdict.txt')), { code: 0, stdout: /^SIGNED by/ });
  t.match(await here('verify', file('verdict.txt')), { code: 0, stdout: /svc-verdict-1: contributor_wrong/ });
  t.match(await here('verdict', file('verdict.txt'), '--answer', file('honest.json')), {
    code: 1,
    stdout: /DOES NOT HOLD: The verdict is about another result/,
  });
  const unknown = await svc(['verdict', file('verdict.txt'), ...answer, '--data', file('nobody')]);
  t.match(unknown, { code: 1, stdout: /^UNKNOWN_NODE: .*HOLDS: /s }, 'a rerun takes nobody’s word');
});

t.test('a verdict that its node made up does not hold, though it is signed', async (t) => {
  const keys = nodeKeys(data);
  const signer = noteSigner(keys.name, keys.signingSeed);
  const { content } = readStatement(readFileSync(file('verdict.txt'), 'utf8'), [signer.vkey]);
  const sealed = content.sealed as { hash: string };
  const service = { ...(content.service as { node: string }), hash: sealed.hash };
  const of = content.of as object;
  const cases: [change: object, why: RegExp][] = [
    [
      { outcome: 'challenger_wrong', service, revoked: false, faulty: [] },
      /contributor_wrong by this execution/,
    ],
    [{ revoked: false }, /revoked where it falls/],
    [{ faulty: ['one', 'another'] }, /has not found wrong/],
    [{ faulty: [service.node] }, /has not found wrong/],
    [{ of: { ...of, token_id: 'f'.repeat(64) } }, /names that are not its own/],
    [{ of: { ...of, node: 'another' } }, /names that are not its own/],
    [{ of: { ...of, jobRoot: '0'.repeat(64) } }, /names that are not its own/],
    [{ of: { ...of, engine_version: '0.0.1' } }, /names that are not its own/],
    [{ outcome: 'challenger_wrong' }, /outcome does not follow/],
    [{ from: 32, through: 32 }, /not what the answer lists/],
    [{ run: 0 }, /names another run/],
    [{ stepsPerSegment: 1 }, /names another run/],
    [{ runHash: '0'.repeat(64) }, /parameters/],
    [{ before: '0'.repeat(64) }, /behind/],
  ];
  for (const [i, [change, why]] of cases.entries()) {
    const false_ = file(`false-${i}.txt`);
    writeFileSync(false_, signStatement(signer, 'svc-verdict-1', { ...content, ...change }).note);
    const ended = await here('verdict', false_, '--answer', file('lie.json'));
    t.match(ended, { code: 1, stdout: /^SIGNED by .*DOES NOT HOLD: /s }, ended.stderr);
    t.match(ended.stdout, why);
  }
  writeFileSync(file('none.txt'), signStatement(signer, 'svc-attest-1', { verdict: 'holds' }).note);
  t.match(await here('verdict', file('none.txt')), { code: 2, stderr: /and no verdict/ });
  writeFileSync(file('short.txt'), signStatement(signer, 'svc-verdict-1', { outcome: 'x' }).note);
  t.match(await here('verdict', file('short.txt')), { code: 2, stderr: /is needed here/ });
});

t.test('challenges are listed, and shown one by one, with their verdict', async (t) => {
  const list = await svc(['challenges', '--url', node.url]);
  const lines =
    /^chl_\w+ .* run 1 {2}contributor_wrong\nchl_\w+ .* run 2 {2}challenger_wrong\n2 of 2 challenges/;
  t.match(list, { code: 0, stdout: lines });
  const [id] = list.stdout.split(' ');
  const one = await svc(['challenges', id!, '--url', node.url, '--out', file('again.txt')]);
  t.match(one, { code: 0, stdout: /^contributor_wrong: / });
  t.equal(readFileSync(file('again.txt'), 'utf8'), readFileSync(file('verdict.txt'), 'utf8'));
  t.match(await svc(['challenges', 'chl_0', '--url', node.url]), { code: 1, stderr: /NOT_FOUND/ });
  const jobs = await svc(['jobs', '--url', node.url, '--key', keyOfPayer]);
  t.match(jobs.stdout, new RegExp(`revoked by ${id}`), 'who paid sees it among the jobs');
});

t.test('of two who contest a lie at once one overturns it, and neither loses a stake', async (t) => {
  const contested = await Promise.all(
    [key, keyOfOther].map((each) => there('challenge', file('twice.json'), '--run', '0', '--key', each)),
  );
  t.same(contested.map(({ code }) => code).sort(), [0, 1]);
  const [late] = contested.filter(({ code }) => code === 1);
  t.match(`${late!.stdout}${late!.stderr}`, /revoked (before this was settled|by the verdict of)/);
  const again = await there('challenge', file('twice.json'), '--dispute', '3', '--key', keyOfOther);
  t.match(
    again,
    { code: 1, stderr: /was revoked by the verdict of chl_/ },
    'what is revoked is not contested',
  );
  const { stdout } = await here('account', 'show', other, '--json');
  t.match(JSON.parse(stdout), { fuel_plancks: String(hour), held_plancks: '0' });
});

t.test('the node seals on behind a revocation, and its books and its log belong together', async (t) => {
  const input = JSON.stringify(oscillator);
  const remote = ['--url', node.url, '--key', keyOfPayer];
  t.match(await svc(['run', 'solve', '--input', '-', ...remote], { input }), { code: 0 });
  t.match(await here('audit', '--json'), { code: 0, stdout: /"sound": true/ });
});

t.test('what cannot be challenged is said', async (t) => {
  const answer = JSON.parse(readFileSync(file('honest.json'), 'utf8'));
  writeFileSync(file('changed.json'), JSON.stringify({ ...answer, answer: { ...answer.answer, value: 1 } }));
  t.match(await there('challenge', file('changed.json')), { code: 1, stdout: /^NOT_SOUND/ });
  writeFileSync(file('text.json'), 'no answer');
  t.match(await there('challenge', file('text.json')), { code: 2, stderr: /cannot be read/ });
  t.match(await here('challenge', file('lie.json'), '--url', node.url), { code: 1, stderr: /UNAUTHORIZED/ });
});

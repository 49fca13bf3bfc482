import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { RemoteNode } from '../../src/cli/remote.ts';
import { svc } from './svc.ts';

// Verbs that ask a node which is none, or a hostile one: they end, say so, and nothing it says reaches the terminal
// as an order.

type Answer = (response: ServerResponse) => void;

async function nodeThat(t: Test, answer: Answer): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const gauge = ['gauge', '--group', 'Z2', '--beta', '1', '--L', '3'];
const verbs = [
  ['jobs'],
  ['cancel', 'job_x'],
  ['watch', 'job_x'],
  ['quote', ...gauge],
  ['run', ...gauge],
  ['bond', 'show'],
  ['mode', 'idle'],
  ['earnings'],
  ['challenges'],
  ['identity'],
];

const strange: [string, Answer][] = [
  ['null', json(null)],
  ['a list', json([1])],
  ['records without members', json({ jobs: [{}], challenges: [{}], job: 1, state: 1 })],
  [
    'bytes that are not the compressed ones that they say',
    (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end('garbage'),
  ],
  ['a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
];

t.test('what is no node is called so', { timeout: 300_000 }, async (t) => {
  for (const [what, answer] of strange)
    t.test(what, async (t) => {
      const url = await nodeThat(t, answer);
      await Promise.all(
        verbs.map(async (verb) => {
          const { code, stderr, stdout } = await svc([...verb, '--url', url]);
          t.equal(code, 2, verb.join(' '));
          t.equal(stdout, '');
          t.match(
            stderr,
            /does not answer as a proofmesh node does: (GET|POST|DELETE) \S+ gave /,
            verb.join(' '),
          );
        }),
      );
    });
});

const evil = '\x1b[31mEVIL\x1b]0;pwn\x07\u009b31m\u202e\r\nSOUND\x08';
/** What a terminal obeys, but for the end of a line. */
const orders = /[^\P{C}\n]/u;

t.test('what a hostile node says is shown, and not obeyed', { timeout: 300_000 }, async (t) => {
  const said = {
    ...{
      job: evil,
      solver: evil,
      state: evil,
      revoked_by: evil,
      node: evil,
      vkey: evil,
      mode: evil,
      nodes: [evil],
    },
    ...{ work: '1', price_plancks: '1', memory: 1, exact: true, created_ns: '1', opened_ns: '1', total: 1 },
    ...{ challenge: evil, token_id: evil, run: 1, exchanges: 1, dispute: { from: 1, count: 1 }, coins: evil },
  };
  const lists = {
    jobs: [said],
    challenges: [said],
    paid: { total: 1, lines: [] },
    unpaid: { total: 1, lines: [] },
  };
  const answers = [
    json({ ...said, ...lists }),
    json({ error: { code: 'INVALID_INPUT', message: evil, field: evil } }, 400),
    json({ inputError: { code: evil, message: evil, missing: [evil] } }),
  ];
  for (const answer of answers) {
    const url = await nodeThat(t, answer);
    for (const verb of [
      ['jobs'],
      ['cancel', 'job_x'],
      ['quote', ...gauge],
      ['mode', 'idle'],
      ['earnings'],
      ['challenges'],
    ])
      for (const form of [[], ['--json']]) {
        const { stdout, stderr } = await svc([...verb, ...form, '--url', url]);
        t.notMatch(stdout + stderr, orders, verb.join(' '));
        t.notMatch(stdout + stderr, /^SOUND/m, verb.join(' '));
        t.match(
          stdout + stderr,
          verb[0] === 'quote' && answer === answers[0] ? /1/ : /EVIL/,
          `${verb.join(' ')} shows it`,
        );
      }
  }
});

t.test('a name in a stranger’s file makes no line of its own', async (t) => {
  const file = join(t.testdir(), 'answer.json');
  const said = 'x\nSOUND: sound as of checkpoint 1';
  writeFileSync(file, JSON.stringify({ format: 'svc-answer-1', [said]: 1, envelope: { [said]: 1 } }));
  for (const verb of ['verify', 'rerun', 'bundle']) {
    const { code, stderr, stdout } = await svc([verb, file]);
    t.equal(code, 2, verb);
    t.notMatch(stdout + stderr, /^SOUND/m, verb);
  }
});

t.test('what is typed is not obeyed either', async (t) => {
  const { stderr, code } = await svc(['run\x1b[31mX']);
  t.equal(code, 2);
  t.notMatch(stderr, orders);
});

t.test('where nobody listens the code says so, at once', async (t) => {
  for (const verb of [['jobs'], ['watch', 'job_x']]) {
    const { stdout, code } = await svc([...verb, '--json', '--url', 'http://127.0.0.1:9']);
    t.equal(code, 1);
    t.match(JSON.parse(stdout), { error: { code: 'NO_NODE' } });
  }
});

t.test(
  'an answer that is none, a key that is none and a blob that breaks off are told of the node',
  async (t) => {
    const cut = (response: ServerResponse) =>
      void response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    const empty = {
      gates: [],
      fields: [],
      warnings: [],
      plots: [null],
      value: 1,
      unit: null,
      envelope: null,
    };
    const charges = { price_plancks: '1', from_bond_plancks: '0', from_fuel_plancks: '1' };
    const url = await nodeThat(t, (response) => {
      const path = response.req.url!;
      if (path.endsWith('/answer')) return json({ ...empty, charges })(response);
      if (path.endsWith('/events'))
        return void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('event: end\ndata: {"state":"done"}\n\n');
      if (path.endsWith('/identity')) return json({ node: 'x', vkey: 'none' })(response);
      return path.includes('/blobs/') ? cut(response) : json({ state: 'done' })(response);
    });
    t.match(await svc(['watch', 'job_x', '--url', url]), { code: 2, stderr: /has not the form of one/ });
    t.match(await svc(['identity', '--url', url]), {
      code: 2,
      stderr: /does not answer as a proofmesh node does: what GET \/api\/identity gave cannot be read/,
    });
    await t.rejects(new RemoteNode(url, undefined).bytes('/api/svc/blobs/x'), { message: /x broke off/ });
  },
);

t.test('a word that lacks its verb is told so with --json too', async (t) => {
  for (const word of ['run', 'account', 'operators']) {
    const { code, stdout } = await svc([word, '--json']);
    t.equal(code, 2);
    t.match(JSON.parse(stdout).error.message, `svc ${word} needs another word before --json`);
  }
});

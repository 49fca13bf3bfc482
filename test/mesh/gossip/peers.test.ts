import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { HttpPeers, readPeers } from '../../../mesh/gossip/peers.ts';
import { settings } from '../../../src/main.ts';
import { utf8 } from '../../../src/proof/bytes.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listening(test: { teardown(work: () => unknown): void }, handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const message = (text: string) => ({
  subject: 's',
  bytes: utf8(text),
  headers: () => ({ 'x-node-handshake': 'h' }),
});
const pauseMs = () => 0;

t.test('an event is pushed until it is taken or refused, and no further', async (t) => {
  const cases: [string, number[], number][] = [
    ['taken at once', [200], 1],
    ['taken after the peer is back', [503, 429, 200], 3],
    ['heard before', [409], 1],
    ['refused', [403], 1],
    ['given up after four attempts', [500, 500, 500, 500, 200], 4],
  ];
  for (const [what, statuses, expected] of cases) {
    let asked = 0;
    const url = await listening(t, (_, response) => response.writeHead(statuses[asked++]!).end());
    const peers = new HttpPeers({ peers: [url], pauseMs });
    peers.send(message('{}'));
    await peers.settled();
    t.equal(asked, expected, what);
  }
});

t.test('a redirect is not followed, whatever it leads to', async (t) => {
  let inside = 0;
  const secret = await listening(t, (_, response) => {
    inside++;
    response.end();
  });
  let asked = 0;
  const url = await listening(t, (_, response) => {
    asked++;
    response.writeHead(307, { location: `${secret}/api/mesh/gossip` }).end();
  });
  const peers = new HttpPeers({ peers: [url], pauseMs });
  peers.send(message('{}'));
  await peers.settled();
  t.same([asked, inside], [1, 0]);
});

t.test('what waits for a peer is bounded, and a slow peer delays no other', async (t) => {
  const heard: string[] = [];
  let release: (() => void) | undefined;
  const slow = await listening(t, (_, response) => {
    release = () => response.end();
  });
  const quick = await listening(t, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    heard.push(text);
    response.end();
  });
  const both = new HttpPeers({ peers: [slow, quick], pauseMs });
  both.send(message('first'));
  while (release === undefined || heard.length === 0) await new Promise(setImmediate);
  t.same(heard, ['first'], 'while the other still waits');
  await both.close();

  const one = new HttpPeers({ peers: [quick], pauseMs });
  heard.length = 0;
  for (let i = 0; i < 1000; i++) one.send(message(String(i)));
  await one.settled();
  t.equal(heard.length, 257, 'one under way, 256 that waited');
  t.equal(heard.at(-1), '999', 'the oldest went first');
});

t.test('peers are origins, and the configuration says so without showing the secret', async (t) => {
  t.same(readPeers(' https://a.example , http://10.0.0.2:8787/,https://a.example'), [
    'https://a.example',
    'http://10.0.0.2:8787',
  ]);
  const wrong = [
    'ftp://a',
    'a.example:80',
    'https://u:p@a',
    'https://a/path',
    'https://a?x',
    'file:///etc',
    'x',
  ];
  for (const text of wrong) t.throws(() => readPeers(text), { name: 'RangeError' }, text);
  t.throws(() => readPeers(Array.from({ length: 65 }, (_, i) => `http://h${i}`).join()), /at most 64/);

  const secret = 'a'.repeat(32);
  const read = settings({}, { SVC_MESH_SECRET: secret, SVC_MESH_PEERS: 'https://a.example' });
  t.same(read.node.gossip, { secret, peers: ['https://a.example'] });
  t.same(settings({}, {}).node.gossip, {});
  const short = 'short-and-secret';
  t.throws(() => settings({}, { SVC_MESH_SECRET: short }), /has 16 characters; it has 32 to 1024/);
  t.throws(
    () => settings({}, { SVC_MESH_SECRET: short }),
    { message: new RegExp(`^(?!.*${short})`) },
    'the secret is in no message',
  );
  t.throws(() => settings({}, { SVC_MESH_PEERS: 'https://a.example' }), /needs SVC_MESH_SECRET/);
  t.throws(() => settings({}, { SVC_MESH_SECRET: secret, SVC_MESH_PEERS: 'a' }), /SVC_MESH_PEERS: a peer is/);
});

import t from 'tap';
import { signingKey } from '#crypto';
import {
  checkedSender,
  eventBytes,
  type GossipEvent,
  readEvent,
  signedEvent,
} from '../../../mesh/gossip/event.ts';
import { identityOf } from '../../../mesh/nats/nkey.ts';
import { utf8 } from '../../../src/proof/bytes.ts';
import { canonicalBytes, canonicalText } from '../../../src/proof/canonical.ts';
import { noteSigner } from '../../../src/proof/note.ts';
import { plainSentence } from '../../plain-sentence.ts';

const seed = Uint8Array.from({ length: 32 }, (_, i) => i);
const service = { id: noteSigner('n1', seed).vkey, sign: signingKey(seed).sign };
const contributor = identityOf('user', seed.toReversed());
const tick = 2_297_297_297;
const broadcast = { run: 'run_1', class: 'paid-small', kernel: 'ab'.repeat(32), work: 1000 };
const self = { role: 'contributor', engine: 'v8-11.3 x64', cores: 2, memory: 2 ** 30, mode: 'contributing' };
const said = signedEvent(service, 'job-broadcast', broadcast, tick);

t.test('an event has the id and the signature that another program gives it', async (t) => {
  // Python 3, json.dumps(sort_keys=True, separators=(',', ':')), hashlib and cryptography's Ed25519 (RFC 8032).
  t.match(said, {
    sender: 'n1+c9681880+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4',
    id: '3334785fe53027d0d97ea27c644668ae12e6b152d4b38111babe2c4d2da2be08',
    signature: 'o4vy4WmtknkFGKogRoKTw+I0AM6IVF/EwgLYaIP4DLUtyNO6vVF6wU9lhEh9yv/shCmw30p7ttrT3I+ArY2WCw==',
    subject: 'run_1',
  });
  const read = readEvent(eventBytes(said));
  t.same(read, said);
  t.match(checkedSender(read), { id: service.id, role: 'service' });
});

t.test('a contributor speaks with its nkey, of itself only', async (t) => {
  const read = readEvent(eventBytes(signedEvent(contributor, 'node-discovery', self, tick)));
  t.match(checkedSender(read), { id: contributor.id, role: 'contributor' });
  t.equal(read.subject, `${contributor.id}@${Math.floor(tick / 60)}`);
  const forbidden: [string, object][] = [
    ['job-broadcast', broadcast],
    ['shard-placement', { run: 'run_1', shard: 0, fence: 1, node: contributor.id }],
    ['held-digests', { through: tick, buckets: [] }],
    ['node-discovery', { ...self, role: 'service', mode: null }],
    ['node-discovery', { ...self, mode: null }],
  ];
  for (const [kind, body] of forbidden) {
    const event = signedEvent(contributor, kind, body as Record<string, unknown>, tick);
    t.throws(() => checkedSender(event), { code: 'FORBIDDEN' }, kind);
  }
});

t.test('a member that was changed after signing is a bad signature (MESH-04)', async (t) => {
  const changes: Partial<GossipEvent>[] = [
    { tick: tick + 1 },
    { body: { ...broadcast, work: 1001 } },
    { sender: contributor.id },
    { signature: signedEvent(service, 'job-broadcast', broadcast, tick + 1).signature },
    { signature: '' },
    { signature: 'AAAA' },
  ];
  for (const change of changes)
    t.throws(
      () => checkedSender(readEvent(eventBytes({ ...said, ...change }))),
      { code: 'BAD_SIGNATURE' },
      JSON.stringify(change),
    );
  const nobody = readEvent(eventBytes({ ...said, sender: 'somebody' }));
  t.throws(() => checkedSender(nobody), { code: 'UNKNOWN_SENDER' });
});

t.test('an event is canonical JSON of strict shape, or refused in words', async (t) => {
  const text = canonicalText({
    kind: said.kind,
    sender: said.sender,
    tick,
    body: broadcast,
    signature: said.signature,
  });
  t.doesNotThrow(() => readEvent(utf8(text)));
  const spellings = [
    '',
    'null',
    '[]',
    '"text"',
    ` ${text}`,
    text.replace(',"kind"', ', "kind"'),
    text.replace('"tick":2297297297', '"tick":2297297297.0'),
    text.replace('"tick":2297297297', '"tick":"2297297297"'),
    text.replace('"tick":2297297297', '"tick":-1'),
    text.replace('"tick":2297297297', '"tick":1e400'),
    text.replace('{"body"', '{"again":1,"body"'),
    text.replace('"work":1000', '"work":1000,"work":1000'),
    text.replace('"work":1000', '"work":1000,"zz":0'),
    text.replace('"run":"run_1"', '"run":"run 1"'),
    text.replace('"run":"run_1"', '"run":"\\ud800"'),
    text.replace('"run":"run_1"', '"run":"\u202e"'),
    text.replace('job-broadcast', '__proto__'),
    text.replace('job-broadcast', 'constructor'),
    text.replace('"body":{', '"body":{"__proto__":{},'),
    `\ufeff${text}`,
    `${'['.repeat(4000)}${']'.repeat(4000)}`,
    `{"body":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`,
  ];
  for (const spelling of spellings)
    t.throws(
      () => readEvent(utf8(spelling)),
      { code: 'INVALID_INPUT', message: plainSentence },
      spelling.slice(0, 60),
    );
  t.throws(() => readEvent(Uint8Array.of(0x7b, 0xff, 0x7d)), { code: 'INVALID_INPUT' }, 'no UTF-8');
  const large = canonicalBytes({ ...said, body: 'x'.repeat(8192) });
  t.throws(() => readEvent(large), { code: 'PAYLOAD_TOO_LARGE' });
});

t.test('each kind refuses bodies that are not its own', async (t) => {
  const cases: [string, Record<string, unknown>][] = [
    ['node-discovery', { ...self, cores: 0 }],
    ['node-discovery', { ...self, mode: 'sleeping' }],
    ['node-discovery', { ...self, engine: 'ünïcode' }],
    ['node-discovery', { ...self, url: 'http://169.254.169.254/' }],
    ['shard-placement', { run: 'r', shard: 1.5, fence: 1, node: 'n' }],
    ['shard-placement', { run: 'r', shard: 1, fence: 1, node: '../n' }],
    ['job-broadcast', { ...broadcast, class: 'paid' }],
    ['held-digests', { through: 1, buckets: [{ bucket: 64, count: 1, digest: '0'.repeat(16) }] }],
    ['held-digests', { through: 1, buckets: [{ bucket: 1, count: 0, digest: '0'.repeat(16) }] }],
    ['toString', {}],
  ];
  for (const [kind, body] of cases)
    t.throws(
      () => signedEvent(service, kind, body, tick),
      { code: 'INVALID_INPUT' },
      `${kind} ${JSON.stringify(body)}`,
    );
});

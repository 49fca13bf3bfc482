import t, { type Test } from 'tap';
import type { Bus } from '../../../mesh/nats/bus.ts';
import type { BusError } from '../../../mesh/nats/bus-error.ts';
import type { Incoming } from '../../../mesh/nats/incoming.ts';
import { signature } from '../../../mesh/nats/signature.ts';
import { jobClasses, subjects } from '../../../mesh/subjects.ts';
import { utf8 } from '../../../src/proof/bytes.ts';
import { natsMissing } from '../../servers/nats.ts';
import { desk, hostile, keys, meshServer, nodeOf, service } from './deployment.ts';

const [honest, other] = [nodeOf(1), nodeOf(2)];
const empty = new Uint8Array(0);
const skip = natsMissing;

/** What arrives on a subject while `act` is done and the service has spoken after it. */
async function heard(bus: Bus, subject: string, act: () => Promise<void> | void): Promise<Incoming[]> {
  const all: Incoming[] = [];
  const stop = bus.subscribe(subject, (message) => all.push(message));
  await bus.flush();
  await act();
  await bus.flush();
  stop();
  return all;
}

const problemOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: BusError) => error.problem,
  );

async function deployed(t: Test) {
  const server = await meshServer(t);
  const front = await service(t, server);
  return { server, front };
}

t.test(
  'a contributor hears nothing that is said to another, and no more than its own subjects',
  { skip },
  async (t) => {
    const { server, front } = await deployed(t);
    const bus = await hostile(t, server, other);
    const secret = async () => {
      await front.mode(honest.id, 'contributing');
      const victim = await desk(t, server, honest);
      await victim.alive([]);
      await victim.commit({ run: 'r', fence: 1, from: 0, to: 0, commitment: '0'.repeat(64) });
    };
    for (const subject of [
      ...[
        '>',
        'svc.>',
        '*.>',
        `svc.to.${honest.id}`,
        'svc.to.*',
        'svc.node.>',
        'svc.results.>',
        'svc.parts.>',
      ],
      ...[`_INBOX.${honest.id}.>`, '_INBOX.>', '$KV.>', '$O.>', '$JS.>', '$SYS.>', '$SYS.REQ.USER.AUTH'],
    ])
      t.strictSame(await heard(bus, subject, secret), [], subject);
    const own = await heard(bus, subjects.to(other.id), async () => {
      await front.mode(other.id, 'idle');
      await front.objects.runs(); // what the server answers on the same connection comes behind it
    });
    t.equal(own.length, 1, 'but it hears what is said to itself');
  },
);

t.test(
  'a contributor may not speak under another name, nor touch what the mesh keeps',
  { skip },
  async (t) => {
    const { server, front } = await deployed(t);
    const bus = await hostile(t, server, other);
    const digest = await front.objects.put('r', utf8('a checkpoint'));
    const entry = subjects.segments('r', digest, '0');
    const refused = async (subject: string, data: Uint8Array = empty) => {
      // Nobody there would be `no-responders`: the server did not even look.
      const problem = await problemOf(bus.request(subject, data, { timeoutMs: 150 }));
      t.match(problem, /timeout|refused/, subject);
    };
    for (const subject of [
      subjects.results('r', honest.id),
      subjects.part(honest.id, '0'.repeat(64)),
      subjects.ask(honest.id),
      subjects.to(honest.id),
      subjects.jobs('paid-small', 'r'),
      `$KV.NODES.${honest.id}`,
      entry,
    ])
      await refused(subject);
    for (const verb of [
      ...[
        'INFO',
        'STREAM.NAMES',
        'STREAM.LIST',
        'STREAM.INFO.RESULTS',
        'STREAM.DELETE.JOBS',
        'STREAM.PURGE.RESULTS',
      ],
      ...['STREAM.CREATE.MINE', 'STREAM.UPDATE.JOBS', 'STREAM.MSG.GET.RESULTS', 'STREAM.MSG.DELETE.RESULTS'],
      ...['CONSUMER.CREATE.RESULTS.mine', 'CONSUMER.DELETE.RESULTS.service', 'CONSUMER.LIST.RESULTS'],
      ...['CONSUMER.MSG.NEXT.RESULTS.service', 'DIRECT.GET.SEGMENTS', `DIRECT.GET.SEGMENTS.${entry}`],
      ...['DIRECT.GET.PARTS', 'DIRECT.GET.KV_NODES'],
    ])
      await refused(`$JS.API.${verb}`, utf8(JSON.stringify({ name: 'MINE', subjects: ['svc.>'] })));
    t.ok(await front.objects.get('r', digest), 'and everything is still there');
  },
);

t.test('a contributor may take from every class of the work queue', { skip }, async (t) => {
  const { server, front } = await deployed(t);
  await front.ring(jobClasses.map((name) => ({ id: `run-${name}`, class: name })));
  const contributor = await desk(t, server, honest);
  const bells = await contributor.take(10);
  t.strictSame(
    bells.map((bell) => bell.class),
    jobClasses,
    'paid before free, small before large',
  );
});

t.test('a node that is not admitted does not get in, and one that is gets in', { skip }, async (t) => {
  const server = await meshServer(t);
  await service(t, server, { isAdmitted: async (node) => node === honest.id });
  await t.rejects(desk(t, server, other), { code: 'FORBIDDEN' });
  t.ok((await desk(t, server, honest)).isConnected);
});

t.test('the name of an admitted node without its key does not get in', { skip }, async (t) => {
  const server = await meshServer(t);
  await service(t, server);
  const thief = { id: honest.id, sign: other.sign };
  await t.rejects(desk(t, server, thief), { code: 'FORBIDDEN' });
});

t.test('while the store cannot say whether a node is admitted it does not get in', { skip }, async (t) => {
  const server = await meshServer(t);
  const errors: unknown[] = [];
  await service(t, server, {
    isAdmitted: () => Promise.reject(new Error('the store is gone')),
    onError: (error) => errors.push(error),
  });
  await t.rejects(desk(t, server, honest), { code: 'FORBIDDEN' });
  t.match(errors, [{ message: 'the store is gone' }]);
});

t.test('a node that is barred is disconnected at once and stays outside', { skip }, async (t) => {
  const server = await meshServer(t);
  const barred = new Set<string>();
  const front = await service(t, server, { isAdmitted: async (node) => !barred.has(node) });
  const states: string[] = [];
  const stays = await desk(t, server, honest);
  let outside: () => void;
  const refused = new Promise<void>((done) => {
    outside = done;
  });
  await desk(t, server, other, (status) => {
    states.push(status);
    if (status === 'refused') outside();
  });
  barred.add(other.id);
  await front.bar(other.id);
  await refused;
  t.match(states, ['disconnected', 'refused']);
  t.strictSame(await front.present(), [honest.id]);
  t.ok(stays.isConnected, 'and nobody else is');
  await t.rejects(desk(t, server, other), { code: 'FORBIDDEN' });
});

t.test('a grant that runs out is asked for again, and the node goes on', { skip }, async (t) => {
  const server = await meshServer(t);
  let behindMs = 3_597_000; // an hour's grant has three seconds left
  const asked: string[] = [];
  const isAdmitted = async (node: string) => asked.push(node) > 0;
  const now = () => BigInt(Date.now() - behindMs) * 1_000_000n;
  await service(t, server, { isAdmitted, now });
  let come = () => {};
  const back = new Promise<void>((done) => {
    come = done;
  });
  const node = await desk(t, server, honest, (status) => {
    if (status === 'reconnected') come();
  });
  behindMs = 0;
  await back;
  t.strictSame(asked, [honest.id, honest.id]);
  t.strictSame(await node.alive([]), { mode: 'contributing', lost: [] });
});

t.test('a mesh that is not there is refused in a sentence', async (t) => {
  const nowhere = { url: 'nats://127.0.0.1:9', port: 9 } as never;
  await t.rejects(desk(t, nowhere, honest), { code: 'MESH_UNAVAILABLE', message: /cannot be reached/ });
  await t.rejects(service(t, nowhere), { code: 'MESH_UNAVAILABLE' });
});

t.test('an answer that the service did not sign is no answer', { skip }, async (t) => {
  const { server } = await deployed(t);
  const wrong = { ...keys, service: nodeOf(77) };
  const misled = await desk(t, server, honest, undefined, wrong.service.id);
  await t.rejects(misled.alive([]), { code: 'MESH_UNAVAILABLE' });
});

t.test('a question that is not signed by its node is not answered', { skip }, async (t) => {
  const { server } = await deployed(t);
  const bus = await hostile(t, server, other);
  const subject = subjects.ask(other.id);
  const ask = (headers?: Record<string, string>, timeoutMs = 150) =>
    bus.request(subject, empty, { headers, timeoutMs });
  t.equal(await problemOf(ask()), 'timeout');
  t.equal(await problemOf(ask(signature(honest, subject, empty))), 'timeout');
  t.equal(await problemOf(ask(signature(other, subjects.to(other.id), empty))), 'timeout', 'another subject');
  t.match(new TextDecoder().decode((await ask(signature(other, subject, empty), 10_000)).data), /unreadable/);
});

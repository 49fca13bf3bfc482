import { connect, type NatsConnection } from 'nats';
import t, { type Test } from 'tap';
import { type NatsServer, natsMissing, startNats } from './nats.ts';

const skip = natsMissing;

async function connected(t: Test, server: NatsServer): Promise<NatsConnection> {
  const connection = await connect({ servers: server.url });
  t.teardown(() => connection.close());
  return connection;
}

async function serverFor(t: Test): Promise<NatsServer> {
  const server = await startNats();
  t.teardown(() => server.stop());
  return server;
}

t.test(
  'a work-queue stream hands a message out once, and the acknowledged one is gone',
  { skip },
  async (t) => {
    const nats = await connected(t, await serverFor(t));
    const streams = await nats.jetstreamManager();
    await streams.streams.add({ name: 'JOBS', subjects: ['jobs.>'], retention: 'workqueue' as never });
    await streams.consumers.add('JOBS', { durable_name: 'worker', ack_policy: 'explicit' as never });
    const jetstream = nats.jetstream();
    const published = await jetstream.publish('jobs.a', 'one', { msgID: 'm1' });
    t.equal(published.seq, 1);
    t.equal((await jetstream.publish('jobs.a', 'one', { msgID: 'm1' })).duplicate, true);
    const consumer = await jetstream.consumers.get('JOBS', 'worker');
    const message = await consumer.next({ expires: 5000 });
    t.equal(message?.string(), 'one');
    t.equal(await message?.ackAck(), true);
    t.equal((await streams.streams.info('JOBS')).state.messages, 0);
  },
);

t.test('a key-value bucket keeps the revision that a compare-and-set names', { skip }, async (t) => {
  const nats = await connected(t, await serverFor(t));
  const nodes = await nats.jetstream().views.kv('NODES');
  const revision = await nodes.create('n1', 'here');
  await nodes.update('n1', 'still here', revision);
  await t.rejects(nodes.update('n1', 'from the past', revision), /wrong last sequence/);
  t.equal((await nodes.get('n1'))?.string(), 'still here');
});

t.test('a killed server goes on from its files on the same port', { skip }, async (t) => {
  const first = await startNats({ config: '' });
  const before = await connect({ servers: first.url, reconnect: false });
  await (await before.jetstreamManager()).streams.add({ name: 'KEPT', subjects: ['kept'] });
  await before.jetstream().publish('kept', 'a line');
  await first.kill();
  await before.closed();
  const second = await startNats({ folder: first.folder, port: first.port });
  t.teardown(() => second.stop());
  t.equal(second.port, first.port);
  const after = await connected(t, second);
  t.equal((await (await after.jetstreamManager()).streams.info('KEPT')).state.messages, 1);
});

t.test('a server that cannot start says why', { skip }, async (t) => {
  await t.rejects(startNats({ config: 'nonsense: {' }), /nats-server ended with 1/);
});

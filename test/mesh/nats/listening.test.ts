import t from 'tap';
import { Listening } from '../../../mesh/nats/listening.ts';
import { TICK_NS } from '../../../src/clock/pulse.ts';
import { natsMissing } from '../../servers/nats.ts';
import { meshServer, service } from './deployment.ts';

/** A server that answers when it is told to, and a clock that stands. */
function scene() {
  let [now, isConnected] = [1000n * TICK_NS, true];
  let answer: (error?: Error) => void = () => undefined;
  const bus = {
    get isConnected() {
      return isConnected;
    },
    flush: () =>
      new Promise<void>((done, fail) => {
        answer = (error) => (error ? fail(error) : done());
      }),
  };
  const listening = new Listening(bus, () => now);
  listening.close(); // the test says when
  return {
    listening,
    pass: (ticks: number) => {
      now += BigInt(ticks) * TICK_NS;
    },
    connect: (is: boolean) => {
      isConnected = is;
    },
    since: () => Number(listening.since / TICK_NS),
    async probe(ticks: number, error?: Error) {
      const probed = listening.probe();
      now += BigInt(ticks) * TICK_NS;
      answer(error);
      await probed;
    },
  };
}

t.test('while the server answers, nodes are heard since the beginning', async (t) => {
  const { probe, since } = scene();
  for (let tick = 0; tick < 20; tick++) await probe(1);
  t.equal(since(), 1000);
});

t.test('a server that was silent for more than three ticks has lost what was said meanwhile', async (t) => {
  const { probe, since, pass } = scene();
  await probe(3);
  t.equal(since(), 1000, 'three are not many');
  const asked = probe(4);
  t.equal(since(), 1007, 'while it is silent nobody is heard');
  await asked;
  pass(2);
  t.equal(since(), 1007, 'from its answer on they are');
});

t.test('a process that stood still has heard nobody', async (t) => {
  const { probe, since, pass } = scene();
  pass(50);
  t.equal(since(), 1050);
  await probe(0);
  pass(1);
  t.equal(since(), 1050);
});

t.test('without a connection nobody is heard, and from the next one on they are', async (t) => {
  const { listening, probe, since, pass, connect } = scene();
  connect(false);
  await probe(1, new Error('lost'));
  t.equal(since(), 1001);
  connect(true);
  listening.resumed();
  pass(1);
  t.equal(since(), 1001);
});

t.test(
  'a server that is killed and started again is heard since it came back',
  { skip: natsMissing },
  async (t) => {
    const server = await meshServer(t, true);
    const front = await service(t, server, { onError: () => undefined });
    const first = front.listeningSince();
    t.equal(front.listeningSince(), first, 'it does not move by itself');
    await server.kill();
    while (!front.isConnected) await new Promise(setImmediate);
    t.ok(front.listeningSince() > first);
  },
);

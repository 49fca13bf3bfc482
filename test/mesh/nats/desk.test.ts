import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import type { Result } from '../../../mesh/coordinator/coordinator.ts';
import type { DeskEvents, Reveal, Work } from '../../../mesh/desk.ts';
import type { Bell } from '../../../mesh/front.ts';
import { Bus } from '../../../mesh/nats/bus.ts';
import { PART_BYTES, pack, unpack } from '../../../mesh/nats/frame.ts';
import { packParcel } from '../../../mesh/nats/parcel.ts';
import { packResult } from '../../../mesh/nats/results.ts';
import { signature } from '../../../mesh/nats/signature.ts';
import { isToken, jobClasses, streams, subjects } from '../../../mesh/subjects.ts';
import { equalBytes, textOf, toHex, utf8 } from '../../../src/proof/bytes.ts';
import { sha256 } from '../../../src/proof/crypto-node.ts';
import { type NatsServer, natsMissing } from '../../servers/nats.ts';
import {
  desk,
  hostile,
  keys,
  limits,
  meshServer,
  nodeOf,
  presence,
  service,
  silentService,
} from './deployment.ts';

const skip = natsMissing;
const [honest, other] = [nodeOf(1), nodeOf(2)];
const digest = (letter: string) => letter.repeat(64);

const commitment = (number: number, run = 'run') => ({
  ...{ run, fence: 1, from: number, to: number, commitment: number.toString(16).padStart(64, '0') },
});

function reveal(state: Uint8Array, run = 'run'): Reveal {
  return {
    ...{ run, fence: 1, salt: new Uint8Array(32), state, rows: [utf8('row')], observed: [1] },
    claim: {
      ...{ from: 0, to: 0, digests: [digest('a')], steps: 1, work: '1' },
      ...{ state: digest('b'), rowsRoot: digest('c'), rowsHash: digest('d') },
    },
  };
}

/** A store that remembers what was kept, each once. */
class Kept {
  readonly results: { readonly node: string; readonly result: Result }[] = [];
  calls = 0;
  most = 0;

  /** What a node says again because it was not answered in time is there already. */
  readonly keep = async (batch: readonly { readonly node: string; readonly result: Result }[]) => {
    this.calls++;
    this.most = Math.max(this.most, batch.length);
    for (const said of batch)
      if (!this.results.some((kept) => isDeepStrictEqual(kept, said))) this.results.push(said);
    return batch.map(() => 'kept' as const);
  };

  get commitments(): string[] {
    return this.results.flatMap(({ result }) => (result.kind === 'commit' ? [result.commitment] : [])).sort();
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const expected = (count: number) => numbers(count).map((i) => commitment(i).commitment);

async function admin(t: Test, { url }: NatsServer): Promise<Bus> {
  const bus = await Bus.connect({ servers: url, identity: keys.service, name: 'admin' });
  t.teardown(() => bus.close());
  return bus;
}

t.test('a commitment is kept when the service says so, not when NATS has it', { skip }, async (t) => {
  const server = await meshServer(t);
  let arrive = () => {};
  let finish = () => {};
  const arrived = new Promise<void>((done) => {
    arrive = done;
  });
  const durable = new Promise<void>((done) => {
    finish = done;
  });
  const results = async () => {
    arrive();
    await durable;
    return ['kept' as const];
  };
  await service(t, server, { front: { results } });
  const node = await desk(t, server, honest);
  let isKept = false;
  const kept = node.commit(commitment(0)).then((answer) => {
    isKept = true;
    return answer;
  });
  await arrived;
  await node.alive([]);
  t.notOk(isKept);
  finish();
  t.equal(await kept, 'kept');
});

t.test('why a result is not taken comes back to the node that sent it', { skip }, async (t) => {
  const server = await meshServer(t);
  await service(t, server, { front: { results: async (batch) => batch.map(() => 'fenced') } });
  t.equal(await (await desk(t, server, honest)).commit(commitment(0)), 'fenced');
});

t.test('many results are kept together, each once in one turn of the store', { skip }, async (t) => {
  const server = await meshServer(t);
  const front = await silentService(t, server);
  const [node, kept] = [await desk(t, server, honest), new Kept()];
  const answers = numbers(300).map((i) => node.commit(commitment(i)));
  await node.take(1);
  front.serve({ results: kept.keep });
  t.strictSame(new Set(await Promise.all(answers)), new Set(['kept']));
  t.strictSame(kept.commitments, expected(300));
  t.ok(kept.most > 10 && kept.most <= 128, `${kept.calls} turns of at most ${kept.most}`);
});

t.test('what the store could not keep is delivered again', { skip }, async (t) => {
  const server = await meshServer(t);
  const [kept, errors] = [new Kept(), [] as unknown[]];
  const results: typeof kept.keep = async (batch) => {
    if (errors.length < 2) throw new Error('the store is away');
    return kept.keep(batch);
  };
  await service(t, server, { front: { results }, onError: (error) => errors.push(error) });
  t.equal(await (await desk(t, server, honest)).commit(commitment(0)), 'kept');
  t.equal(errors.length, 2);
  t.strictSame(kept.commitments, expected(1));
});

t.test('one result that cannot be kept does not hold up the others', { skip }, async (t) => {
  const server = await meshServer(t);
  const kept = new Kept();
  const results: typeof kept.keep = async (batch) => {
    if (batch.some(({ result }) => result.run === 'poison')) throw new Error('poison');
    return kept.keep(batch);
  };
  const front = await silentService(t, server, { onError: () => undefined });
  const node = await desk(t, server, honest);
  const poisoned = node.commit(commitment(9, 'poison')).catch(() => 'never');
  const answers = numbers(5).map((i) => node.commit(commitment(i)));
  await node.take(1);
  front.serve({ results });
  t.strictSame(
    await Promise.all(answers),
    numbers(5).map(() => 'kept'),
  );
  await node.close();
  t.equal(await poisoned, 'never');
});

// ---- parcels ---------------------------------------------------------------------------------------------

t.test('what a node says in one turn goes in few messages, each signed once', { skip }, async (t) => {
  const server = await meshServer(t);
  const front = await silentService(t, server);
  const [node, bus, kept] = [await desk(t, server, honest), await admin(t, server), new Kept()];
  const said: string[] = [];
  bus.subscribe(subjects.results('*', '*'), (message) => said.push(message.header('Nats-Msg-Id')));
  await bus.flush();
  const answers = [
    ...numbers(20).map((i) => node.commit(commitment(i, `run-${i}`))),
    node.reveal(reveal(new Uint8Array(100_000).fill(3), 'large')),
    ...numbers(20).map((i) => node.commit(commitment(20 + i, `run-${i}`))),
  ];
  await node.take(1);
  front.serve({ results: kept.keep });
  t.strictSame(new Set(await Promise.all(answers)), new Set(['kept']));
  const first = said.filter((id) => !isSaidAgain(id));
  t.ok(first.length > 0 && first.length <= 3, `${first.length} messages`);
  t.strictSame(kept.commitments, expected(40));
  while ((await stateOf(bus, streams.results)).messages > 0);
  t.pass('and they are gone once all of them are kept');
});

/** What waits for its answer too long is said again, under an id with the number of the attempt. */
const isSaidAgain = (id: string) => /\.[1-9]\d*$/.test(id);

t.test('of a parcel what is no message is dropped, and the rest is kept', { skip }, async (t) => {
  const server = await meshServer(t);
  const kept = new Kept();
  await service(t, server, { front: { results: kept.keep } });
  const [bus, node] = [await hostile(t, server, other), await desk(t, server, honest)];
  const said = (number: number) =>
    packResult(`id-${number}`, { kind: 'commit', ...commitment(number, 'run') }).frame;
  const ours = subjects.results('~', other.id);
  const put = (frames: readonly Uint8Array[], signer = other, parcel = frames.length) => {
    const { frame } = pack({ parcel }, frames);
    return bus.persist(ours, frame, { headers: signature(signer, ours, frame) });
  };
  const strange = pack({ result: 'commit', id: 'strange', more: 1 }).frame;
  await put([said(1)], honest);
  await put([said(2)], other, 2);
  await put([]);
  await put([packParcel([said(3)])]);
  await put([utf8('nonsense'), said(4), strange, new Uint8Array(0), said(5)]);
  const alone = said(6);
  await bus.persist(ours, alone, { headers: signature(other, ours, alone) });
  t.equal(await node.commit(commitment(7)), 'kept');
  t.strictSame(
    kept.commitments,
    [4, 5, 7].map((number) => commitment(number).commitment),
  );
  t.notOk(isToken('~'), 'no run is called so');
});

t.test('what of a parcel could not be kept comes again until it is', { skip }, async (t) => {
  const server = await meshServer(t);
  const kept = new Kept();
  let isAway = true;
  const results: typeof kept.keep = async (batch) => {
    const isPoisoned = batch.some(({ result }) => result.run === 'poison');
    if (isAway && isPoisoned) throw new Error('poison');
    return kept.keep(batch);
  };
  await service(t, server, { front: { results }, onError: () => undefined });
  const node = await desk(t, server, honest);
  const poisoned = node.commit(commitment(9, 'poison'));
  const others = numbers(3).map((i) => node.commit(commitment(i)));
  t.strictSame(new Set(await Promise.all(others)), new Set(['kept']));
  isAway = false;
  t.equal(await poisoned, 'kept');
  t.strictSame(
    kept.commitments,
    [0, 1, 2, 9].map((i) => commitment(i).commitment),
  );
});

// ---- signatures ------------------------------------------------------------------------------------------

t.test('a result is held to its signature and to the subject that it was signed for', { skip }, async (t) => {
  const server = await meshServer(t);
  const kept = new Kept();
  await service(t, server, { front: { results: kept.keep } });
  const [bus, node] = [await hostile(t, server, other), await desk(t, server, other)];
  const { frame } = packResult('id', { kind: 'commit', ...commitment(1, 'one') });
  const [one, two] = [subjects.results('one', other.id), subjects.results('two', other.id)];
  const forged = frame.slice();
  forged[forged.length - 20]! ^= 1;
  for (const [subject, data, headers] of [
    [one, frame, {}],
    [one, frame, signature(honest, one, frame)],
    [one, forged, signature(other, one, frame)],
    [two, frame, signature(other, one, frame)],
    [two, frame, signature(other, two, frame)],
    [one, utf8('nonsense'), signature(other, one, utf8('nonsense'))],
    [one, frame, { 'svc-signature': 'A'.repeat(88) }],
    [one, frame, { 'svc-signature': '!'.repeat(88) }],
  ] as const)
    await bus.persist(subject, data, { headers });
  t.equal(await node.commit(commitment(2, 'three')), 'kept');
  t.strictSame(
    kept.results.map(({ result }) => result.run),
    ['three'],
    'none of them reached the store',
  );
  await bus.persist(one, frame, { headers: signature(other, one, frame) });
  t.equal(await node.commit(commitment(3, 'four')), 'kept');
  t.strictSame(
    kept.results.map(({ result }) => result.run).sort(),
    ['four', 'one', 'three'],
    'the true one does',
  );
});

t.test('a result that is published twice under one id is in the stream once', { skip }, async (t) => {
  const server = await meshServer(t);
  await silentService(t, server);
  const bus = await hostile(t, server, honest);
  const subject = subjects.results('r', honest.id);
  const first = await bus.persist(subject, utf8('x'), { id: 'same' });
  const second = await bus.persist(subject, utf8('x'), { id: 'same' });
  t.notOk(first.duplicate);
  t.ok(second.duplicate);
});

// ---- large messages --------------------------------------------------------------------------------------

t.test('a state of 5 MiB arrives to the byte, and its parts make room again', { skip }, async (t) => {
  const server = await meshServer(t);
  const kept = new Kept();
  await service(t, server, { front: { results: kept.keep } });
  const shown = reveal(new Uint8Array(5 * 1024 * 1024).map((_, i) => i * 7));
  t.equal(await (await desk(t, server, honest)).reveal(shown), 'kept');
  t.ok(areShown(kept, shown));
  const bus = await admin(t, server);
  let messages = 1;
  while (messages > 0) ({ messages } = await stateOf(bus, streams.parts));
  t.pass('the stream of parts is empty');
});

/** States are compared as bytes: tap would take a minute for 5 MiB. */
function areShown({ results }: Kept, { state, ...shown }: Reveal): boolean {
  const [kept] = results.map(({ result }) => result);
  if (results.length !== 1 || kept?.kind !== 'reveal') return false;
  const { state: keptState, kind: _, ...rest } = kept;
  return equalBytes(keptState, state) && isDeepStrictEqual(rest, shown) && results[0]?.node === honest.id;
}

const stateOf = async (bus: Bus, stream: string) =>
  (await bus.api<{ state: { messages: number; bytes: number } }>(`STREAM.INFO.${stream}`)).state;

t.test('a result whose parts were lost is said again with them', { skip }, async (t) => {
  const server = await meshServer(t);
  const front = await silentService(t, server);
  const [kept, bus] = [new Kept(), await admin(t, server)];
  const shown = reveal(new Uint8Array(2 * PART_BYTES).fill(5));
  const answer = (await desk(t, server, honest)).reveal(shown);
  while ((await stateOf(bus, streams.results)).messages === 0) await bus.flush();
  await bus.api(`STREAM.PURGE.${streams.parts}`);
  front.serve({ results: kept.keep });
  t.equal(await answer, 'kept');
  t.ok(areShown(kept, shown));
});

t.test('a full stream holds nodes back and loses nothing', { skip }, async (t) => {
  const server = await meshServer(t);
  const small = { limits: { ...limits, resultsBytes: 100_000 } };
  const front = await silentService(t, server, small);
  const [kept, bus] = [new Kept(), await admin(t, server)];
  const node = await desk(t, server, honest);
  const answers = numbers(12).map((i) => node.reveal(reveal(new Uint8Array(30_000).fill(i), `run-${i}`)));
  while ((await stateOf(bus, streams.results)).messages < 3);
  const probe = bus.persist(subjects.results('probe', honest.id), new Uint8Array(30_000));
  t.equal(await probe.catch(({ problem }) => problem), 'full');
  front.serve({ results: kept.keep });
  t.strictSame(new Set(await Promise.all(answers)), new Set(['kept']));
  t.equal(new Set(kept.results.map(({ result }) => result.run)).size, 12);
});

// ---- questions -------------------------------------------------------------------------------------------

const work: Work = {
  ...{ run: 'run', fence: 7, kernel: digest('1'), parameters: digest('2'), stepsPerSegment: 10 },
  ...{ memory: 1000, work: 5e9, from: 3 },
  start: { digest: digest('3'), steps: 30, state: digest('4'), rowsHash: digest('5') },
};

t.test('leases, signs of life and returns reach the service as they were said', { skip }, async (t) => {
  const server = await meshServer(t);
  const said: unknown[] = [];
  await service(t, server, {
    front: {
      leases: async (node, runs) => {
        said.push([node, runs]);
        return [{ lease: work }, { run: 'gone', refused: 'ended' }];
      },
      alive: async (_, holding) => ({ mode: 'experimenting', lost: holding.slice(1) }),
      release: async (...release) => {
        said.push(release);
      },
    },
  });
  const node = await desk(t, server, honest);
  t.strictSame(await node.lease(['run', 'gone']), [{ lease: work }, { run: 'gone', refused: 'ended' }]);
  const holding = [
    { run: 'run', fence: 7 },
    { run: 'check', fence: 8, from: 2 },
  ];
  t.strictSame(await node.alive(holding), { mode: 'experimenting', lost: [holding[1]] });
  await node.release(holding[1]!, true);
  t.strictSame(said, [
    [honest.id, ['run', 'gone']],
    [honest.id, holding[1], true],
  ]);
});

t.test(
  'a question for leases that is asked again is answered again and decided once',
  { skip },
  async (t) => {
    const server = await meshServer(t);
    let asked = 0;
    const leases = async () => [{ lease: { ...work, fence: ++asked } }];
    await service(t, server, { front: { leases } });
    const bus = await hostile(t, server, honest);
    const subject = subjects.ask(honest.id);
    const ask = (attempt: number) => {
      const { frame } = pack({ ask: 'lease', id: 'once', attempt, at: Date.now(), runs: ['run'] });
      return bus.request(subject, frame, { headers: signature(honest, subject, frame) });
    };
    const answers = await Promise.all([ask(0), ask(1), ask(2)]);
    t.strictSame(new Set(answers.map(({ data }) => toHex(data))).size, 1);
    t.equal(asked, 1);
  },
);

t.test('a question that somebody recorded and says again is not answered', { skip }, async (t) => {
  const server = await meshServer(t);
  let released = 0;
  const release = async () => {
    released++;
  };
  await service(t, server, { front: { release } });
  const bus = await hostile(t, server, honest);
  const subject = subjects.ask(honest.id);
  const holding = { run: 'run', fence: 7 };
  const frameAt = (at: number, id: string) =>
    pack({ ask: 'release', id, attempt: 0, at, holding, failed: false }).frame;
  const answerTo = async (frame: Uint8Array) => {
    const { data } = await bus.request(subject, frame, { headers: signature(honest, subject, frame) });
    return unpack(data)?.header.answer;
  };
  const recorded = frameAt(Date.now(), 'once');
  t.equal(await answerTo(recorded), 'release');
  t.equal(await answerTo(recorded), 'late');
  for (const seconds of [-100, 100])
    t.equal(
      await answerTo(frameAt(Date.now() + 1000 * seconds, `at${seconds + 100}`)),
      'late',
      `${seconds} s`,
    );
  t.equal(released, 1);
});

t.test('nor is it by another service node, and who goes by the right time is', { skip }, async (t) => {
  const server = await meshServer(t);
  let last = 0;
  const heard: string[] = [];
  const asked = async (_: string, kind: string, atMs: number) => {
    const before = last;
    last = Math.max(last, atMs);
    heard.push(kind);
    return before;
  };
  for (let i = 0; i < 2; i++) await service(t, server, { front: { asked } });
  const bus = await hostile(t, server, honest);
  const subject = subjects.ask(honest.id);
  const { frame } = pack({ ask: 'lease', id: 'once', attempt: 0, at: Date.now(), runs: ['run'] });
  const headers = signature(honest, subject, frame);
  const answers = [];
  for (let i = 0; i < 8; i++)
    answers.push(unpack((await bus.request(subject, frame, { headers })).data)?.header.answer);
  t.strictSame(answers.toSorted(), ['late', 'late', 'late', 'late', 'late', 'late', 'late', 'lease']);

  last = Date.now() + 5000;
  const node = await desk(t, server, honest);
  t.strictSame(await node.lease(['run']), [{ run: 'run', refused: 'unknown' }], 'a clock that was set back');
  await node.alive([]);
  t.notOk(heard.includes('alive'), 'who holds nothing says nothing that could be used');
});

t.test("a node whose clock is wrong learns the service's, and is answered", { skip }, async (t) => {
  const server = await meshServer(t);
  const now = () => BigInt(Date.now() + 3_600_000) * 1_000_000n;
  await service(t, server, { now });
  const node = await desk(t, server, honest);
  t.strictSame(await node.alive([]), { mode: 'contributing', lost: [] });
  t.strictSame(await node.lease(['run']), [{ run: 'run', refused: 'unknown' }]);
});

t.test(
  'bytes come in pieces, only to who holds the work, and only if they are what they are called',
  { skip },
  async (t) => {
    const server = await meshServer(t);
    const bytes = new Uint8Array(3 * PART_BYTES + 17).map((_, i) => i * 31);
    const name = toHex(sha256(bytes));
    let read = 0;
    const bytesFor = async (node: string, _run: string, sha: string) => {
      read++;
      if (node !== honest.id) return undefined;
      return sha === digest('0') ? new Uint8Array(0) : bytes;
    };
    await service(t, server, { front: { bytesFor } });
    const node = await desk(t, server, honest);
    t.ok(equalBytes(await node.bytes('run', name), bytes));
    t.equal(read, 1, 'and are read once, not once a piece');
    await t.rejects(node.bytes('run', digest('e')), { code: 'NOT_FOUND' }, 'other bytes');
    await t.rejects((await desk(t, server, other)).bytes('run', name), { code: 'NOT_FOUND' }, 'another node');
  },
);

t.test('what the service says reaches the node: checks, losses, modes and bells', { skip }, async (t) => {
  const server = await meshServer(t);
  const front = await service(t, server);
  const node = await desk(t, server, honest);
  const heard: unknown[] = [];
  let ring = () => {};
  const rung = new Promise<void>((done) => {
    ring = done;
  });
  const events: DeskEvents = {
    check: (check) => heard.push(check),
    lost: (holding, reason) => heard.push([holding, reason]),
    mode: (mode) => heard.push(mode),
    bell: () => ring(),
  };
  node.listen(events);
  const check = { ...work, kind: 'second' as const, through: 5 };
  await front.check(honest.id, check);
  await front.lost(honest.id, { run: 'run', fence: 7 }, 'fenced');
  await front.mode(honest.id, 'idle');
  await front.ring([{ id: 'run', class: 'free-small' }]);
  await rung;
  t.strictSame(heard, [check, [{ run: 'run', fence: 7 }, 'fenced'], 'idle']);
});

t.test(
  'who is there is seen by service nodes that come later too, and only under its own signature',
  { skip },
  async (t) => {
    const server = await meshServer(t);
    const first = await service(t, server);
    const bus = await hostile(t, server, other);
    await desk(t, server, honest);
    const subject = `$KV.NODES.${other.id}`;
    const said = utf8(JSON.stringify(presence));
    await bus.persist(subject, said);
    await bus.persist(subject, said, { headers: signature(honest, subject, said) });
    await bus.persist(subject, utf8('{"engine":1}'), {
      headers: signature(other, subject, utf8('{"engine":1}')),
    });
    const second = await service(t, server);
    while (first.presences().size === 0) await bus.flush();
    for (const front of [first, second]) t.strictSame([...front.presences()], [[honest.id, presence]]);
    await bus.persist(subject, said, { headers: signature(other, subject, said) });
    while (first.presences().size < 2) await bus.flush();
    t.strictSame(new Set(await first.present()), new Set([honest.id, other.id]));
  },
);

// ---- the work queue --------------------------------------------------------------------------------------

/** From now on bells stay with who took them, however long that takes here. */
async function keepBells(t: Test, server: NatsServer) {
  const bus = await admin(t, server);
  for (const name of jobClasses) {
    const consumer = `${streams.jobs}.${name}`;
    const { config } = await bus.api<{ config: object }>(`CONSUMER.INFO.${consumer}`);
    const patient = { ...config, ack_wait: 600e9 };
    const filter = subjects.jobs(name, '*');
    await bus.api(`CONSUMER.CREATE.${consumer}.${filter}`, { stream_name: streams.jobs, config: patient });
  }
}

t.test(
  'a run is on the queue once, however often it is rung, and again after it was answered',
  { skip },
  async (t) => {
    const server = await meshServer(t);
    const front = await service(t, server);
    await keepBells(t, server);
    const node = await desk(t, server, honest);
    const ring = () => front.ring([{ id: 'run', class: 'paid-small' }]);
    for (let i = 0; i < 5; i++) await ring();
    const bells = await node.take(10);
    t.strictSame(
      bells.map(({ run }) => run),
      ['run'],
    );
    await ring();
    t.strictSame(await node.take(10), [], 'while it is being seen to it does not ring');
    bells[0]!.ack();
    let again: readonly Bell[] = [];
    while (again.length === 0) {
      await ring(); // until the queue has heard the answer it does not ring
      again = await node.take(10);
    }
    t.strictSame(
      again.map(({ run }) => run),
      ['run'],
    );
  },
);

t.test('runs that wait on the queue cost no message when they are rung again', { skip }, async (t) => {
  const server = await meshServer(t);
  const front = await service(t, server);
  const bus = await admin(t, server);
  let put = 0;
  bus.subscribe(subjects.jobs('*' as never, '*'), () => put++);
  await bus.flush();
  const waiting = numbers(40).map((i) => ({ id: `run-${i}`, class: 'free-small' as const }));
  for (let tick = 0; tick < 10; tick++) await front.ring(waiting);
  await bus.flush();
  t.ok(put < 2 * waiting.length, `${put} messages`); // once more before it was looked how far the queue is
  const node = await desk(t, server, honest);
  let taken = 0;
  while (taken < waiting.length) taken += (await node.take(64)).length;
  t.equal(taken, waiting.length);
});

t.test('what is rung again keeps its class, named or on the queue', { skip }, async (t) => {
  const server = await meshServer(t);
  const front = await service(t, server);
  await keepBells(t, server);
  const [first, second] = [await desk(t, server, honest), await desk(t, server, other)];
  const [free, paid] = [
    { id: 'free', class: 'free-large' },
    { id: 'paid', class: 'paid-large' },
  ] as const;
  await front.ring([free]);
  await front.ring([paid]);
  const bells = await first.take(2);
  t.strictSame(
    bells.map(({ run }) => run),
    ['paid', 'free'],
  );
  for (const bell of bells) bell.ack();
  await first.alive([]);
  // Somebody answered their bells and has neither: they are put there again, and named to all.
  let named: readonly string[] = [];
  const bus = await hostile(t, server, nodeOf(3));
  bus.subscribe(subjects.bell, ({ data }) => {
    named = [...named, ...(data.length > 0 ? (JSON.parse(textOf(data)) as [string, string][]).flat() : [])];
  });
  await bus.flush();
  await front.ring([free]);
  while (named.length < 2) await bus.flush();
  await front.ring([paid, { id: 'new', class: 'paid-small' }]);
  while (named.length < 4) await bus.flush();
  t.strictSame(named, ['free-large', 'free', 'paid-large', 'paid']);
  await second.alive([]);
  const taken: [string, string][] = [];
  for (let bell = (await second.take(1))[0]; bell; bell = (await second.take(1))[0])
    taken.push([bell.run, bell.class]);
  t.strictSame(taken, [
    ['new', 'paid-small'],
    ['paid', 'paid-large'],
    ['paid', 'paid-large'],
    ['free', 'free-large'],
    ['free', 'free-large'],
  ]);
});

t.test(
  'a bell that nobody answers rings for another after 3 s; a sign of work holds it',
  { skip },
  async (t) => {
    const server = await meshServer(t);
    const front = await service(t, server);
    const [silent, bus] = [await desk(t, server, honest), await hostile(t, server, other)];
    const begunMs = performance.now();
    await front.ring([
      { id: 'run', class: 'paid-small' },
      { id: 'held', class: 'free-large' },
    ]);
    const [taken, held] = await silent.take(2);
    t.strictSame([taken?.run, held?.run], ['run', 'held']);
    const working = setInterval(() => held!.working(), 250);
    t.teardown(() => clearInterval(working));
    const next = (name: string, waitMs: number) => bus.pull(streams.jobs, name, { batch: 1, waitMs });
    const [[again], stillHeld] = await Promise.all([next('paid-small', 60_000), next('free-large', 5000)]);
    t.match(again, { subject: subjects.jobs('paid-small', 'run'), count: 2 });
    t.ok(performance.now() - begunMs >= 2990);
    t.strictSame(stillHeld, []);
  },
);

t.test('a bell that is passed on rings after the delay that was asked for', { skip }, async (t) => {
  const server = await meshServer(t);
  const front = await service(t, server);
  const [node, bus] = [await desk(t, server, honest), await hostile(t, server, other)];
  await front.ring([{ id: 'run', class: 'paid-small' }]);
  const [bell] = await node.take(1);
  const begunMs = performance.now();
  bell!.retry(300);
  const [again] = await bus.pull(streams.jobs, 'paid-small', { batch: 1, waitMs: 60_000 });
  t.match(again, { count: 2 });
  t.ok(performance.now() - begunMs >= 290);
});

// ---- who dies --------------------------------------------------------------------------------------------

t.test(
  'a server that is killed and started again costs time: every commitment is kept',
  { skip },
  async (t) => {
    const server = await meshServer(t, true);
    const kept = new Kept();
    const front = await service(t, server, { front: { results: kept.keep }, onError: () => undefined });
    const node = await desk(t, server, honest);
    const answers = numbers(60).map((i) => node.commit(commitment(i)));
    await Promise.race(answers);
    await server.kill();
    const more = numbers(120)
      .slice(60)
      .map((i) => node.commit(commitment(i)));
    await Promise.race(more);
    await server.kill();
    t.strictSame(new Set(await Promise.all([...answers, ...more])), new Set(['kept']));
    t.strictSame(kept.commitments, expected(120));
    t.strictSame(await node.alive([]), { mode: 'contributing', lost: [] }, 'questions are answered again');
    let taken: string[] = [];
    while (taken.length === 0) {
      await front.ring([{ id: 'run', class: 'free-small' }]); // as the reconciler does, tick by tick
      taken = (await node.take(1)).map(({ run }) => run);
    }
    t.strictSame(taken, ['run'], 'and the queue is there again');
  },
);

t.test('two service nodes share what comes, and either does without the other', { skip }, async (t) => {
  const server = await meshServer(t);
  const stores = [new Kept(), new Kept()];
  const fronts = [];
  for (const store of stores) fronts.push(await service(t, server, { front: { results: store.keep } }));
  const node = await desk(t, server, honest);
  const send = (from: number, to: number) =>
    Promise.all(
      numbers(to)
        .slice(from)
        .map((i) => node.commit(commitment(i))),
    );
  await send(0, 200);
  let sent = 200;
  while (stores.some(({ calls }) => calls === 0)) await send(sent, ++sent);
  await fronts[0]!.close();
  await send(sent, sent + 20);
  t.strictSame([...new Set(stores.flatMap((store) => store.commitments))].sort(), expected(sent + 20));
  t.strictSame(await node.alive([]), { mode: 'contributing', lost: [] });
});

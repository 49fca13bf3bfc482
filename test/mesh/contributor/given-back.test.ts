import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Desk, Holding, Mode } from '../../../mesh/desk.ts';
import { Refusal } from '../../../src/errors/refusal.ts';
import { MemoryService } from '../memory-desk.ts';
import { counter, hire, isWhole, stopwatch, uninterrupted } from './hired.ts';

// What a contributor loses, does not take, or gives back.

t.test('a lease that is lost stops at once, and the node takes the next run', async (t) => {
  const service = new MemoryService();
  const { contributor, seen } = hire(t, service);
  void service.begin('lost', counter(1e9));
  await seen('span');
  const { fence } = service.runs.get('lost')!.machine.lease!;
  const passed = stopwatch();
  service.decide('lost', { kind: 'cancel' });
  t.equal((await seen('lost')).reason, 'ended');
  t.ok(passed() < 1000, 'its thread has not gone on for a second');
  contributor.lost({ run: 'lost', fence }, 'ended');
  await service.begin('next', counter(2_000_000));
  t.match(contributor.status.losses, [{ run: 'lost', reason: 'ended' }]);
});

t.test('a lease that the service forgot is given up with the next sign of life', async (t) => {
  const service = new MemoryService();
  const { seen } = hire(t, service, {
    spanMs: 1e6, // what is kept is a sign of life itself
    desk: (desk) => ({ ...desk, alive: async (holding) => ({ mode: 'contributing', lost: holding }) }),
  });
  void service.begin('run', counter(1e9));
  t.equal((await seen('lost')).reason, 'fenced');
});

t.test(
  'a start state that does not lead to its digest is refused, and so are bytes of another name',
  async (t) => {
    const service = new MemoryService();
    const first = hire(t, service);
    void service.begin('run', counter(1e9));
    await first.seen('span');
    await first.contributor.leave();
    const lease = service.work(
      'run',
      9,
      service.runs.get('run')!.machine.spans.at(-1)?.to ?? service.runs.get('run')!.machine.accepted + 1,
    );
    const honest = service.bytes.get(lease.start!.state)!;
    const turned = honest.slice();
    turned[20]! ^= 4;
    const other = service.keep(turned);
    const forged: Record<string, (desk: Desk) => Desk> = {
      'is not that of segment': (desk) => ({
        ...desk,
        lease: async () => [{ lease: { ...lease, start: { ...lease.start!, state: other } } }],
      }),
      'cannot be had': (desk) => ({
        ...desk,
        lease: async () => [{ lease }],
        bytes: async (run, name) => (name === lease.start!.state ? turned : desk.bytes(run, name)),
      }),
    };
    for (const [sentence, desk] of Object.entries(forged)) {
      const { seen, contributor, events } = hire(t, service, { desk });
      service.ring('run');
      t.match((await seen('returned')).reason, sentence);
      t.notOk(
        events.some(({ kind }) => kind === 'leased'),
        'nothing was begun',
      );
      await contributor.leave();
    }
  },
);

t.test('a desk that lies costs the node nothing but the request', async (t) => {
  const service = new MemoryService();
  void service.begin('run', counter(3_000_000));
  const lease = service.work('run', 1, 0);
  const lies: Record<string, unknown> = {
    'a path for a kernel': { ...lease, kernel: '../../etc/passwd' },
    'a negative segment': { ...lease, from: -1 },
    'a start without a state': { ...lease, from: 4 },
    'segments of no steps': { ...lease, stepsPerSegment: 0 },
    'a kernel with other bytes': { ...lease, kernel: service.keep(new Uint8Array(8)).replace(/./, 'z') },
    'no numbers at all': { ...lease, memory: 'much' },
  };
  for (const [name, lie] of Object.entries(lies)) {
    const { seen, contributor } = hire(t, service, {
      desk: (desk) => ({ ...desk, lease: async () => [{ lease: lie as typeof lease }] }),
    });
    service.ring('run');
    t.match(await seen('returned'), { run: 'run', reason: /is no run|cannot be had/ }, name);
    await contributor.leave();
  }
  const { contributor, seen } = hire(t, service, {
    desk: (desk) => ({
      ...desk,
      alive: async () => ({ mode: 'asleep' as Mode, lost: [{ run: 'nothing', fence: 3 }] }),
      lease: async (runs) => [{ lease: { ...lease, run: 'unasked' } }, ...(await desk.lease(runs))],
    }),
  });
  service.ring('run');
  await seen('ended');
  t.equal(contributor.status.mode, 'contributing', 'a mode that is none is not taken');
});

t.test(
  'the memory cap: what is above it goes back unfailed, a kernel that breaks its own fails',
  async (t) => {
    const service = new MemoryService();
    const released: { holding: Holding; failed: boolean }[] = [];
    const watch = (desk: Desk): Desk => ({
      ...desk,
      release: async (holding, failed) => {
        released.push({ holding, failed });
        await desk.release(holding, failed);
      },
    });
    const { seen, events } = hire(t, service, { memory: 2 ** 27, desk: watch });
    void service.begin('large', counter(10, { memory: 2 ** 28 }));
    t.match((await seen('returned')).reason, /may need 256 MiB, and 128 are left here/);
    t.match(released, [{ holding: { run: 'large' }, failed: false }]);
    const hungry = service.begin('hungry', counter(1e6, { memory: 2 ** 24 }, 'hungry'));
    await service.begin('small', counter(1_000_000));
    while (!events.some((event) => event.kind === 'returned' && event.run === 'hungry')) await sleep(20);
    t.match(released.at(-1), { holding: { run: 'hungry' }, failed: true });
    void hungry;
  },
);

t.test('what no message can carry is given back as what cannot be run, not said for ever', async (t) => {
  for (const code of ['LIMIT_EXCEEDED', 'UNSUPPORTED'] as const) {
    const service = new MemoryService();
    const said: number[] = [];
    const { seen, contributor } = hire(t, service, {
      desk: (desk) => ({
        ...desk,
        reveal: async ({ claim }) => {
          said.push(claim.to);
          throw new Refusal(code, 'The state is more than the mesh carries.');
        },
      }),
    });
    void service.begin('run', counter(3_000_000));
    t.match(await seen('returned'), { failed: code === 'LIMIT_EXCEEDED', reason: /more than the mesh/ });
    t.equal(said.length, 1);
    await contributor.leave();
  }
});

t.test('a kernel that traps is given back as one that cannot be run', async (t) => {
  const service = new MemoryService();
  const { seen } = hire(t, service);
  void service.begin('trap', counter(10, {}, 'trap'));
  t.match(await seen('returned'), { failed: true, reason: /trapped/ });
});

t.test(
  'a switch of mode preempts within a second, and what is committed is shown (CONTRIB-04)',
  async (t) => {
    const service = new MemoryService();
    const { contributor, seen } = hire(t, service, {
      desk: (desk) => ({ ...desk, alive: async () => ({ mode: contributor.status.mode, lost: [] }) }),
    });
    const run = service.begin('run', counter(60_000_000));
    await seen('span');
    const passed = stopwatch();
    contributor.mode('experimenting');
    t.match(await seen('returned'), { run: 'run', reason: 'the node was stopped', failed: false });
    t.ok(passed() < 1000, `${passed()} ms`);
    t.equal(service.runs.get('run')!.machine.lease, undefined, 'the lease is given back');
    t.notOk(
      service.runs.get('run')!.machine.spans.some(({ claim }) => !claim),
      'no commitment is left without its claim',
    );
    service.ring('run');
    await sleep(200);
    t.same(contributor.status.occupations, [], 'and nothing is taken while the owner experiments');
    contributor.mode('contributing');
    await run;
    isWhole(t, service, 'run', await uninterrupted(t, counter(60_000_000)));
  },
);

t.test('a run that was fetched ahead goes back for a check that needs its memory', async (t) => {
  const service = new MemoryService();
  const { seen, contributor, events } = hire(t, service, {
    ...{ spanMs: 1e6, memory: 2 ** 27 }, // two at a time have room
    desk: (desk) => ({ ...desk, alive: async () => ({ mode: 'contributing', lost: [] }) }),
  });
  void service.begin('long', counter(400_000_000, { work: 1_000_000 }));
  await seen('leased');
  void service.begin('next', counter(1_000_000));
  while (!contributor.status.occupations.some(({ run }) => run === 'next')) await sleep(5);
  service.runs.set('other', { ...service.runs.get('next')! });
  contributor.check({ ...service.work('other', 7, 0), kind: 'second', through: 0 });
  t.match(await seen('returned'), { run: 'next', failed: false, reason: 'a check needs its memory' });
  t.notOk(events.some((event) => event.kind === 'returned' && event.run === 'other'));
  t.ok(contributor.status.occupations.some(({ run }) => run === 'other'));
});

t.test('what is given back is said until the service has heard it, and not taken meanwhile', async (t) => {
  const service = new MemoryService();
  let said = 0;
  const asked: (readonly string[])[] = [];
  const { seen, contributor } = hire(t, service, {
    memory: 2 ** 27,
    desk: (desk) => ({
      ...desk,
      lease: (runs) => {
        asked.push(runs);
        return desk.lease(runs);
      },
      release: async (holding, failed) => {
        if (++said < 4) throw new Error('nobody answers');
        await desk.release(holding, failed);
      },
    }),
  });
  void service.begin('run', counter(10, {}, 'trap'));
  await seen('returned');
  while (said < 3) {
    t.ok(service.runs.get('run')!.machine.lease, 'the service knows nothing of it');
    service.ring('run');
    await sleep(10);
  }
  t.equal(asked.length, 1, 'what it gives back it does not ask for');
  while (service.runs.get('run')!.machine.lease) await sleep(5);
  await contributor.leave();
  t.equal(said, 4);
});

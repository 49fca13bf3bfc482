import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { CheckAnswer, Desk } from '../../../mesh/desk.ts';
import { toHex } from '../../../src/proof/bytes.ts';
import { MemoryService } from '../memory-desk.ts';
import { orbits } from '../orbits.ts';
import { counter, hire, isWhole, oneByOne, uninterrupted } from './hired.ts';

// MESH, CONTRIB: a contributor against the decisions of mesh/decide, with real threads and kernels, without a network.

t.test(
  'a multibody run whose first contributor is killed has the digests of the uninterrupted run',
  async (t) => {
    const service = new MemoryService();
    const spec = orbits({ steps: 400_000, stepsPerSegment: 20_000 });
    const never = new Promise<never>(() => undefined);
    let isDead = false;
    const cut = (desk: Desk): Desk => {
      const mute =
        <A extends unknown[], R>(say: (...a: A) => Promise<R>) =>
        (...a: A): Promise<R> =>
          isDead ? never : say(...a);
      const { lease, alive, release, commit, reveal, checked, bytes } = desk;
      return {
        ...{ lease: mute(lease), alive: mute(alive), release: mute(release), commit: mute(commit) },
        ...{ reveal: mute(reveal), checked: mute(checked), bytes: mute(bytes) },
      };
    };
    const ended = service.begin('run', spec);
    const first = hire(t, service, { desk: cut, ...oneByOne });
    while (service.gathered('run').spans.length < 5) await sleep(5);
    isDead = true;
    service.dismiss(first.node);
    await first.pool.close();
    const shown = service.gathered('run').digests.length;
    t.ok(shown > 1 && shown < 21, `${shown} of 21 segments were shown`);
    const second = hire(t, service);
    service.pass(10); // without a sign of life the lease lapses
    await ended;
    const { from } = await second.seen('leased');
    t.equal(from, shown, 'the second goes on behind the last one that was shown');
    isWhole(t, service, 'run', await uninterrupted(t, spec));
    // Its messages are never answered: only what says that the run is lost ends it.
    for (const run of ['run']) first.contributor.lost({ run, fence: 1 }, 'fenced');
  },
);

t.test('two contributors on two runs and their checks under the policy `full`', async (t) => {
  const service = new MemoryService();
  const specs = [counter(6_000_000), counter(5_000_000)];
  const ends = specs.map((spec, i) => service.begin(`run-${i}`, spec, 'full'));
  const hired = [hire(t, service), hire(t, service), hire(t, service)];
  await Promise.all(ends);
  for (const [i, spec] of specs.entries()) isWhole(t, service, `run-${i}`, await uninterrupted(t, spec));
  const checks = hired.reduce((sum, { contributor }) => sum + contributor.status.checks, 0);
  const spans = specs.reduce((sum, _, i) => sum + service.gathered(`run-${i}`).spans.length, 0);
  t.equal(checks, spans, 'each span was run a second time');
  t.equal(service.effects.filter(({ kind }) => kind === 'matched').length, spans);
});

t.test('a run that ends with an error is claimed and checked like any other', async (t) => {
  const service = new MemoryService();
  const spec = counter(10, {}, 'infinite');
  const ended = service.begin('run', spec, 'full');
  const hired = [hire(t, service), hire(t, service)];
  await ended;
  t.equal(hired.length, 2);
  isWhole(t, service, 'run', await uninterrupted(t, spec));
});

t.test('a check comes before the run that this thread is at, and costs it nothing', async (t) => {
  const service = new MemoryService();
  const answers: CheckAnswer[] = [];
  const checked = async (answer: CheckAnswer) => {
    answers.push(answer);
    return 'kept' as const;
  };
  const { contributor, seen, node } = hire(t, service, {
    ...oneByOne,
    desk: (desk) => ({ ...desk, checked, alive: async () => ({ mode: 'contributing', lost: [] }) }),
  });
  const ended = service.begin('long', counter(100_000_000));
  await seen('span');
  void service.begin('other', counter(3_000_000));
  // Another node's span of another run, as the service would ask for it.
  const span = service.work('other', 7, 0);
  contributor.check({ ...span, kind: 'second', through: 2 });
  await seen('checked');
  t.equal(service.runs.get('long')!.machine.state, 'open', 'the long run goes on behind it');
  t.same(
    answers[0]?.claim.digests,
    (await uninterrupted(t, counter(3_000_000))).digests.slice(0, 3).map(toHex),
  );
  await ended;
  t.equal(
    service.gathered('long').spans.every(({ id }) => id === node),
    true,
  );
  isWhole(t, service, 'long', await uninterrupted(t, counter(100_000_000)));
});

t.test('checks of a run are taken in the order of their fences, in whatever order they come', async (t) => {
  const service = new MemoryService();
  const answers: CheckAnswer[] = [];
  const checked = async (answer: CheckAnswer) => {
    answers.push(answer);
    return 'kept' as const;
  };
  const { contributor } = hire(t, service, {
    ...{ threads: 2, memory: 2 ** 26 }, // one at a time has room
    bells: { take: async () => [] },
    desk: (desk) => ({ ...desk, checked, alive: async () => ({ mode: 'contributing', lost: [] }) }),
  });
  void service.begin('run', counter(1_000_000));
  for (const fence of [12, 11, 9, 10])
    contributor.check({ ...service.work('run', fence, 0), kind: 'second', through: 0 });
  while (answers.length < 4) await sleep(5);
  t.same(
    answers.map(({ fence }) => fence),
    [12, 9, 10, 11],
  );
});

t.test('a thread goes on with the next run while what it found is still to be said', async (t) => {
  const service = new MemoryService();
  let isSaid: () => void = () => undefined;
  const said = new Promise<void>((resolve) => {
    isSaid = resolve;
  });
  const { events } = hire(t, service, {
    ...{ spanMs: 1e6, holdMs: 1e6 },
    desk: (desk) => ({
      ...desk,
      commit: async (commitment) => {
        if (commitment.run === 'first') await said;
        return desk.commit(commitment);
      },
    }),
  });
  const runs = [service.begin('first', counter(1_000_000)), service.begin('second', counter(1_000_000))];
  await runs[1];
  t.equal(service.runs.get('first')!.machine.state, 'open');
  isSaid();
  await runs[0];
  const spec = counter(1_000_000);
  for (const id of ['first', 'second']) isWhole(t, service, id, await uninterrupted(t, spec));
  t.notOk(events.some(({ kind }) => kind === 'returned' || kind === 'lost'));
});

t.test('a run that was fetched for a thread which is not free goes back within a second', async (t) => {
  const service = new MemoryService();
  const plan = { work: 1_000_000 }; // of a hundred times as much
  const { seen, contributor } = hire(t, service, { spanMs: 1e6 });
  const ended = service.begin('long', counter(400_000_000, plan));
  await seen('leased');
  void service.begin('next', counter(1_000_000));
  t.match(await seen('returned'), { run: 'next', failed: false, reason: /no thread/ });
  t.equal(service.runs.get('long')!.machine.state, 'open');
  const { occupations } = contributor.status;
  t.same(
    occupations.map(({ run, waits }) => [run, waits]),
    [['long', false]],
  );
  void ended;
});

t.test('whoever leaves gives a run back that it has fetched ahead', async (t) => {
  const service = new MemoryService();
  const { seen, contributor } = hire(t, service, { spanMs: 1e6 });
  void service.begin('long', counter(400_000_000, { work: 1_000_000 }));
  await seen('leased');
  void service.begin('next', counter(1_000_000));
  while (!service.runs.get('next')!.machine.lease) await sleep(5);
  t.match(
    contributor.status.occupations.find(({ run }) => run === 'next'),
    { waits: true },
  );
  await contributor.leave();
  for (const { machine } of service.runs.values()) t.equal(machine.lease, undefined);
});

t.test('a service that does not answer is told again, with the same commitment', async (t) => {
  const service = new MemoryService();
  const commitments = new Set<string>();
  let calls = 0;
  const { events } = hire(t, service, {
    desk: (desk) => ({
      ...desk,
      commit: async (commitment) => {
        commitments.add(`${commitment.from} ${commitment.commitment}`);
        if (++calls % 3) throw new Error('timeout');
        return desk.commit(commitment);
      },
      reveal: async (reveal) => {
        await desk.reveal(reveal);
        return calls % 2 ? desk.reveal(reveal) : 'kept';
      },
    }),
  });
  const spec = counter(3_000_000);
  await service.begin('run', spec);
  t.equal(commitments.size, service.gathered('run').spans.length, 'one commitment a span');
  isWhole(t, service, 'run', await uninterrupted(t, spec));
  t.notOk(events.some(({ kind }) => kind === 'lost'));
});

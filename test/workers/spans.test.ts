import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { sha256 } from '#crypto';
import { toHex } from '../../src/proof/bytes.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { Layout } from '../../src/solvers/layout.ts';
import type { Checkpoint, RunSpec } from '../../workers/executor.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { isStateOf, resumePoint } from '../../workers/resume.ts';
import { fixtureCatalogue } from './fixture-kernels.ts';

const catalogue = await fixtureCatalogue('counter', 'infinite');
const pool = new ThreadPool({ threads: 1, catalogue, watchdogMs: 600 });
t.teardown(() => pool.close());

function spec(steps: number, kernel: 'counter' | 'infinite' = 'counter'): RunSpec {
  const parameters = new Layout().f64(0.3, steps).bytes();
  const digest = catalogue.digest(kernel);
  return { kernel: digest, parameters, stepsPerSegment: 10_000, memory: 64 * 2 ** 20, work: steps * 100 };
}

/** The same run in this thread, whole. */
function whole(run: RunSpec): FinishedRun {
  const module = new WebAssembly.Module(catalogue.bytes(run.kernel) as BufferSource);
  return driveRun(instantiateKernel(module), run);
}

const hex = (pieces: readonly Uint8Array[]) => pieces.map(toHex);

/** All the spans of a run, each kept at once. */
async function spansOf(run: RunSpec, options: { resumeFrom?: Checkpoint; untilSegment?: number } = {}) {
  const spans: Checkpoint[] = [];
  const onEnd = (end: Checkpoint) => void spans.push(end);
  const finished = await pool.execute(run, {
    ...options,
    checkpointMs: 0,
    onCheckpoint: async (span) => void spans.push(span),
    spans: { holdMs: 1000, onEnd },
  });
  return { spans, finished };
}

t.test('a run stops at the end of the segment that it was asked to stop at', async (t) => {
  const run = spec(123_456);
  const expected = whole(run);
  const part = await pool.execute(run, { untilSegment: 5 });
  t.same(hex(part.digests), hex(expected.digests.slice(0, 6)));
  t.equal(part.status, 0, 'it would go on');
  t.equal(part.steps, 50_000);
  t.equal(part.work, 5_000_000n);
  t.equal(part.result.length, 0, 'there is no result yet');
  t.equal((await pool.execute(run, { untilSegment: 0 })).digests.length, 1, 'the start alone');
  const beyond = await pool.execute(run, { untilSegment: 99 });
  t.equal(beyond.status, 1, 'one that ends before has ended');
  t.same(hex(beyond.digests), hex(expected.digests));
});

t.test('a span is run again from nothing but the state before it', async (t) => {
  const run = spec(123_456);
  const expected = whole(run);
  const { spans } = await spansOf(run, { untilSegment: 3 });
  const { segment, steps, state } = spans.at(-1)!;
  const { spans: again } = await spansOf(run, {
    resumeFrom: resumePoint({ segment, steps, state }),
    untilSegment: 7,
  });
  t.equal(again[0]?.from, 4);
  t.same(hex(again.flatMap(({ digests }) => digests)), hex(expected.digests.slice(4, 8)));
  t.same(hex(again.flatMap(({ rows }) => rows)), hex(expected.rows.slice(4, 8)));
});

t.test('spans have no gap, hold each row once and end with the run', async (t) => {
  const run = spec(1_234_567);
  const expected = whole(run);
  const { spans, finished } = await spansOf(run);
  t.ok(spans.length > 1, `${spans.length} spans`);
  t.same(hex(spans.flatMap(({ digests }) => digests)), hex(expected.digests));
  t.same(hex(spans.flatMap(({ rows }) => rows)), hex(expected.rows));
  t.same(
    spans.map(({ from }) => from),
    [0, ...spans.slice(0, -1).map(({ segment }) => segment + 1)],
  );
  t.equal(spans.at(-1)!.work, expected.work);
  t.same(finished.result, expected.result);
  t.equal(finished.status, 1);
});

t.test('the state of a span leads to its digest, and no other state does', async (t) => {
  const run = spec(123_456);
  const { spans, finished } = await spansOf(run, { untilSegment: 4 });
  const { segment, steps, state, rows, digests } = spans.at(-1)!;
  const end = { segment, steps, state, rowsHash: sha256(rows.at(-1)!) };
  const runHash = Uint8Array.from(Buffer.from(finished.runHash, 'hex'));
  const digest = digests.at(-1)!;
  t.ok(isStateOf(runHash, end, digest));
  const flipped = state.slice();
  flipped[17]! ^= 1;
  t.notOk(isStateOf(runHash, { ...end, state: flipped }, digest), 'a bit of the state');
  t.notOk(isStateOf(runHash, { ...end, steps: steps + 1 }, digest), 'the steps');
  t.notOk(isStateOf(runHash, { ...end, segment: segment + 1 }, digest), 'the segment');
  t.notOk(isStateOf(runHash, { ...end, rowsHash: sha256() }, digest), 'the rows');
});

t.test('a run whose checkpoint is not kept goes on beside it for so long and waits then', async (t) => {
  const kept: number[] = [];
  const seen: number[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = pool.execute(spec(20_000_000), {
    checkpointMs: 0,
    onProgress: ({ segments }) => void seen.push(segments),
    onCheckpoint: async ({ segment }) => {
      kept.push(segment);
      if (kept.length === 1) await released;
    },
    spans: { holdMs: 50, onEnd: () => undefined },
  });
  // The watchdog would end a run that stands still for 600 ms; one that waits does not.
  setTimeout(release, 1500);
  const finished = await run;
  t.equal(finished.status, 1, 'waiting is no standstill to the watchdog');
  t.ok(kept.length > 1 && kept[1]! < 1500, `the second span ends at ${kept[1]} of 2000 segments`);
});

t.test('behind a segment that took long the next one begins once it is kept', async (t) => {
  const segmentsPerSpan = async (longMs: number): Promise<number[]> => {
    const spans: number[] = [];
    await pool.execute(spec(2_000_000), {
      checkpointMs: 0,
      onCheckpoint: async ({ from, segment }) => {
        spans.push(segment - from + 1);
        await sleep(2);
      },
      spans: { holdMs: 1000, longMs, onEnd: ({ from, segment }) => void spans.push(segment - from + 1) },
    });
    return spans;
  };
  const shown = await segmentsPerSpan(0);
  t.ok(
    shown.every((count) => count === 1),
    'nothing was run beside what was not kept: a thread that dies takes one segment with it',
  );
  t.equal(shown.length, 201);
  const short = await segmentsPerSpan(60_000);
  t.ok(
    short.some((count) => count > 1),
    `where they are short the thread goes on: up to ${Math.max(...short)} segments`,
  );
});

t.test('a run that waits can be cancelled', async (t) => {
  const controller = new AbortController();
  const run = pool.execute(spec(1e9), {
    signal: controller.signal,
    checkpointMs: 0,
    onCheckpoint: () =>
      new Promise<void>((resolve) => {
        controller.signal.addEventListener('abort', () => resolve());
        setTimeout(() => controller.abort(), 200);
      }),
    spans: { holdMs: 10, onEnd: () => undefined },
  });
  await t.rejects(run, { code: 'CANCELLED' });
});

t.test('a run that ends with an error shows its last span too', async (t) => {
  const { spans, finished } = await spansOf(spec(10, 'infinite'));
  t.equal(finished.status, 16);
  t.equal(spans.at(-1)!.segment, 1);
  t.same(hex(spans.flatMap(({ digests }) => digests)), hex(whole(spec(10, 'infinite')).digests));
});

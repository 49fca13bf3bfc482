import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { solve } from '../../src/solvers/solve.ts';
import { executeJob } from '../../src/spine/execution.ts';
import { LiveJob } from '../../src/spine/live-job.ts';
import type { ExecuteOptions, Executor } from '../../workers/executor.ts';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { inputOf } from '../solvers/solver-test.ts';
import { oscillator } from './test-node.ts';

/** Runs that have done so much work each, and go on until they are stopped. */
const endless = (work: bigint): Executor => ({
  execute: (_run, { signal, onProgress }: ExecuteOptions = {}) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Refusal('CANCELLED', 'The run was cancelled.')));
      setImmediate(() => onProgress?.({ steps: 1, segments: 0, work, observed: [] }));
    }),
  close: () => Promise.resolve(),
});

const started = (work: bigint, held: bigint, price: bigint) => {
  const live = new LiveJob({ id: 'job_1', account: 'z', solver: 'solve', createdNs: 0n, expected: 1 });
  const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('no blobs here')) };
  const ended = executeJob(solve, inputOf(solve, oscillator), context, {
    ...{ executor: endless(work), catalogue: new KernelCatalogue(), memory: 2 ** 28 },
    ...{ held, price, live, spend: () => undefined },
  });
  return { live, ended };
};

t.test('runs are stopped on their way once they have spent together what is held', async (t) => {
  // Three levels run at once.
  await t.rejects(started(100n, 299n, 1000n).ended, {
    code: 'INSUFFICIENT_BALANCE',
    details: { price_plancks: '1000', held_plancks: '299' },
  });
  await t.rejects(started(100n, 299n, 299n).ended, {
    code: 'DID_NOT_CONVERGE',
    details: { ceiling_plancks: '299' },
  });
});

t.test('within what is held they go on until somebody cancels them', async (t) => {
  const { live, ended } = started(100n, 300n, 1000n);
  live.once('progress', () => setImmediate(() => live.cancelled.abort()));
  await t.rejects(ended, { code: 'CANCELLED' });
});

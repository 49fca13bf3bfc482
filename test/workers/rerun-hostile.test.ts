import t from 'tap';
import type { RunEntry } from '../../src/proof/answer.ts';
import { fromHex } from '../../src/proof/bytes.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { type Rerun, reexecute } from '../../workers/reexecute.ts';
import { rerunWatched } from '../../workers/rerun-watched.ts';
import { triangle, triangleDigest } from '../proof/example-job.ts';
import { bundle, endlessKernels, hostile, kernel, wrongKernels } from './hostile-bundles.ts';

// Bundles whose kernels a stranger wrote: each must end, with a sentence, whatever the kernel does.

const STILL_MS = 600;

t.test('a kernel that never returns is given up', async (t) => {
  await Promise.all(
    endlessKernels.map(([title, bytes]) =>
      t.rejects(
        rerunWatched(hostile(bytes), { stillMs: STILL_MS }),
        { code: 'KERNEL_CRASHED', message: /stood still/ },
        title,
      ),
    ),
  );
});

t.test('a kernel that does more than the answer names is stopped there', async (t) => {
  const never = kernel('(then (call $close))', '(then)');
  const cases: [what: string, changes: Partial<RunEntry>, detail: RegExp][] = [
    ['steps', { work: '1000000' }, /more than the 10 that/],
    ['work', { steps: 1e6 }, /more than the 10 units/],
    ['segment', { steps: 1e6, work: '1000000', segments: 5 }, /segment 6 of 5/],
  ];
  for (const [what, changes, detail] of cases)
    t.match(
      await watched(hostile(never, changes)),
      { agrees: false, divergence: { run: 0, what, detail } },
      what,
    );
});

const watched = (file: Uint8Array): Promise<Rerun> => rerunWatched(file, { stillMs: 20_000 });

t.test('a module that is no kernel is a difference, in a sentence', async (t) => {
  for (const [title, bytes, detail] of wrongKernels)
    t.match(
      await watched(hostile(bytes)),
      { agrees: false, divergence: { run: 0, what: 'kernel', detail } },
      title,
    );
});

t.test('segments of no steps, or of more than there are, begin nothing and hang nothing', async (t) => {
  t.match(await watched(bundle(triangle, { stepsPerSegment: 0 })), {
    agrees: false,
    divergence: { what: 'parameters', detail: 'segments of no steps never end' },
  });
  const huge = await watched(bundle(triangle, { stepsPerSegment: Number.MAX_SAFE_INTEGER }));
  t.match(huge, { agrees: false, divergence: { run: 0, what: 'segment', segments: { from: 0, to: 0 } } });
});

t.test('a true bundle agrees on a thread as it does here', async (t) => {
  const file = bundle(triangle);
  const here = await reexecute(readAnswer(file));
  t.equal(here.agrees, true, here.detail);
  t.same(await watched(file), here);
  t.equal(fromHex(here.detail.slice(-64)).length, 32, 'with the job root');
});

t.test('other bytes under the name of a kernel are an incomplete file, and are not run', async (t) => {
  const file = JSON.parse(Buffer.from(bundle(triangle)).toString());
  file.kernels[triangleDigest] = 'AGFzbQEAAAA=';
  const says = /^The bytes under kernel a466[0-9a-f]+ \(triangle\) are not that kernel/;
  await t.rejects(watched(Buffer.from(JSON.stringify(file))), { name: 'MissingPiece', message: says });
});

t.test('kernels that the release has not are not begun', async (t) => {
  const [, endless] = endlessKernels[0]!;
  const releases = { example: { triangle: triangleDigest } };
  const found = await rerunWatched(hostile(endless), { releases, stillMs: 20_000 });
  t.match(found, {
    agrees: false,
    runs: 0,
    divergence: { run: 0, what: 'kernel' },
    release: { known: true },
  });
});

import { parentPort, workerData } from 'node:worker_threads';
import type { FinishedRun } from '../src/proof/job.ts';
import { readAnswer } from '../src/proof/read-answer.ts';
import type { Releases } from '../src/proof/releases.ts';
import { KernelCatalogue } from './kernels.ts';
import { MissingPiece, type Rerun, reexecute } from './reexecute.ts';

// Entry of the thread of rerun-watched.ts: re-executes one file and says how far it is.

export type RerunMessage =
  | {
      readonly kind: 'progress';
      readonly run: number;
      readonly of: number;
      readonly steps: number;
      readonly work: bigint;
    }
  | { readonly kind: 'run'; readonly run: RerunRun }
  | { readonly kind: 'done'; readonly rerun: Rerun }
  | { readonly kind: 'missing'; readonly message: string };

/** What a run gave, without its digests, which are those of the file. */
export type RerunRun = Omit<FinishedRun, 'digests'>;

const SAID_EVERY_MS = 100;
const { file, releases, keep } = workerData as {
  file: Uint8Array;
  releases: Releases;
  /** Bytes of results and rows that are told. */
  keep: number;
};
let room = keep;
const say = (message: RerunMessage) => parentPort!.postMessage(message);

const catalogue = new KernelCatalogue();
let said = Number.NEGATIVE_INFINITY;
try {
  const rerun = await reexecute(readAnswer(file), {
    releases,
    kernel: (digest) => catalogue.bytes(digest),
    onProgress: (run, of, steps, work) => {
      if (performance.now() - said < SAID_EVERY_MS) return;
      said = performance.now();
      say({ kind: 'progress', run, of, steps, work });
    },
    onRun: ({ digests: _, ...run }) => {
      room -= run.rows.reduce((sum, rows) => sum + rows.length, run.result.length);
      if (room >= 0) say({ kind: 'run', run });
    },
  });
  say({ kind: 'done', rerun });
} catch (error) {
  if (!(error instanceof MissingPiece)) throw error;
  say({ kind: 'missing', message: error.message });
}

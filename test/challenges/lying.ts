import { hmacKey } from '#crypto';
import type { ServiceNode } from '../../src/node.ts';
import type { Answer, RunEntry } from '../../src/proof/answer.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { nodeKeys } from '../../src/spine/identity.ts';
import { Spine } from '../../src/spine/pipeline.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import type { Executor, RunSpec } from '../../workers/executor.ts';
import { driveRun, instantiateKernel, type KernelExports } from '../../workers/kernel-host.ts';
import { answerOf, figureEight } from '../spine/test-node.ts';

/** Where a contributor lies: a bit of the state at the end of a segment is flipped before it is hashed. */
export interface Lie {
  readonly run: number;
  readonly segment: number;
  /** Byte of the state and bit in it; absent: the lowest bit of the last double. */
  readonly byte?: number;
}

/** What a contributor says instead of what came out. */
export type Falsified = (run: FinishedRun, index: number) => FinishedRun;

/** Cuts of a test's runs: short segments, so that there are many. */
const STEPS = 4;

/**
 * An executor in this thread that lies about one segment and goes on from the lie, as a faulty or dishonest machine
 * would; its digests belong together, and so does all that is sealed of them.
 */
export class LyingExecutor implements Executor {
  readonly #node: ServiceNode;
  readonly #lie: Lie | undefined;
  readonly #falsified: Falsified;
  readonly #steps: number;
  #index = 0;

  constructor(
    node: ServiceNode,
    lie: Lie | undefined,
    { falsified = (run) => run, steps = STEPS }: { falsified?: Falsified; steps?: number } = {},
  ) {
    this.#node = node;
    this.#lie = lie;
    this.#falsified = falsified;
    this.#steps = steps;
  }

  async execute(spec: RunSpec): Promise<FinishedRun> {
    const index = this.#index++;
    const kernel = instantiateKernel(
      new WebAssembly.Module(this.#node.catalogue.bytes(spec.kernel)!.slice()),
    );
    const lie = this.#lie?.run === index ? this.#lie : undefined;
    const stepsPerSegment = Math.min(spec.stepsPerSegment, this.#steps);
    const run = driveRun(lie ? lyingAbout(kernel, lie) : kernel, { ...spec, stepsPerSegment });
    return this.#falsified(run, index);
  }

  async close(): Promise<void> {}
}

function lyingAbout(kernel: KernelExports, { segment, byte }: Lie): KernelExports {
  let ends = 0;
  return {
    ...kernel,
    state() {
      const at = kernel.state();
      if (ends++ === segment) {
        const state = new Uint8Array(kernel.memory.buffer, at, kernel.stateLength());
        state[byte ?? state.length - 8]! ^= 1;
      }
      return at;
    },
  };
}

export interface SealedJob {
  readonly job: string;
  readonly answer: Answer;
  /** The runs, wherever the answer has them. */
  readonly runs: readonly RunEntry[];
  /** A bundle, as JSON: what a stranger is given. */
  readonly text: string;
}

/** Seals what an executor gave on a node, as if its own threads had. */
export async function sealedBy(
  node: ServiceNode,
  dataDir: string,
  account: string,
  executor: Executor,
  [solver, body]: readonly [string, unknown] = ['multibody', figureEight],
): Promise<SealedJob> {
  const keys = nodeKeys(dataDir);
  const { store, catalogue, log, now, limits } = node;
  const parts = { store, executor, catalogue, log, now, limits, node: keys.name };
  const spine = new Spine({ ...parts, hmacKey: hmacKey(keys.hmacKey) });
  const job = await spine.submit({ account, solver, body });
  const { answer } = await job.outcome;
  const bundle = await makeBundle(answerOf(answer), {
    blob: (digest) => blobBytes(store, digest),
    kernel: async (digest) => catalogue.bytes(digest),
  });
  const { runs } = readAnswer(bundle);
  return { job: job.id, answer: bundle.answer, runs, text: JSON.stringify(bundle) };
}

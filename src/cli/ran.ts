import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, isBlobReference } from '../proof/answer.ts';
import { makeBundle, namedBlobs } from '../proof/bundle.ts';
import type { RemoteNode, Shape } from './remote.ts';
import { throughRestarts } from './through-restarts.ts';

/** An answer, and where the bytes are that it names. */
export interface Ran {
  readonly answer: Answer;
  readonly blob: (digest: string) => Promise<Uint8Array | undefined>;
  readonly kernel: (digest: string) => Promise<Uint8Array | undefined>;
}

/** A job's progress as a node sends it. */
export interface Progress {
  /** Work units done, a decimal string. */
  readonly work: string;
  /** Work units expected: exact or the ceiling. */
  readonly expected: number;
  readonly runs: readonly { label: string; steps: number; of: number | null; here?: string }[];
}

const shapeOfProgress: Shape = {
  work: 'count',
  expected: 'number',
  runs: [{ label: 'text', steps: 'number' }],
};

/** From 0 to 100; the end is only said when it is there. */
export const percentDone = ({ work, expected }: Progress): number =>
  Math.min(99.9, (100 * Number(work)) / Math.max(1, expected));

export function progressText(what: string, progress: Progress): string {
  const steps = progress.runs.map(
    (run) => `${run.label} ${run.steps}${run.of === null ? '' : `/${run.of}`}${placeText(run)}`,
  );
  return `${what} ${percentDone(progress).toFixed(1)} %  ${steps.join('  ')}`;
}

const placeText = ({ here }: Progress['runs'][number]): string =>
  here === 'large' ? ' (too large for the mesh: on the threads of the node)' : '';

const RECONNECT_MS = 1000;

/** How a job ended, as the node tells it. */
export interface EndedJob {
  readonly state: string;
  /** Challenge whose verdict took the result back. */
  readonly revoked_by?: string | null;
}

/** Follows a job on a node until it ends, also over a restart of the node, which goes on with the job. */
export async function watchJob(
  remote: RemoteNode,
  job: string,
  show: (progress: Progress) => void,
): Promise<EndedJob> {
  for (;;) {
    const ended = await throughRestarts(() => followJob(remote, job, show));
    if (ended.state !== 'running') return ended;
    await delay(RECONNECT_MS);
  }
}

/** One stream of events. @returns the job at its end; `running` where the stream broke off */
async function followJob(
  remote: RemoteNode,
  job: string,
  show: (progress: Progress) => void,
): Promise<EndedJob> {
  const path = `/api/svc/jobs/${job}/events`;
  let told = 0;
  for await (const { event, data } of remote.events(path)) {
    told++;
    if (event === 'progress') show(remote.read<Progress>(data, shapeOfProgress, path));
    if (event === 'end') return remote.read<EndedJob>(data, { state: 'text' }, path);
  }
  if (told === 0) throw new Error(`${path} ended before it told anything.`);
  return { state: 'running' };
}

/** What is shown of an answer. */
const shapeOfAnswer: Shape = {
  gates: [{ name: 'text', kind: 'text', relError: 'number' }],
  fields: [{ name: 'text' }],
  plots: 'list',
  warnings: ['text'],
  charges: { price_plancks: 'count', from_bond_plancks: 'count', from_fuel_plancks: 'count' },
};

/** The answer of a job that is over. @throws Refusal that ended it */
export async function fetchAnswer(remote: RemoteNode, job: string): Promise<Ran> {
  const answer = await remote.exact<Answer>(shapeOfAnswer, 'GET', `/api/svc/jobs/${job}/answer`);
  return {
    answer,
    blob: (digest) => remote.bytes(`/api/svc/blobs/${digest}`),
    kernel: (digest) => remote.bytes(`/api/svc/kernels/${digest}`),
  };
}

/** The blobs of an answer's fields that are at hand, for its plots. */
export async function fieldBlobs({ answer, blob }: Ran): Promise<Map<string, Uint8Array>> {
  const blobs = new Map<string, Uint8Array>();
  for (const digest of namedBlobs(answer.fields.map((field) => field.values))) {
    const bytes = await blob(digest);
    if (bytes) blobs.set(digest, bytes);
  }
  return blobs;
}

/** An answer as the text of a file; where it names blobs it is complete only with them: then it is a bundle. */
export async function answerFile(ran: Ran): Promise<string> {
  const isComplete = namedBlobs(ran.answer).length === 0 && !isBlobReference(ran.answer.runs);
  const content = isComplete || !ran.answer.envelope ? ran.answer : await makeBundle(ran.answer, ran);
  return `${JSON.stringify(content)}\n`;
}

/** @returns its length in bytes */
export async function writeAnswer(ran: Ran, file: string): Promise<number> {
  const text = await answerFile(ran);
  writeFileSync(file, text);
  return text.length;
}

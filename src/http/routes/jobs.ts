import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { ServiceNode } from '../../node.ts';
import { fieldBytes } from '../../spine/fields.ts';
import type { JobProgress } from '../../spine/live-job.ts';
import { type SpineJob, storedRefusal } from '../../spine/past-jobs.ts';
import type { JobRow } from '../../spine/records.ts';
import { revokedBy } from '../../spine/revocations.ts';
import { storedProgress } from '../../spine/stored-progress.ts';
import { eventStreams, NewestState } from '../event-streams.ts';
import { InFlight } from '../in-flight.ts';
import { withKey } from '../openapi.ts';
import { bytes, component, computingErrors, errors, events, json, object, text } from '../schemas.ts';
import { type App, typed } from '../typed.ts';
import { revocationHeader, sendAnswer } from './solvers.ts';

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const route = (operationId: string, summary: string, response: Record<number, unknown>) => ({
  operationId,
  summary,
  tags: ['Jobs'],
  security: withKey,
  response,
});
const failures = (...codes: ErrorCode[]) => errors(['NOT_FOUND', 'INVALID_INPUT', ...codes], { key: true });
const decoder = new TextDecoder();

/** Jobs as a resource: list, state, answer, cancel, events, fields; each of its account alone. */
export function jobRoutes(plain: FastifyInstance, node: ServiceNode): void {
  const app = typed(plain);
  for (const add of [listRoute, jobRoute, answerRoute, cancelRoute, eventsRoute, fieldRoute]) add(app, node);
}

function listRoute(app: App, node: ServiceNode): void {
  const { spine } = node;
  app.get(
    '/api/svc/jobs',
    {
      config: { key: true },
      schema: {
        ...route('jobs', 'Jobs of this account, newest first', {
          200: json(
            object({
              jobs: { type: 'array', items: { $ref: 'Job#' } },
              total: { type: 'integer', description: 'How many there are in all.' },
            }),
            'One page.',
          ),
          ...errors(['INVALID_INPUT'], { key: true }),
        }),
        querystring: Type.Object({
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
          offset: Type.Integer({ minimum: 0, maximum: 1e9, default: 0 }),
        }),
      },
    },
    async (request) => {
      const { rows, total } = await spine.records.list(request.zid, request.query);
      return { jobs: await summaries(node, rows), total };
    },
  );
}

function jobRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/jobs/:id',
    {
      config: { key: true },
      schema: {
        ...route('job', 'State, progress and, at the end, the answer of a job', {
          200: component(
            'Job',
            'As it stands; with `progress` while it runs, `answer` or `error` at its end. A run that the threads of a node of a mesh run themselves says why in `here`: `short`, `large` or `alone`.',
          ),
          ...failures(),
        }),
        params,
      },
    },
    async (request) => {
      const row = await ownJob(node, request.zid, request.params.id);
      const progress = await progressOf(node, row);
      return {
        ...(await summaryOf(node, row)),
        ...(progress ? { progress: progressJson(progress) } : {}),
        ...(row.answer ? { answer: JSON.parse(decoder.decode(row.answer)) } : {}),
      };
    },
  );
}

function answerRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/jobs/:id/answer',
    {
      config: { key: true },
      schema: {
        ...route('job_answer', 'The answer of a finished job, or the refusal that ended it', {
          200: component(
            'Answer',
            'The answer, to the byte as it was sealed. Where a verdict took it back since, X-Svc-Revoked-By names the challenge.',
          ),
          ...errors(computingErrors, { key: true }),
        }),
        params,
      },
    },
    async (request, reply) => {
      const row = await ownJob(node, request.zid, request.params.id);
      if (row.answer)
        return sendAnswer(reply.headers(await revocationHeader(node, row)), { answer: row.answer });
      if (row.error) throw storedRefusal(row.error);
      throw new Refusal('CONFLICT', `Job ${row.id} is ${row.state}.`, { state: row.state });
    },
  );
}

function cancelRoute(app: App, node: ServiceNode): void {
  const { spine } = node;
  app.delete(
    '/api/svc/jobs/:id',
    {
      config: { key: true },
      schema: {
        ...route('job_cancel', 'Cancels a job; its hold is voided', {
          202: json(object({ job: text('Its id.'), state: text('cancelling') }), 'It is being cancelled.'),
          ...failures('CONFLICT'),
        }),
        params,
      },
    },
    async (request, reply) => {
      const row = await ownJob(node, request.zid, request.params.id);
      if (row.state !== 'running')
        throw new Refusal('CONFLICT', `Job ${row.id} is ${row.state}.`, { state: row.state });
      // Kept first: whoever runs it, here or elsewhere, now or after a crash, settles it no more.
      if (!(await spine.records.askToCancel(row.id)))
        throw new Refusal('CONFLICT', `Job ${row.id} has just ended.`);
      spine.cancel(row.id);
      return reply.code(202).send({ job: row.id, state: 'cancelling' });
    },
  );
}

function eventsRoute(app: App, node: ServiceNode): void {
  const streams = new InFlight(eventStreams);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // as many as watch
  app.addHook('preClose', async () => closing.abort());
  const { spine } = node;
  app.get(
    '/api/svc/jobs/:id/events',
    {
      config: { key: true },
      sse: 'only',
      schema: {
        ...route('job_events', 'Progress of a job as server-sent events', {
          200: events('`progress` with work, expected and runs; `end` with the job as it stands.'),
          ...failures('OVERLOADED'),
        }),
        params,
      },
    },
    async (request, reply) => {
      const row = await ownJob(node, request.zid, request.params.id);
      if (row.state === 'running' || spine.liveJobs.has(row.id)) streams.enter(request.zid, reply);
      reply.sse.keepAlive();
      const shown = new NewestState<ReturnType<typeof progressJson>>(reply, 'progress');
      const show = (progress: JobProgress) => shown.show(progressJson(progress));
      const last = await untilOver(node, row, { reply, show, closing: closing.signal });
      if (reply.sse.isConnected) await reply.sse.send({ event: 'end', data: await summaryOf(node, last) });
      reply.sse.close();
    },
  );
}

function fieldRoute(app: App, node: ServiceNode): void {
  app.get(
    '/api/svc/jobs/:id/fields/:name',
    {
      config: { key: true },
      schema: {
        ...route('job_field', 'A field of an answer: little-endian f64, row-major', {
          200: bytes(
            'The numbers; the shape is in X-Svc-Shape, the unit, percent-encoded (m%2Fs), in X-Svc-Unit. X-Svc-Revoked-By as with the answer.',
          ),
          ...failures('CONFLICT'),
        }),
        params: Type.Object({ id: params.properties.id, name: Type.String({ maxLength: 100 }) }),
      },
    },
    async (request, reply) => {
      const row = await ownJob(node, request.zid, request.params.id);
      const field = await fieldBytes(node.store, row, request.params.name);
      return reply
        .headers(await revocationHeader(node, row))
        .type('application/octet-stream')
        .header('x-svc-shape', field.shape.join(','))
        .header('x-svc-unit', encodeURIComponent(field.unit ?? ''))
        .send(Buffer.from(field.bytes));
    },
  );
}

interface Watcher {
  readonly reply: FastifyReply;
  readonly show: (progress: JobProgress) => void;
  /** Aborted when this node stops: whoever watches asks another. */
  readonly closing: AbortSignal;
}

/** How often the store is asked about a job that another process runs. */
const POLL_MS = 1000;

/** Progress of a job that is not over, from who runs it here, or as far as the store has it; undefined: it is over. */
async function progressOf({ spine, store }: ServiceNode, row: JobRow): Promise<JobProgress | undefined> {
  const live = spine.liveJobs.get(row.id);
  if (live) return live.progress;
  return row.state === 'running' ? storedProgress(store, row) : undefined;
}

/** Shows a job, run here or elsewhere, until it is over, nobody watches or this node stops. @returns it as it stands */
async function untilOver(node: ServiceNode, first: JobRow, watcher: Watcher): Promise<JobRow> {
  const { spine } = node;
  const { reply, show, closing } = watcher;
  for (let row = first; ; row = (await spine.records.row(first.id)) ?? row) {
    const live = spine.liveJobs.get(row.id);
    if (live) await untilOverHere(live, watcher);
    else if (closing.aborted || !reply.sse.isConnected) return row;
    else {
      const progress = await progressOf(node, row);
      if (progress === undefined) return row;
      show(progress);
      await delay(POLL_MS, undefined, { signal: closing }).catch(() => undefined);
    }
  }
}

async function untilOverHere(live: SpineJob, { reply, show }: Watcher): Promise<void> {
  live.on('progress', show);
  reply.sse.onClose(() => live.off('progress', show));
  show(live.progress);
  await live.outcome.catch(() => undefined);
  live.off('progress', show);
}

/** A job of this account; another's is as if it were not there. */
async function ownJob(node: ServiceNode, zid: string, id: string): Promise<JobRow> {
  const row = await node.spine.records.row(id);
  if (row?.account === zid) return row;
  throw new Refusal('NOT_FOUND', `There is no job ${id.replace(/\W/g, '?')} of this account.`);
}

const summaryOf = async (node: ServiceNode, row: JobRow) => (await summaries(node, [row]))[0]!;

async function summaries({ store }: ServiceNode, rows: readonly JobRow[]) {
  const coins = rows.flatMap(({ token_id }) => token_id ?? []);
  const revoked = await revokedBy(store, coins);
  return rows.map((row) => ({ ...recordOf(row), revoked_by: revoked.get(row.token_id ?? '') ?? null }));
}

function recordOf(row: JobRow) {
  return {
    job: row.id,
    solver: row.solver,
    state: row.state,
    created_ns: String(row.created_ns),
    finished_ns: row.finished_ns === null ? null : String(row.finished_ns),
    ceiling_plancks: String(row.ceiling_plancks),
    work: row.work === null ? null : String(row.work),
    token_id: row.token_id,
    ...(row.error === null ? {} : (row.error as object)),
  };
}

function progressJson(progress: JobProgress) {
  return { ...progress, work: String(progress.work) };
}

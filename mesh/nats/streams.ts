import { buckets, jobClasses, streams, subjects } from '../subjects.ts';
import type { Bus } from './bus.ts';
import { BusError } from './bus-error.ts';
import { MESSAGE_BYTES, PART_BYTES } from './frame.ts';

/**
 * What the mesh keeps on the NATS server, and how much of it. Nothing here is the truth: what is lost is said again
 * from the store. So what is only a bell lies in memory, and what costs work to make again on disk.
 */
export interface StreamLimits {
  readonly jobsBytes?: number;
  readonly resultsBytes?: number;
  readonly partsBytes?: number;
  readonly segmentsBytes?: number;
  /** Copies in a cluster of servers. Default 1. */
  readonly replicas?: number;
}

const MIB = 1024 * 1024;
const nanos = (seconds: number) => seconds * 1e9;

/** Without a word from it for so long a node is not known to be there. */
export const PRESENCE_SECONDS = 10;
/** Who took a bell and says nothing for so long loses it to another. */
const BELL_WAIT_SECONDS = 3;
/** The durable consumer that all service nodes share. */
export const SERVICE_CONSUMER = 'service';

/** Messages that a stream keeps, however small they are: the server remembers the subject of each. */
const MOST_RESULTS = 2 ** 17;
/** Times as many parts as there are whole ones in the stream's bytes. */
const PARTS_OVER = 4;

/** Streams that do not take more than they may keep say so to the sender, who waits: nothing is dropped. */
const bounded = (bytes: number) => ({ max_bytes: bytes, discard: 'new', max_msg_size: MESSAGE_BYTES });

function configurations(limits: StreamLimits): Record<string, unknown>[] {
  const { jobsBytes = 64 * MIB, resultsBytes = 256 * MIB } = limits;
  const { partsBytes = 1024 * MIB, segmentsBytes = 4096 * MIB } = limits;
  return [
    {
      name: streams.jobs,
      subjects: [subjects.jobs('*' as never, '*')],
      retention: 'workqueue',
      storage: 'memory',
      ...bounded(jobsBytes),
      // One message a run, and the second is refused: the reconciler can ring as often as it likes.
      ...{ max_msgs_per_subject: 1, discard_new_per_subject: true, allow_direct: true },
    },
    {
      name: streams.results,
      subjects: [subjects.results('*', '*')],
      // What the service has acknowledged is gone: only what it has not read yet can fill the stream.
      retention: 'workqueue',
      storage: 'file',
      ...bounded(resultsBytes),
      max_msgs: MOST_RESULTS,
      max_age: nanos(24 * 3600),
      duplicate_window: nanos(120),
      allow_direct: true,
    },
    {
      name: streams.parts,
      subjects: [subjects.part('*', '*')],
      storage: 'file',
      ...bounded(partsBytes),
      max_msgs: PARTS_OVER * Math.ceil(partsBytes / PART_BYTES),
      max_age: nanos(15 * 60),
      max_msgs_per_subject: 1,
      allow_direct: true,
    },
    {
      name: `KV_${buckets.nodes}`,
      subjects: [`$KV.${buckets.nodes}.>`],
      storage: 'memory',
      ...bounded(16 * MIB),
      ...{
        max_msgs_per_subject: 1,
        max_age: nanos(PRESENCE_SECONDS),
        duplicate_window: nanos(PRESENCE_SECONDS),
      },
      ...{ allow_direct: true, allow_rollup_hdrs: true, deny_delete: true },
    },
    {
      name: streams.segments,
      subjects: [subjects.segments('*', '*', '*')],
      storage: 'file',
      // What nobody lets go of goes by itself; a run that still needs it brings it again.
      max_age: nanos(7 * 24 * 3600),
      ...bounded(segmentsBytes),
      ...{ max_msgs_per_subject: 1, allow_direct: true },
    },
  ].map((config) => ({ retention: 'limits', num_replicas: limits.replicas ?? 1, ...config }));
}

/**
 * What releases up to 0.2 made. Their room is reserved whether they hold anything or not, so they go before the stream
 * is made that stands in their place; what was in the bucket of objects is provided again.
 */
const retired = ['OBJ_SEGMENTS', 'CHALLENGES'];

/** Makes what is missing and changes what is configured otherwise. Any number of service nodes may do it at once. */
export async function ensureStreams(bus: Bus, limits: StreamLimits = {}): Promise<void> {
  for (const config of configurations(limits)) await ensureStream(bus, config);
  for (const name of jobClasses)
    await ensureConsumer(bus, streams.jobs, name, {
      filter_subject: subjects.jobs(name, '*'),
      ack_wait: nanos(BELL_WAIT_SECONDS),
      max_ack_pending: 20_000,
      max_batch: 64,
    });
  await ensureConsumer(bus, streams.results, SERVICE_CONSUMER, {
    filter_subject: subjects.results('*', '*'),
    ack_wait: nanos(30),
    max_ack_pending: 4096,
  });
}

/** JetStream's number for a stream that is not there. */
const NOT_FOUND = 10059;

/**
 * Changed where it is there, made where it is not: a server that is asked to make a stream wants room for all of it
 * once more before it looks whether it has it already. Where another was quicker to make it, it is there by now.
 */
async function ensureStream(bus: Bus, config: Record<string, unknown>): Promise<void> {
  const update = () => bus.api(`STREAM.UPDATE.${config.name}`, config);
  if (await update().then(() => true, unlessNotFound)) return;
  if (config.name === streams.segments)
    for (const name of retired) await bus.api(`STREAM.DELETE.${name}`).catch(unlessNotFound);
  try {
    await bus.api(`STREAM.CREATE.${config.name}`, config);
  } catch (error) {
    if (!(await update().then(() => true, unlessNotFound))) throw error;
  }
}

function unlessNotFound(error: unknown): false {
  if (error instanceof BusError && error.apiCode === NOT_FOUND) return false;
  throw error;
}

async function ensureConsumer(
  bus: Bus,
  stream: string,
  name: string,
  config: { readonly filter_subject: string } & Record<string, unknown>,
): Promise<void> {
  const whole = {
    durable_name: name,
    name,
    ack_policy: 'explicit',
    deliver_policy: 'all',
    max_waiting: 2048,
    ...config,
  };
  await bus.api(`CONSUMER.CREATE.${stream}.${name}.${config.filter_subject}`, {
    stream_name: stream,
    config: whole,
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Digest } from '../../src/proof/job.ts';
import type { Result } from '../coordinator/coordinator.ts';
import type { Kept } from '../desk.ts';
import type { Front } from '../front.ts';
import { parcels, streams, subjects } from '../subjects.ts';
import type { Bus } from './bus.ts';
import type { Delivery } from './delivery.ts';
import { attachmentsOf, type Frame, unpack } from './frame.ts';
import { idIn, type ResultHeader, readResult, type Told } from './messages.ts';
import { messagesIn, SharedAnswer } from './parcel.ts';
import { resultOf } from './results.ts';
import { isFromInTime } from './signature.ts';
import { SERVICE_CONSUMER } from './streams.ts';

/** Messages in one turn, and their bytes in the stream; bytes in parts come on top. */
const BATCH = 128;
const BATCH_BYTES = 16 * 1024 * 1024;
/** Results that are handed over together, and their bytes, parts included. */
const TOGETHER = 128;
const TOGETHER_BYTES = 64 * 1024 * 1024;
const WAIT_MS = 5000;
/** Turns at once: a large state on its way does not hold up a small commitment. */
const LOOPS = 2;
/** Well below the consumer's time to answer. */
const WORKING_MS = 10_000;
const LONGEST_RETRY_MS = 30_000;

/** A message that holds to its signature and its schema; its parts are not fetched yet. */
interface Opened {
  readonly answer: SharedAnswer;
  readonly node: string;
  readonly id: string;
  readonly header: ResultHeader;
  readonly frame: Frame;
  readonly size: number;
}

interface Read extends Opened {
  readonly result: Result;
}

export interface ResultReaderParts {
  readonly bus: Bus;
  readonly front: Front;
  readonly tell: (node: string, told: Told) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Reads what nodes show, many at once, and acknowledges each only after it is durable in the store: a service node that
 * dies in between leaves it to the next. What is not signed, or is no message, is dropped.
 */
export class ResultReader {
  readonly #parts: ResultReaderParts;
  readonly #closing = new AbortController();
  readonly #loops: Promise<void>[];

  constructor(parts: ResultReaderParts) {
    this.#parts = parts;
    this.#loops = Array.from({ length: LOOPS }, () => this.#loop());
  }

  /** Finishes what it has begun. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#loops);
  }

  async #loop(): Promise<void> {
    const { signal } = this.#closing;
    let cameTogether = true;
    while (!signal.aborted) {
      const begunMs = performance.now();
      const deliveries = await this.#next(cameTogether);
      cameTogether = deliveries.length > 1;
      if (deliveries.length > 0) await this.#take(deliveries).catch(this.#parts.onError);
      // The connection is lost, or the stream is not there yet.
      else if (performance.now() - begunMs < WAIT_MS / 2)
        await sleep(200, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * The first one to come and what waits behind it: a turn costs as much for one. Where there was much, all that is there
   * is asked for first; where messages come one by one each question more costs as much as the message.
   */
  async #next(isMuchThere: boolean): Promise<Delivery[]> {
    const { bus } = this.#parts;
    const { signal } = this.#closing;
    const asked = [streams.results, SERVICE_CONSUMER] as const;
    const most = { batch: BATCH, maxBytes: BATCH_BYTES };
    const there = isMuchThere ? await bus.pull(...asked, most) : [];
    if (there.length > 0 || signal.aborted) return there;
    const first = await bus.pull(...asked, { batch: 1, waitMs: WAIT_MS, signal });
    const isAlone = first.every(({ waiting }) => waiting === 0);
    return isAlone || signal.aborted ? first : [...first, ...(await bus.pull(...asked, most))];
  }

  async #take(deliveries: readonly Delivery[]): Promise<void> {
    const alive = setInterval(() => {
      for (const delivery of deliveries) delivery.working();
    }, WORKING_MS);
    try {
      const opened = await Promise.all(deliveries.map((each) => this.#open(each)));
      await this.#inGroups(opened.flat());
    } finally {
      clearInterval(alive);
    }
  }

  /** Together as many as fit: what is large is read only when what was read before it is kept. */
  async #inGroups(messages: readonly Opened[]): Promise<void> {
    let together: Read[] = [];
    let size = 0;
    for (const opened of messages) {
      if (together.length === TOGETHER || (together.length > 0 && size + opened.size > TOGETHER_BYTES)) {
        await this.#keep(together);
        [together, size] = [[], 0];
      }
      const read = await this.#read(opened).catch((error) => this.#retry(opened.answer, error));
      if (read) together.push(read);
      size += opened.size;
    }
    if (together.length > 0) await this.#keep(together);
  }

  /** What is not signed, or no message, is dropped; who sent a strange one hears of it. */
  async #open(delivery: Delivery): Promise<Opened[]> {
    const [, , run = '', node = ''] = delivery.subject.split('.');
    const isSigned = await isFromInTime(node, delivery.subject, delivery);
    const frame = isSigned ? unpack(delivery.data) : undefined;
    const messages = frame && (run === parcels ? messagesIn(frame) : [frame]);
    if (!messages) {
      delivery.drop();
      return [];
    }
    const answer = new SharedAnswer(delivery, messages.length);
    return messages.flatMap((message) => this.#message(answer, run, node, message) ?? []);
  }

  #message(answer: SharedAnswer, run: string, node: string, frame: Frame | undefined): Opened | undefined {
    const id = frame && idIn(frame.header);
    if (!frame || !id) {
      answer.settle();
      return undefined;
    }
    const header = readResult(frame.header);
    if (!header || (run !== parcels && header.run !== run))
      return this.#refuse(answer, node, { told: 'unreadable', id });
    const size = frame.lengths.reduce((sum, length) => sum + length, 0);
    return { answer, node, id, header, frame, size };
  }

  /** @returns undefined for what must be said again, or is not what it says */
  async #read(opened: Opened): Promise<Read | undefined> {
    const { answer, node, id, header, frame } = opened;
    const pieces = await this.#pieces(node, frame);
    if (!pieces) return this.#refuse(answer, node, { told: 'again', id });
    const attachments = attachmentsOf(frame, pieces);
    const result = attachments && resultOf(header, attachments);
    return result ? { ...opened, result } : this.#refuse(answer, node, { told: 'unreadable', id });
  }

  #refuse(answer: SharedAnswer, node: string, told: Told): undefined {
    this.#parts.tell(node, told);
    answer.settle();
  }

  async #pieces(node: string, { parts }: Frame): Promise<Uint8Array[] | undefined> {
    const pieces: Uint8Array[] = [];
    for (const sha256 of parts) {
      const piece = await this.#parts.bus.last(streams.parts, subjects.part(node, sha256));
      if (!piece) return undefined;
      pieces.push(piece.data);
    }
    return pieces;
  }

  /** One that cannot be kept does not hold up the others: they are tried one by one. */
  async #keep(reads: readonly Read[]): Promise<void> {
    try {
      const kept = await this.#parts.front.results(reads.map(({ node, result }) => ({ node, result })));
      this.#tellKept(reads, kept);
      for (const { answer, node, frame } of reads) {
        answer.settle();
        void this.#forget(node, frame.parts);
      }
    } catch (error) {
      if (reads.length > 1) for (const read of reads) await this.#keep([read]);
      else this.#retry(reads[0]!.answer, error);
    }
  }

  #tellKept(reads: readonly Read[], kept: readonly Kept[]): void {
    const byNode = new Map<string, { readonly id: string; readonly kept: Kept }[]>();
    for (const [i, { node, id }] of reads.entries()) {
      const all = byNode.get(node) ?? [];
      byNode.set(node, all);
      all.push({ id, kept: kept[i]! });
    }
    for (const [node, all] of byNode) this.#parts.tell(node, { told: 'kept', all });
  }

  #retry(answer: SharedAnswer, error: unknown): undefined {
    answer.retry(Math.min(LONGEST_RETRY_MS, 250 * 2 ** answer.count));
    this.#parts.onError(error);
  }

  /** Parts that were kept make room; what is left behind goes by its age. */
  async #forget(node: string, parts: readonly Digest[]): Promise<void> {
    for (const sha256 of parts)
      await this.#parts.bus
        .api(`STREAM.PURGE.${streams.parts}`, { filter: subjects.part(node, sha256) })
        .catch(() => undefined);
  }
}

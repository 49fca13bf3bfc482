import { streams } from '../subjects.ts';
import type { Bus } from './bus.ts';
import { BusError } from './bus-error.ts';
import type { Incoming } from './incoming.ts';

/** Above this share of its limit, in bytes or messages, a stream is looked into. */
const FULL = 1 / 2;
/** Messages that are looked at, drawn evenly. */
const SAMPLE = 32;
/** Who has less of a stream than this does not fill it. */
const LEAST_SHARE = 1 / 8;
/** So often within so long, and a node that fills streams stays outside for a while. */
const STRIKES = 3;
const STRIKES_MS = 600_000;
const EVERY_MS = 3000;
/** Of a message in the stream beside its payload. */
const OVERHEAD_BYTES = 300;
const REMEMBERED = 10_000;

interface Info {
  readonly config: { readonly max_bytes: number; readonly max_msgs: number };
  readonly state: {
    readonly bytes: number;
    readonly messages: number;
    readonly first_seq: number;
    readonly last_seq: number;
  };
}

/** A stream into which nodes write, each under its own name. */
interface Shared {
  readonly stream: string;
  readonly nodeIn: (subject: string) => string;
  readonly filterOf: (node: string) => string;
}

const shared: readonly Shared[] = [
  {
    stream: streams.parts,
    nodeIn: (subject) => subject.split('.')[2] ?? '',
    filterOf: (node) => `svc.parts.${node}.*`,
  },
  {
    stream: streams.results,
    nodeIn: (subject) => subject.split('.')[3] ?? '',
    filterOf: (node) => `svc.results.*.${node}`,
  },
];

export interface PressureParts {
  readonly bus: Bus;
  /** Keeps a node outside for a while. */
  readonly shutOut: (node: string) => void;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

/**
 * Keeps room for all in the streams that nodes fill: while one is over half full, whoever has most of it loses what it
 * has there. To an honest node that costs time, since it says again what was not kept; one that goes on filling is
 * shut out for a while.
 */
export class Pressure {
  readonly #parts: PressureParts;
  readonly #timer: NodeJS.Timeout;
  readonly #strikes = new Map<string, number[]>();
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: PressureParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, parts.everyMs ?? EVERY_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    try {
      if (this.#parts.bus.isConnected) for (const each of shared) await this.#relieve(each);
    } catch (error) {
      if (!(error instanceof BusError)) this.#parts.onError(error);
    }
  }

  async #relieve({ stream, nodeIn, filterOf }: Shared): Promise<void> {
    const { bus } = this.#parts;
    const { config, state } = await bus.api<Info>(`STREAM.INFO.${stream}`);
    const [inBytes, inMessages] = [state.bytes / config.max_bytes, state.messages / config.max_msgs];
    if (Math.max(inBytes, inMessages) < FULL) return;
    const sample = await this.#sample(stream, state);
    const node = fullest(
      sample.map((message) => [
        nodeIn(message.header('Nats-Subject')),
        inBytes > inMessages ? message.data.length + OVERHEAD_BYTES : 1,
      ]),
    );
    if (!node) return;
    await bus.api(`STREAM.PURGE.${stream}`, { filter: filterOf(node) });
    this.#strike(node);
  }

  async #sample(stream: string, { first_seq: first, last_seq: last }: Info['state']): Promise<Incoming[]> {
    const seqs = Array.from({ length: SAMPLE }, () => first + Math.floor(Math.random() * (last - first + 1)));
    const read = (seq: number) =>
      this.#parts.bus.directGet(stream, { batch: 1, seq, next_by_subj: '>' }).then(([message]) => message);
    return (await Promise.all(seqs.map(read))).filter((message) => message !== undefined);
  }

  #strike(node: string): void {
    const now = performance.now();
    const strikes = [...(this.#strikes.get(node) ?? []).filter((at) => now - at < STRIKES_MS), now];
    this.#strikes.delete(node);
    if (strikes.length < STRIKES) this.#strikes.set(node, strikes);
    else this.#parts.shutOut(node);
    if (this.#strikes.size > REMEMBERED) this.#strikes.delete(this.#strikes.keys().next().value!);
  }
}

/** Who has most, where that is enough to be worth taking. */
function fullest(found: readonly (readonly [node: string, size: number])[]): string | undefined {
  const sizes = new Map<string, number>();
  for (const [node, size] of found) sizes.set(node, (sizes.get(node) ?? 0) + size);
  const [first] = [...sizes].sort(([, a], [, b]) => b - a);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return first && first[1] >= LEAST_SHARE * total ? first[0] : undefined;
}

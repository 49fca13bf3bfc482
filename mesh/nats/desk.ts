import { sha256 as sha256Of } from '#crypto';
import { refuse } from '../../src/errors/refusal.ts';
import { textOf, toHex, utf8 } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';
import type {
  AliveAnswer,
  CheckAnswer,
  Commitment,
  Desk,
  DeskEvents,
  Holding,
  Kept,
  LeaseAnswer,
  Reveal,
} from '../desk.ts';
import type { Bell, Bells, Presence } from '../front.ts';
import { buckets, isToken, type JobClass, jobClasses, streams, subjects } from '../subjects.ts';
import { bellFor, WaitingRuns } from '../waiting-runs.ts';
import { Asker } from './asker.ts';
import { Bus, type BusOptions } from './bus.ts';
import { asRefusal } from './bus-error.ts';
import { Deliverer } from './deliverer.ts';
import type { Delivery } from './delivery.ts';
import { PART_BYTES, unpack } from './frame.ts';
import type { Incoming } from './incoming.ts';
import { MOST_HOLDINGS, MOST_RUNS, readTold } from './messages.ts';
import type { Identity } from './nkey.ts';
import { MOST_NAMED } from './ringer.ts';
import { isFrom, signature } from './signature.ts';

export interface NatsDeskOptions extends Omit<BusOptions, 'name'> {
  /** Public nkey of the service: nobody else's word counts. */
  readonly service: string;
  readonly presence: Presence;
}

/** Between two signs that the node is there. */
const PRESENCE_MS = 3000;
const LEASE_PATIENCE_MS = 10_000;
/** Signs of life that are late are worth nothing: the next one is due. */
const ALIVE_PATIENCE_MS = 3000;
const BYTES_PATIENCE_MS = 60_000;
/** Pieces that are asked for at once. */
const DOWNLOADS = 4;
const MOST_BYTES = 1024 * 1024 * 1024;

/** The service over NATS, and the work queue. */
export class NatsDesk implements Desk, Bells {
  readonly #bus: Bus;
  readonly #identity: Identity;
  readonly #options: NatsDeskOptions;
  readonly #asker: Asker;
  readonly #deliverer: Deliverer;
  /** Runs that the bell has named: the queue does not give them out. */
  readonly #named = new WaitingRuns(MOST_NAMED);
  #events: DeskEvents | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(bus: Bus, options: NatsDeskOptions) {
    this.#bus = bus;
    this.#identity = options.identity;
    this.#options = options;
    this.#asker = new Asker(bus, options.identity, options.service);
    this.#deliverer = new Deliverer(bus, options.identity);
  }

  /**
   * @throws Refusal FORBIDDEN where the mesh does not know this node, MESH_UNAVAILABLE where there is none
   */
  static async open(options: NatsDeskOptions): Promise<NatsDesk> {
    const bus = await Bus.connect({ ...options, name: `node ${options.identity.id}` }).catch(asRefusal);
    const desk = new NatsDesk(bus, options);
    desk.#begin();
    await bus.flush().catch(asRefusal);
    return desk;
  }

  #begin(): void {
    this.#bus.subscribe(subjects.to(this.#identity.id), (message) => this.#told(message));
    this.#bus.subscribe(subjects.bell, (message) => this.#rung(message));
    this.#timer = setInterval(() => this.#present(), PRESENCE_MS);
    this.#present();
  }

  /** Who hears what the service says from now on. */
  listen(events: DeskEvents): void {
    this.#events = events;
  }

  /** For gossip, which goes the same way. */
  get bus(): Pick<Bus, 'publish' | 'isConnected'> {
    return this.#bus;
  }

  /** False while the connection is lost. */
  get isConnected(): boolean {
    return this.#bus.isConnected;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#bus.close();
  }

  // ---- what the node asks and says ----------------------------------------------------------------------

  async lease(runs: readonly string[]): Promise<readonly LeaseAnswer[]> {
    const wanted = runs.slice(0, MOST_RUNS);
    const answer = await this.#asker.ask('lease', { runs: [...wanted] }, LEASE_PATIENCE_MS);
    return answer.answer === 'lease' ? answer.leases : [];
  }

  async alive(holding: readonly Holding[]): Promise<AliveAnswer> {
    const said = { holding: holding.slice(0, MOST_HOLDINGS).map((each) => ({ ...each })) };
    const answer = await this.#asker.ask('alive', said, ALIVE_PATIENCE_MS);
    return answer.answer === 'alive'
      ? { mode: answer.mode, lost: answer.lost }
      : { mode: 'idle', lost: holding };
  }

  async release(holding: Holding, failed: boolean): Promise<void> {
    await this.#asker.ask('release', { holding: { ...holding }, failed }, LEASE_PATIENCE_MS);
  }

  commit(commitment: Commitment): Promise<Kept> {
    return this.#deliverer.deliver({ kind: 'commit', ...commitment });
  }

  reveal(reveal: Reveal, carried?: () => void): Promise<Kept> {
    return this.#deliverer.deliver({ kind: 'reveal', ...reveal }, carried);
  }

  checked(answer: CheckAnswer): Promise<Kept> {
    return this.#deliverer.deliver({ kind: 'checked', ...answer });
  }

  /** @throws Refusal NOT_FOUND for what is not this node's to see, or is not what its name says */
  async bytes(run: string, sha256: Digest): Promise<Uint8Array> {
    const first = await this.#piece(run, sha256, 0);
    if (first.total > MOST_BYTES)
      refuse('LIMIT_EXCEEDED', `${first.total} bytes are more than a node takes.`);
    const whole = new Uint8Array(first.total);
    whole.set(first.bytes.subarray(0, first.total));
    const offsets = Array.from(
      { length: Math.ceil(first.total / PART_BYTES) },
      (_, i) => i * PART_BYTES,
    ).slice(1);
    const carry = async () => {
      for (let offset = offsets.shift(); offset !== undefined; offset = offsets.shift()) {
        const { bytes } = await this.#piece(run, sha256, offset);
        whole.set(bytes.subarray(0, whole.length - offset), offset);
      }
    };
    await Promise.all(Array.from({ length: DOWNLOADS }, carry));
    if (toHex(sha256Of(whole)) !== sha256) refuse('NOT_FOUND', 'The bytes are not what their name says.');
    return whole;
  }

  async #piece(run: string, sha256: Digest, offset: number): Promise<{ total: number; bytes: Uint8Array }> {
    const answer = await this.#asker.ask('bytes', { run, sha256, offset }, BYTES_PATIENCE_MS);
    if (answer.answer !== 'bytes') refuse('NOT_FOUND', 'The service does not give these bytes to this node.');
    return { total: answer.total, bytes: answer.attachment ?? new Uint8Array(0) };
  }

  // ---- the work queue -----------------------------------------------------------------------------------

  async take(count: number): Promise<Bell[]> {
    const bells: Bell[] = [];
    for (const name of jobClasses) {
      bells.push(...this.#named.take(count - bells.length, [name]).map(bellFor));
      if (bells.length >= count) break;
      const batch = Math.min(count - bells.length, MOST_RUNS);
      const taken = await this.#bus.pull(streams.jobs, name, { batch });
      bells.push(...taken.flatMap((delivery) => bellOf(name, delivery)));
    }
    return bells;
  }

  /** A bell that names runs is the service's word; a plain one may be anybody's. */
  #rung(message: Incoming): void {
    if (message.data.length > 0 && isFrom(this.#options.service, message.subject, message))
      for (const [jobClass, run] of runsIn(message.data)) this.#named.add(run, jobClass);
    this.#events?.bell();
  }

  // ---- what the service says ----------------------------------------------------------------------------

  #told(message: Incoming): void {
    if (!isFrom(this.#options.service, message.subject, message)) return;
    const frame = unpack(message.data);
    const told = frame && readTold(frame.header);
    if (!told) return;
    if (told.told === 'kept') for (const each of told.all) this.#deliverer.heard({ told: 'kept', ...each });
    else if ('id' in told) this.#deliverer.heard(told);
    else if (told.told === 'check') this.#events?.check(told.work);
    else if (told.told === 'lost') this.#events?.lost(told.holding, told.reason);
    else this.#events?.mode(told.mode);
  }

  /** Says that the node is there. What is lost is said again in three seconds. */
  #present(): void {
    const subject = `$KV.${buckets.nodes}.${this.#identity.id}`;
    const data = utf8(JSON.stringify(this.#options.presence));
    if (this.#bus.isConnected)
      this.#bus.publish(subject, data, { headers: signature(this.#identity, subject, data) });
  }
}

/** Class and name of each; of a service before 0.7.0 names alone, which say no class. */
function runsIn(data: Uint8Array): (readonly [JobClass, string])[] {
  try {
    const named: unknown = JSON.parse(textOf(data));
    return Array.isArray(named) ? named.flatMap(namedIn) : [];
  } catch {
    return [];
  }
}

function namedIn(each: unknown): (readonly [JobClass, string])[] {
  const [said, run] = Array.isArray(each) ? each : ['free-small', each];
  const jobClass = jobClasses.find((name) => name === said);
  return jobClass && typeof run === 'string' && isToken(run) ? [[jobClass, run]] : [];
}

/** A bell for a run that cannot be named is nobody's. */
function bellOf(jobClass: JobClass, delivery: Delivery): Bell[] {
  const run = delivery.subject.split('.')[3] ?? '';
  if (!isToken(run)) {
    delivery.drop();
    return [];
  }
  return [
    {
      run,
      class: jobClass,
      ack: () => delivery.ack(),
      retry: (delayMs) => delivery.retry(delayMs),
      working: () => delivery.working(),
    },
  ];
}

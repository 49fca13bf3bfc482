import { setTimeout as sleep } from 'node:timers/promises';
import { textOf, utf8 } from '../../src/proof/bytes.ts';
import type { Post } from '../coordinator/ports.ts';
import type { Refused } from '../decide/effects.ts';
import type { CheckWork, Holding, Mode } from '../desk.ts';
import type { Front, Presence } from '../front.ts';
import { type JobClass, subjects } from '../subjects.ts';
import { Access, type AccessOptions } from './access.ts';
import { Answers } from './answers.ts';
import { endConnections } from './barring.ts';
import { Bus, type BusOptions, type BusStatus } from './bus.ts';
import { asRefusal } from './bus-error.ts';
import { packWhole } from './frame.ts';
import type { Incoming } from './incoming.ts';
import type { DeploymentKeys } from './keys.ts';
import { Listening } from './listening.ts';
import type { Told } from './messages.ts';
import { NatsObjects } from './objects.ts';
import { Presences } from './presences.ts';
import { Pressure } from './pressure.ts';
import { ResultReader } from './result-reader.ts';
import { Ringer } from './ringer.ts';
import { isFrom, signature } from './signature.ts';
import { ensureStreams, type StreamLimits } from './streams.ts';

export interface NatsFrontOptions
  extends Omit<BusOptions, 'name' | 'identity'>,
    Pick<AccessOptions, 'isAdmitted' | 'now'> {
  readonly keys: DeploymentKeys;
  readonly limits?: StreamLimits;
  /** Between two looks at how full the streams are that nodes fill. Default 3 s. */
  readonly pressureMs?: number;
  readonly onError: (error: unknown) => void;
}

const otherSecret =
  'The NATS server does not know this service node: its keys are made from SVC_MESH_SECRET, which is not the one that ' +
  "the server's configuration was made with (svc mesh config).";
/** For so long a node that fills streams stays outside. */
const SHUT_OUT_MS = 120_000;

/** A service node on NATS: what the coordinator says to nodes, and what nodes say to it once `serve` was called. */
export class NatsFront implements Post {
  readonly #bus: Bus;
  readonly #options: NatsFrontOptions;
  readonly #presences: Presences;
  readonly #access: Access;
  readonly #listening: Listening;
  /** Bytes under their SHA-256, for all service nodes. */
  readonly objects: NatsObjects;
  readonly #ringer: Ringer;
  readonly #pressure: Pressure;
  #answers: Answers | undefined;
  #reader: ResultReader | undefined;

  private constructor(bus: Bus, presences: Presences, listening: Listening, options: NatsFrontOptions) {
    this.#bus = bus;
    this.#presences = presences;
    this.#options = options;
    this.#access = new Access(bus, options);
    this.#listening = listening;
    this.objects = new NatsObjects(bus);
    this.#ringer = new Ringer(bus, options.keys.service);
    const { onError, pressureMs: everyMs } = options;
    this.#pressure = new Pressure({ bus, onError, everyMs, shutOut: (node) => this.#sayShutOut(node) });
    bus.subscribe(subjects.shutOut, (message) => this.#hearShutOut(message));
  }

  /**
   * Connects, makes the streams that are missing, and lets in who is admitted. @throws Refusal MESH_UNAVAILABLE, or
   * FORBIDDEN where the server was made with another secret
   */
  static open(options: NatsFrontOptions): Promise<NatsFront> {
    return NatsFront.#open(options).catch((error) => asRefusal(error, otherSecret));
  }

  static async #open(options: NatsFrontOptions): Promise<NatsFront> {
    const { keys, onStatus, limits, onError } = options;
    let listening: Listening | undefined;
    const watched = (status: BusStatus) => {
      if (status === 'reconnected') {
        listening?.resumed();
        void streamsAgain(bus, limits, onError);
      }
      onStatus?.(status);
    };
    const bus = await Bus.connect({
      ...options,
      identity: keys.service,
      name: 'service',
      reconnectMs: 30,
      onStatus: watched,
    });
    try {
      await ensureStreams(bus, limits);
      const presences = await Presences.open(bus);
      listening = new Listening(bus, options.now);
      return new NatsFront(bus, presences, listening, options);
    } catch (error) {
      listening?.close();
      await bus.close();
      throw error;
    }
  }

  /** Begins to hear nodes. */
  serve(front: Front): void {
    const { keys, onError } = this.#options;
    const { now } = this.#options;
    this.#answers = new Answers({ bus: this.#bus, identity: keys.service, front, now, onError });
    const tell = (node: string, told: Told) => this.#tell(node, told);
    this.#reader = new ResultReader({ bus: this.#bus, front, tell, onError });
  }

  async close(): Promise<void> {
    this.#ringer.close();
    await this.#pressure.close();
    this.#listening.close();
    this.#access.close();
    this.#answers?.close();
    await this.#reader?.close();
    this.#presences.close();
    await this.#bus.close();
  }

  /** For gossip and beacons, which go the same way. */
  get bus(): Pick<Bus, 'publish' | 'subscribe'> {
    return this.#bus;
  }

  get isConnected(): boolean {
    return this.#bus.isConnected;
  }

  // ---- what the service says ----------------------------------------------------------------------------

  /** A run that is on the queue already is not put there again; where the queue is full, the reconciler comes back. */
  ring(runs: readonly { readonly id: string; readonly class: JobClass }[]): Promise<void> {
    return this.#ringer.ring(runs);
  }

  async check(node: string, work: CheckWork): Promise<void> {
    this.#tell(node, { told: 'check', work });
  }

  async lost(node: string, holding: Holding, reason: Refused): Promise<void> {
    this.#tell(node, { told: 'lost', holding, reason });
  }

  async mode(node: string, mode: Mode): Promise<void> {
    this.#tell(node, { told: 'mode', mode });
  }

  /** Ends what a node has open that is no longer admitted: `isAdmitted` must say so already. */
  async bar(node: string): Promise<void> {
    await endConnections(
      { ...this.#options, identity: this.#options.keys.system, name: 'system', onStatus: undefined },
      node,
    );
    this.#presences.forget(node);
  }

  /** Every service node hears it, this one too. */
  #sayShutOut(node: string): void {
    const data = utf8(node);
    const headers = signature(this.#options.keys.service, subjects.shutOut, data);
    this.#bus.publish(subjects.shutOut, data, { headers });
  }

  #hearShutOut(message: Incoming): void {
    if (!isFrom(this.#options.keys.service.id, message.subject, message)) return;
    const node = textOf(message.data);
    this.#access.shutOut(node, SHUT_OUT_MS);
    void this.bar(node).catch(this.#options.onError);
  }

  #tell(node: string, told: Told): void {
    const subject = subjects.to(node);
    const data = packWhole(told);
    this.#bus.publish(subject, data, { headers: signature(this.#options.keys.service, subject, data) });
  }

  // ---- who is there --------------------------------------------------------------------------------------

  async present(): Promise<readonly string[]> {
    return [...this.#presences.list().keys()];
  }

  listeningSince(): bigint {
    return this.#listening.since;
  }

  /** The same with what each of them offers. */
  presences(): ReadonlyMap<string, Presence> {
    return this.#presences.list();
  }
}

const AGAIN_MS = 1000;

/** Streams in memory went with the server: without them nobody hears of work, so they are made until they are there. */
async function streamsAgain(
  bus: Bus,
  limits: StreamLimits | undefined,
  onError: (error: unknown) => void,
): Promise<void> {
  while (bus.isConnected) {
    const failed = await ensureStreams(bus, limits).then(
      () => false,
      (error: unknown) => {
        onError(error);
        return true;
      },
    );
    if (!failed) return;
    await sleep(AGAIN_MS);
  }
}

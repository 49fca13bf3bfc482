import {
  connect,
  createInbox,
  headers,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from 'nats';
import { utf8 } from '../../src/proof/bytes.ts';
import { BusError, busError } from './bus-error.ts';
import { Delivery } from './delivery.ts';
import type { Incoming } from './incoming.ts';
import type { Identity } from './nkey.ts';

/**
 * A connection to NATS: the one file that knows its client. Subjects carry bytes; everything of JetStream that the mesh
 * needs is a request with a JSON answer (docs.nats.io, 'JetStream wire API reference'), so nothing here depends on the
 * client's own view of streams and consumers, and a contributor can do with the few subjects that it may use.
 */
export interface BusOptions {
  readonly servers: string | readonly string[];
  readonly identity: Identity;
  /** Shown in the server's lists of connections. */
  readonly name: string;
  /** Files of a CA, and of a certificate and its key, in PEM. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** How long the first connection is waited for. Default 10 s. */
  readonly patienceMs?: number;
  /** Least time between two attempts to come back; up to three times as long. Default 250 ms. */
  readonly reconnectMs?: number;
  readonly onStatus?: (status: BusStatus) => void;
}

/** `refused`: the server does not let this node in, for now; it is asked again, since it may be admitted later. */
export type BusStatus = 'disconnected' | 'reconnected' | 'refused' | 'closed';

export type BusHeaders = Readonly<Record<string, string>>;

export interface PublishOptions {
  readonly headers?: BusHeaders;
  readonly timeoutMs?: number;
}

export interface PullOptions {
  readonly batch: number;
  /** How long to wait for a first message. Default: not at all. */
  readonly waitMs?: number;
  readonly maxBytes?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 5000;
/** A server that is silent for two of these is gone. */
const PING_MS = 5000;
/** Between two attempts to connect: not all nodes at once, and after the service, which lets them in. */
const RECONNECT_MS = 250;

export class Bus {
  readonly id: string;
  readonly #nats: NatsConnection;
  readonly #inboxPrefix: string;
  readonly #abandoned = new Set<() => void>();
  readonly #resumed = new Set<(isBack: boolean) => void>();
  readonly #waiting = new Map<string, (answer: Incoming | BusError) => void>();
  readonly #answerPrefix: string;
  #asked = 0;
  #isConnected = true;

  private constructor(nats: NatsConnection, { identity, onStatus }: BusOptions) {
    this.id = identity.id;
    this.#nats = nats;
    this.#inboxPrefix = inboxPrefix(identity.id);
    this.#answerPrefix = `${createInbox(this.#inboxPrefix)}.`;
    this.#hearAnswers();
    void this.#watch(onStatus ?? (() => undefined));
  }

  /** @throws BusError `refused` where the server does not let this identity in, `unreachable` where there is none */
  static async connect(options: BusOptions): Promise<Bus> {
    const { servers, identity, name, tls, patienceMs = 10_000, reconnectMs = RECONNECT_MS } = options;
    try {
      const nats = await connect({
        servers: typeof servers === 'string' ? [servers] : [...servers],
        name,
        tls,
        authenticator: (nonce) => signedNonce(identity, nonce),
        inboxPrefix: inboxPrefix(identity.id),
        timeout: patienceMs,
        maxReconnectAttempts: -1,
        reconnectDelayHandler: () => Math.floor(reconnectMs * (1 + 2 * Math.random())),
        ignoreAuthErrorAbort: true,
        pingInterval: PING_MS,
        maxPingOut: 2,
      });
      return new Bus(nats, options);
    } catch (error) {
      const known = busError(error);
      // A certificate that nobody vouches for, a name that nobody knows.
      throw known instanceof BusError ? known : new BusError('unreachable', (error as Error).message);
    }
  }

  /** False while the connection is lost. */
  get isConnected(): boolean {
    return this.#isConnected && !this.#nats.isClosed();
  }

  get isClosed(): boolean {
    return this.#nats.isClosed();
  }

  /** Largest message that the server takes, headers included. */
  get mostBytes(): number {
    return this.#nats.info?.max_payload ?? 0;
  }

  /** Says it to whoever listens now; to nobody while the connection is lost. */
  publish(subject: string, data: Uint8Array, options: { headers?: BusHeaders; reply?: string } = {}): void {
    if (this.#nats.isClosed() || this.#nats.isDraining()) return;
    this.#nats.publish(subject, data, { headers: headersOf(options.headers), reply: options.reply });
  }

  /** @throws BusError `timeout`, `no-responders`, `disconnected`, `closed` */
  async request(subject: string, data: Uint8Array, options: PublishOptions = {}): Promise<Incoming> {
    const { timeoutMs = TIMEOUT_MS, headers: entries } = options;
    if (!this.isConnected) await this.#connected(timeoutMs);
    return this.#ask(subject, data, timeoutMs, entries);
  }

  /** One subscription for all answers: the client's own makes an error, with its stack, for every question. */
  #ask(subject: string, data: Uint8Array, timeoutMs: number, entries?: BusHeaders): Promise<Incoming> {
    const token = `${this.#answerPrefix}${(this.#asked++).toString(36)}`;
    return new Promise((done, fail) => {
      const answered = (answer: Incoming | BusError) => {
        clearTimeout(timer);
        this.#waiting.delete(token);
        if (answer instanceof BusError) fail(answer);
        else if (answer.header('status') === '503')
          fail(new BusError('no-responders', `nobody answers ${subject}`));
        else done(answer);
      };
      const timer = setTimeout(() => answered(new BusError('timeout', `no answer on ${subject}`)), timeoutMs);
      this.#waiting.set(token, answered);
      try {
        this.#nats.publish(subject, data, { headers: headersOf(entries), reply: token });
      } catch (error) {
        clearTimeout(timer);
        this.#waiting.delete(token);
        fail(busError(error));
      }
    });
  }

  /** The client forgets what is said while the connection is lost: so nothing is. */
  async #connected(patienceMs: number): Promise<void> {
    if (this.isConnected) return;
    if (this.isClosed) throw new BusError('closed', 'the connection is closed');
    let timer: NodeJS.Timeout | undefined;
    const isBack = await new Promise<boolean>((done) => {
      this.#resumed.add(done);
      timer = setTimeout(done, patienceMs, false);
    });
    clearTimeout(timer);
    if (!isBack) throw new BusError('disconnected', 'the connection is lost');
  }

  /** Calls back when the connection is lost, and with it every answer that is on its way. @returns how to stop */
  onLost(lost: () => void): () => void {
    this.#abandoned.add(lost);
    return () => this.#abandoned.delete(lost);
  }

  /** A subject of this node's own for one answer. */
  inbox(): string {
    return createInbox(this.#inboxPrefix);
  }

  /** Calls back for each message. With `queue`, each goes to one of the subscribers of that name. @returns how to stop */
  subscribe(subject: string, taken: (message: Incoming) => void, queue?: string): () => void {
    const subscription: Subscription = this.#nats.subscribe(subject, {
      queue,
      callback: (error, message) => {
        if (!error) taken(incoming(message));
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Until the server has everything that was said, and every subscription. */
  async flush(): Promise<void> {
    await this.#nats.flush().catch((error) => {
      throw busError(error);
    });
  }

  // ---- JetStream -----------------------------------------------------------------------------------------

  /** A request to JetStream's API. @returns its JSON answer. @throws BusError `api` with the server's code */
  async api<Answer>(verb: string, body: unknown = '', options: PublishOptions = {}): Promise<Answer> {
    const data = body === '' ? new Uint8Array(0) : utf8(JSON.stringify(body));
    return answerOf<Answer>(await this.request(`$JS.API.${verb}`, data, options));
  }

  /**
   * Puts a message into a stream.
   *
   * @param id another with the same id is dropped for as long as the stream's window of duplicates
   * @returns once the stream has it. @throws BusError `full` where the stream takes no more
   */
  async persist(
    subject: string,
    data: Uint8Array,
    { id, ...options }: PublishOptions & { readonly id?: string } = {},
  ): Promise<{ readonly seq: number; readonly duplicate?: boolean }> {
    const all = id === undefined ? options.headers : { ...options.headers, 'Nats-Msg-Id': id };
    return answerOf(await this.request(subject, data, { ...options, headers: all }));
  }

  /** Messages of a durable consumer: what is there, or with `waitMs` the first ones to come. Never throws. */
  pull(
    stream: string,
    consumer: string,
    { batch, waitMs = 0, maxBytes, signal }: PullOptions,
  ): Promise<Delivery[]> {
    const asked = waitMs > 0 ? { batch, expires: waitMs * 1e6 } : { batch, no_wait: true };
    const body = utf8(JSON.stringify({ ...asked, ...(maxBytes ? { max_bytes: maxBytes } : {}) }));
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    const take = (message: Msg) =>
      new Delivery(incoming(message), (data) => this.publish(message.reply!, data));
    return this.#gather(subject, body, batch, waitMs + TIMEOUT_MS, take, signal);
  }

  /** Messages of a stream, read straight from it. Never throws; fewer come back where the connection is lost. */
  async directGet(
    stream: string,
    body: { readonly batch: number } & Record<string, unknown>,
  ): Promise<Incoming[]> {
    return this.#gather(
      `$JS.API.DIRECT.GET.${stream}`,
      utf8(JSON.stringify(body)),
      body.batch,
      TIMEOUT_MS,
      incoming,
    );
  }

  /** The last message on a subject of a stream. @returns undefined where there is none */
  async last(stream: string, subject: string): Promise<Incoming | undefined> {
    const data = utf8(JSON.stringify({ last_by_subj: subject }));
    const message = await this.request(`$JS.API.DIRECT.GET.${stream}`, data);
    return message.header('status') === '' ? message : undefined;
  }

  #gather<Taken>(
    subject: string,
    body: Uint8Array,
    most: number,
    timeoutMs: number,
    take: (message: Msg) => Taken,
    signal?: AbortSignal,
  ): Promise<Taken[]> {
    if (!this.isConnected || signal?.aborted) return Promise.resolve([]);
    const inbox = this.inbox();
    const taken: Taken[] = [];
    return new Promise((done) => {
      const finish = () => {
        clearTimeout(timer);
        this.#abandoned.delete(finish);
        signal?.removeEventListener('abort', finish);
        subscription.unsubscribe();
        done(taken);
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#abandoned.add(finish);
      signal?.addEventListener('abort', finish, { once: true });
      const subscription = this.#nats.subscribe(inbox, {
        callback: (error, message) => {
          const status = message?.headers?.code ?? 0;
          if (status === 100) return;
          if (!error && status === 0) taken.push(take(message));
          if (error || status !== 0 || taken.length === most) finish();
        },
      });
      this.#nats.publish(subject, body, { reply: inbox });
    });
  }

  // ---- the connection ------------------------------------------------------------------------------------

  async #watch(onStatus: (status: BusStatus) => void): Promise<void> {
    for await (const { type, data } of this.#nats.status()) {
      if (type === 'disconnect') this.#lost();
      if (type === 'reconnect') this.#back(true);
      if (type === 'disconnect') onStatus('disconnected');
      else if (type === 'reconnect') onStatus('reconnected');
      else if (type === 'error' && data === 'AUTHORIZATION_VIOLATION') onStatus('refused');
    }
    this.#lost();
    this.#back(false);
    onStatus('closed');
  }

  #back(isBack: boolean): void {
    this.#isConnected = isBack;
    for (const resume of this.#resumed) resume(isBack);
    this.#resumed.clear();
  }

  #hearAnswers(): void {
    this.#nats.subscribe(`${this.#answerPrefix}*`, {
      callback: (error, message) => {
        if (!error) this.#waiting.get(message.subject)?.(incoming(message));
      },
    });
  }

  #lost(): void {
    this.#isConnected = false;
    for (const answered of [...this.#waiting.values()])
      answered(new BusError('disconnected', 'the connection was lost'));
    for (const finish of [...this.#abandoned]) finish();
  }

  /** Sends what was said, then closes; at once where the connection is lost. */
  async close(): Promise<void> {
    if (this.#nats.isClosed()) return;
    await (this.isConnected ? this.#nats.drain() : this.#nats.close()).catch(() => this.#nats.close());
  }
}

const inboxPrefix = (id: string) => `_INBOX.${id}`;

/** The server sends a nonce; whoever signs it has the key. */
function signedNonce(identity: Identity, nonce = ''): { nkey: string; sig: string } {
  const sig = Buffer.from(identity.sign(utf8(nonce))).toString('base64url');
  return { nkey: identity.id, sig };
}

function headersOf(entries: BusHeaders | undefined): MsgHdrs | undefined {
  if (!entries) return undefined;
  const all = headers();
  for (const [name, value] of Object.entries(entries)) all.set(name, value);
  return all;
}

/** The client gives a Buffer, whose `slice` is no copy. */
const plain = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

function incoming(message: Msg): Incoming {
  return {
    subject: message.subject,
    data: plain(message.data),
    reply: message.reply ?? '',
    header: (name) =>
      name === 'status' ? String(message.headers?.code || '') : (message.headers?.get(name) ?? ''),
  };
}

interface ApiAnswer {
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description?: string };
}

function answerOf<Answer>({ data }: Incoming): Answer {
  const answer = JSON.parse(new TextDecoder().decode(data)) as ApiAnswer;
  if (answer.error) throw BusError.ofApi(answer.error);
  return answer as Answer;
}

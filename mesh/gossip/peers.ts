import { setTimeout as wait } from 'node:timers/promises';
import type { GossipWay } from './gossip.ts';

/**
 * Gossip to other service nodes over HTTP: own events are pushed to the nodes that the configuration names, and to
 * nobody else, whatever an event or an answer says. No redirect is followed.
 */
export interface PeersOptions {
  /** Origins, as `readPeers` gives them. */
  readonly peers: readonly string[];
  readonly fetch?: typeof fetch;
  /** Pause before attempt n + 1, ms. */
  readonly pauseMs?: (attempt: number) => number;
}

/** Events that wait for one peer; the oldest is dropped first. */
const MOST_WAITING = 256;
const ATTEMPTS = 4;
const TIMEOUT_MS = 5000;
const MOST_PEERS = 64;
const PATH = '/api/mesh/gossip';

type Message = Parameters<GossipWay['send']>[0];

/**
 * Origins from a list with commas, such as `https://a.example, http://10.0.0.2:8787`.
 * @throws RangeError with a sentence
 */
export function readPeers(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  const peers = words.filter((word) => word !== '').map(originOf);
  if (peers.length > MOST_PEERS) throw new RangeError(`there are at most ${MOST_PEERS} peers`);
  return [...new Set(peers)];
}

function originOf(word: string): string {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  const isOrigin =
    url !== undefined &&
    ['http:', 'https:'].includes(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '' &&
    url.pathname === '/';
  if (!isOrigin)
    throw new RangeError('a peer is an origin such as https://node.example:8787, without a path');
  return url.origin;
}

/** Pushes to every peer on its own, so that a slow one delays nobody. */
export class HttpPeers implements GossipWay {
  readonly #lines: readonly PeerLine[];

  constructor(options: PeersOptions) {
    this.#lines = options.peers.map((peer) => new PeerLine(peer, options));
  }

  send(message: Message): void {
    for (const line of this.#lines) line.push(message);
  }

  /** Resolves once nothing waits any more: delivered, refused or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#lines.map((line) => line.settled));
  }

  /** Drops what waits and ends what is under way. */
  async close(): Promise<void> {
    for (const line of this.#lines) line.stop();
    await this.settled();
  }
}

class PeerLine {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #pauseMs: (attempt: number) => number;
  readonly #stopped = new AbortController();
  readonly #waiting: Message[] = [];
  settled: Promise<void> = Promise.resolve();
  #isSending = false;

  constructor(peer: string, { fetch: fetchPeer = fetch, pauseMs = (n) => 500 * 2 ** n }: PeersOptions) {
    this.#url = `${peer}${PATH}`;
    this.#fetch = fetchPeer;
    this.#pauseMs = pauseMs;
  }

  push(message: Message): void {
    if (this.#stopped.signal.aborted) return;
    this.#waiting.push(message);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    if (!this.#isSending) this.settled = this.#sendAll();
  }

  stop(): void {
    this.#waiting.length = 0;
    this.#stopped.abort();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let message = this.#waiting.shift(); message; message = this.#waiting.shift())
      await this.#deliver(message);
    this.#isSending = false;
  }

  async #deliver(message: Message): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && !this.#stopped.signal.aborted; attempt++) {
      if (attempt > 0) await this.#pause(attempt);
      if (await this.#attempt(message)) return;
    }
  }

  #pause(attempt: number): Promise<void> {
    const { signal } = this.#stopped;
    return wait(this.#pauseMs(attempt), undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** @returns whether nothing is gained by another attempt. The handshake is made anew each time. */
  async #attempt({ bytes, headers }: Message): Promise<boolean> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const answer = await this.#fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers() },
        body: bytes as Uint8Array<ArrayBuffer>,
        redirect: 'manual',
        signal,
      });
      await answer.body?.cancel();
      return answer.status < 500 && ![408, 429].includes(answer.status);
    } catch {
      return false;
    }
  }
}

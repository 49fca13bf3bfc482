import { randomBytes } from 'node:crypto';
import { sha256 } from '#crypto';
import { concat, toBase64, toHex, utf8 } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';
import type { Objects } from '../coordinator/ports.ts';
import { buckets } from '../subjects.ts';
import type { Bus } from './bus.ts';
import { PART_BYTES } from './frame.ts';

/**
 * Bytes under their SHA-256 in a bucket of NATS' object store (ADR-20 of nats-io/nats-architecture-and-design): chunks
 * under a name of their own, then the entry that names them, so that an object is there whole or not at all. Any other
 * client of NATS reads it.
 */
export class NatsObjects implements Objects {
  readonly #bus: Bus;
  readonly #bucket: string;

  constructor(bus: Bus, bucket: string = buckets.segments) {
    this.#bus = bus;
    this.#bucket = bucket;
  }

  /** @throws BusError `full` where the bucket takes no more */
  async put(bytes: Uint8Array): Promise<Digest> {
    const digest = sha256(bytes);
    const name = toHex(digest);
    if (await this.#entry(name)) return name;
    const nuid = toHex(new Uint8Array(randomBytes(11)));
    const subject = this.#chunks(nuid);
    const chunks = Math.ceil(bytes.length / PART_BYTES);
    await Promise.all(
      Array.from({ length: chunks }, (_, i) =>
        this.#bus.persist(subject, bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES), {
          timeoutMs: SLOW_MS,
        }),
      ),
    );
    const entry: Entry = {
      ...{ name, bucket: this.#bucket, nuid, size: bytes.length, chunks },
      digest: `SHA-256=${padded(digest)}`,
      options: { max_chunk_size: PART_BYTES },
    };
    const headers = { 'Nats-Rollup': 'sub' };
    await this.#bus.persist(this.#entrySubject(name), utf8(JSON.stringify(entry)), { headers });
    return name;
  }

  /** @returns undefined where it is not, or not whole, or not what its name says */
  async get(name: Digest): Promise<Uint8Array | undefined> {
    const entry = await this.#entry(name);
    if (!entry) return undefined;
    const chunks: Uint8Array[] = [];
    let seq = 1;
    while (chunks.length < entry.chunks) {
      const batch = Math.min(CHUNKS_AT_ONCE, entry.chunks - chunks.length);
      const read = await this.#bus.directGet(this.#stream, {
        ...{ batch, seq, next_by_subj: this.#chunks(entry.nuid) },
      });
      if (read.length === 0) return undefined;
      chunks.push(...read.map(({ data }) => data));
      seq = Number(read.at(-1)!.header('Nats-Sequence')) + 1;
    }
    const bytes = concat(chunks);
    return toHex(sha256(bytes)) === name ? bytes : undefined;
  }

  async delete(name: Digest): Promise<void> {
    const entry = await this.#entry(name);
    if (!entry) return;
    for (const filter of [this.#entrySubject(name), this.#chunks(entry.nuid)])
      await this.#bus.api(`STREAM.PURGE.${this.#stream}`, { filter });
  }

  async #entry(name: Digest): Promise<Entry | undefined> {
    const message = await this.#bus.last(this.#stream, this.#entrySubject(name));
    const entry = message && (JSON.parse(new TextDecoder().decode(message.data)) as Entry);
    return entry?.deleted ? undefined : entry;
  }

  get #stream(): string {
    return `OBJ_${this.#bucket}`;
  }

  #chunks(nuid: string): string {
    return `$O.${this.#bucket}.C.${nuid}`;
  }

  #entrySubject(name: Digest): string {
    return `$O.${this.#bucket}.M.${padded(utf8(name))}`;
  }
}

/** Base 64 for URLs, with padding. */
const padded = (bytes: Uint8Array): string => toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_');

interface Entry {
  readonly name: string;
  readonly bucket: string;
  readonly nuid: string;
  readonly size: number;
  readonly chunks: number;
  readonly digest: string;
  readonly options: { readonly max_chunk_size: number };
  readonly deleted?: boolean;
}

/** 8 MiB on their way. */
const CHUNKS_AT_ONCE = 16;
const SLOW_MS = 30_000;

import { sha256 as sha256Of } from '#crypto';
import { concat, toHex } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';
import { KERNELS, type Objects } from '../coordinator/ports.ts';
import { isToken, streams, subjects } from '../subjects.ts';
import type { Bus } from './bus.ts';
import { asRefusal } from './bus-error.ts';
import { PART_BYTES } from './frame.ts';
import type { Incoming } from './incoming.ts';

/** Header of every piece: how many there are. */
const PIECES = 'svc-pieces';
/** What is smaller is written without a look whether it is there: once more it takes the place of itself. */
const LOOK_FIRST_BYTES = 64 * 1024;
/** 2 GiB: more than memory has for one. */
const MOST_PIECES = 4096;
/** Pieces that are on their way at once: 8 MiB. */
const AT_ONCE = 16;
const SLOW_MS = 30_000;

interface SubjectsInfo {
  readonly state: { readonly subjects?: Readonly<Record<string, number>> };
  readonly total?: number;
}

/**
 * Bytes of a run under their SHA-256, in pieces of 512 KiB, each the one message of its subject
 * `svc.segments.<run>.<sha256>.<piece>`. An object is there when all its pieces are and their hash is its name, so
 * whoever dies while writing leaves nothing that could be read; what is small is one message. All of it throws Refusal
 * MESH_UNAVAILABLE while the server is away, or takes no more.
 */
export class NatsObjects implements Objects {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  put(run: string, bytes: Uint8Array): Promise<Digest> {
    return this.#put(run, bytes).catch(asRefusal);
  }

  async #put(run: string, bytes: Uint8Array): Promise<Digest> {
    const name = toHex(sha256Of(bytes));
    const count = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
    if (bytes.length > LOOK_FIRST_BYTES && (await this.#piecesThere(run, name)) === count) return name;
    const headers = { [PIECES]: String(count) };
    await inTurns(count, (i) => {
      const piece = bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES);
      return this.#bus.persist(subjectOf(run, name, String(i)), piece, { headers, timeoutMs: SLOW_MS });
    });
    return name;
  }

  /** @returns undefined where it is not, or not whole, or not what its name says */
  get(run: string, sha256: Digest): Promise<Uint8Array | undefined> {
    return this.#get(run, sha256).catch(asRefusal);
  }

  async #get(run: string, sha256: Digest): Promise<Uint8Array | undefined> {
    const first = await this.#piece(run, sha256, 0);
    const count = Number(first?.header(PIECES) || 0);
    if (!first || !Number.isInteger(count) || count < 1 || count > MOST_PIECES) return undefined;
    const pieces = [first.data];
    await inTurns(count - 1, async (i) => {
      const piece = await this.#piece(run, sha256, i + 1);
      if (piece) pieces[i + 1] = piece.data;
    });
    if (Object.keys(pieces).length !== count) return undefined;
    const bytes = count === 1 ? first.data : concat(pieces);
    return toHex(sha256Of(bytes)) === sha256 ? bytes : undefined;
  }

  async delete(run: string, sha256: Digest): Promise<void> {
    await this.#purge(subjectOf(run, sha256, '*')).catch(asRefusal);
  }

  async forget(run: string): Promise<void> {
    await this.#purge(subjectOf(run, '>')).catch(asRefusal);
  }

  runs(): Promise<string[]> {
    return this.#runs().catch(asRefusal);
  }

  async #runs(): Promise<string[]> {
    const runs = new Set<string>();
    for (let seen = 0; ; ) {
      const { state, total = 0 } = await this.#info(subjects.segments('*', '*', '0'), seen);
      const page = Object.keys(state.subjects ?? {});
      for (const subject of page) runs.add(subject.split('.')[2]!);
      seen += page.length;
      if (page.length === 0 || seen >= total) break;
    }
    runs.delete(KERNELS);
    return [...runs];
  }

  async #piecesThere(run: string, name: Digest): Promise<number> {
    const { state } = await this.#info(subjectOf(run, name, '*'), 0);
    return Object.keys(state.subjects ?? {}).length;
  }

  #piece(run: string, sha256: Digest, piece: number): Promise<Incoming | undefined> {
    return this.#bus.last(streams.segments, subjectOf(run, sha256, String(piece)));
  }

  #info(filter: string, offset: number): Promise<SubjectsInfo> {
    return this.#bus.api(`STREAM.INFO.${streams.segments}`, { subjects_filter: filter, offset });
  }

  async #purge(filter: string): Promise<void> {
    await this.#bus.api(`STREAM.PURGE.${streams.segments}`, { filter }, { timeoutMs: SLOW_MS });
  }
}

/** A name with a dot or a star in it would be another subject. @throws RangeError */
function subjectOf(run: string, ...rest: readonly string[]): string {
  if (!isToken(run)) throw new RangeError('the name of a run is one token of a subject');
  return subjects.segments(run, ...rest);
}

/** Each of 0 … count − 1, some at once, in order of their beginning. */
async function inTurns(count: number, each: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const carry = async () => {
    while (next < count) await each(next++);
  };
  await Promise.all(Array.from({ length: Math.min(count, AT_ONCE) }, carry));
}

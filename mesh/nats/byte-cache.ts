interface Entry {
  readonly bytes: Promise<Uint8Array | undefined>;
  readonly untilMs: number;
  size: number;
}

const KEPT_MS = 15_000;
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Bytes that a node fetches piece by piece, so that each piece does not read the whole again. An entry belongs to one
 * node and one run, and lives for seconds: what a node may read is asked anew soon.
 */
export class ByteCache {
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  take(key: string, read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    this.#dropOld();
    const known = this.#entries.get(key);
    if (known) return known.bytes;
    const entry: Entry = { bytes: read(), untilMs: performance.now() + KEPT_MS, size: 0 };
    this.#entries.set(key, entry);
    void entry.bytes.then(
      (bytes) => this.#measure(key, entry, bytes),
      () => this.#drop(key, entry),
    );
    return entry.bytes;
  }

  /** What is not to be had is asked for again. */
  #measure(key: string, entry: Entry, bytes: Uint8Array | undefined): void {
    if (!bytes) this.#drop(key, entry);
    else if (this.#entries.get(key) === entry) {
      entry.size = bytes.length;
      this.#size += bytes.length;
      this.#dropOld();
    }
  }

  #dropOld(): void {
    const now = performance.now();
    for (const [key, entry] of this.#entries) {
      if (entry.untilMs > now && this.#size <= MOST_BYTES) return;
      this.#drop(key, entry);
    }
  }

  #drop(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}

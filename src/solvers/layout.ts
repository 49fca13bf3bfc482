const LONG = 64;
/** Whether this machine lays out numbers as kernels read them. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Writes a block of kernel parameters: little-endian f64 and i32 arrays at documented offsets. */
export class Layout {
  #view: DataView<ArrayBuffer>;
  #length = 0;

  /** @param room bytes that there will be, where that is known: laying out a few numbers costs less than a larger buffer */
  constructor(room = 256) {
    this.#view = new DataView(new ArrayBuffer(room));
  }

  get length(): number {
    return this.#length;
  }

  f64(...values: readonly number[]): this {
    return this.f64s(values);
  }

  f64s(values: ArrayLike<number>): this {
    const count = values.length;
    const at = this.#take(8 * count);
    const view = this.#view;
    // Millions of them in one call: the event loop waits for it.
    if (count > LONG && isLittleEndian) new Float64Array(view.buffer, at, count).set(values);
    else for (let i = 0; i < count; i++) view.setFloat64(at + 8 * i, values[i]!, true);
    return this;
  }

  i32(...values: readonly number[]): this {
    return this.i32s(values);
  }

  /** Followed by padding to the next multiple of 8, so that f64 stay aligned. */
  i32s(values: ArrayLike<number>): this {
    const count = values.length;
    const at = this.#take(8 * Math.ceil(count / 2));
    for (let i = 0; i < count; i++) this.#view.setInt32(at + 4 * i, values[i]!, true);
    return this;
  }

  /** A 64-bit integer as two f64 of 32 bits each, low word first. */
  u64(value: bigint): this {
    return this.f64(Number(value & 0xffffffffn), Number(value >> 32n));
  }

  /** Bytes that are laid out already, a multiple of 8. */
  block(bytes: Uint8Array): this {
    const at = this.#take(bytes.length);
    new Uint8Array(this.#view.buffer).set(bytes, at);
    return this;
  }

  bytes(): Uint8Array {
    const { buffer } = this.#view;
    // What is full is given as it is: whatever is written after it goes to another.
    return new Uint8Array(this.#length === buffer.byteLength ? buffer : buffer.slice(0, this.#length));
  }

  /** Room for so many zero bytes more; where it begins. In one buffer that doubles: rows of ten numbers come by thousands. */
  #take(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#view.byteLength) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * at));
      larger.set(new Uint8Array(this.#view.buffer, 0, at));
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

/**
 * Steps per segment: so many that hashing the state stays under about 1 % of the work. A verifier reads the number in
 * the answer.
 */
export function segmentSteps(stateBytes: number, workPerStep: number): number {
  const work = Math.max(2 ** 27, 2 ** 7 * stateBytes);
  return Math.max(1, Math.floor(work / workPerStep));
}

/** The default seed of a request: the first 8 bytes of its hash, little endian. */
export function defaultSeed(requestHash: Uint8Array): bigint {
  return new DataView(requestHash.buffer, requestHash.byteOffset, 8).getBigUint64(0, true);
}

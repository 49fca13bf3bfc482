/** Writes a block of kernel parameters: little-endian f64 and i32 arrays at documented offsets. */
export class Layout {
  #parts: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  f64(...values: readonly number[]): this {
    return this.f64s(values);
  }

  f64s(values: ArrayLike<number>): this {
    const view = new DataView(new ArrayBuffer(8 * values.length));
    for (let i = 0; i < values.length; i++) view.setFloat64(8 * i, values[i]!, true);
    return this.#push(new Uint8Array(view.buffer));
  }

  i32(...values: readonly number[]): this {
    return this.i32s(values);
  }

  /** Followed by padding to the next multiple of 8, so that f64 stay aligned. */
  i32s(values: ArrayLike<number>): this {
    const view = new DataView(new ArrayBuffer(8 * Math.ceil(values.length / 2)));
    for (let i = 0; i < values.length; i++) view.setInt32(4 * i, values[i]!, true);
    return this.#push(new Uint8Array(view.buffer));
  }

  /** A 64-bit integer as two f64 of 32 bits each, low word first. */
  u64(value: bigint): this {
    return this.f64(Number(value & 0xffffffffn), Number(value >> 32n));
  }

  /** Bytes that are laid out already, a multiple of 8. */
  block(bytes: Uint8Array): this {
    return this.#push(bytes);
  }

  bytes(): Uint8Array {
    const whole = new Uint8Array(this.#length);
    let offset = 0;
    for (const part of this.#parts) {
      whole.set(part, offset);
      offset += part.length;
    }
    return whole;
  }

  #push(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}

/**
 * Steps per segment by the rule of docs/protocol.md, 'Segment length': so many that hashing the state stays
 * under about 1 % of the work.
 */
export function segmentSteps(stateBytes: number, workPerStep: number): number {
  const work = Math.max(2 ** 27, 2 ** 7 * stateBytes);
  return Math.max(1, Math.floor(work / workPerStep));
}

/** The default seed of a request: the first 8 bytes of its hash, little endian. */
export function defaultSeed(requestHash: Uint8Array): bigint {
  return new DataView(requestHash.buffer, requestHash.byteOffset, 8).getBigUint64(0, true);
}

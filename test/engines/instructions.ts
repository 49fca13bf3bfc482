/**
 * Reads a WebAssembly module's instructions one by one and names those that a kernel may not have (docs/protocol.md,
 * 'Kernel'): relaxed SIMD, which alone can fuse a multiplication with an addition and gives other bits on other
 * machines; atomics; tail calls; references; exceptions.
 */
export function forbiddenInstructions(module: Uint8Array): string[] {
  const reader = new Reader(module, 8);
  const found: string[] = [];
  while (reader.at < module.length) {
    const section = reader.byte();
    const end = reader.integer() + reader.at;
    if (section === CODE) found.push(...forbiddenInCode(reader));
    reader.at = end;
  }
  return found;
}

const CODE = 10;
const END = 0x0b;

class Reader {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.#bytes[this.at++]!;
  }

  /** LEB128; only lengths and opcodes are needed as numbers, and they are small. */
  integer(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  integers(count: number): void {
    for (let i = 0; i < count; i++) this.integer();
  }

  list(): void {
    this.integers(this.integer());
  }

  skip(bytes: number): void {
    this.at += bytes;
  }
}

function forbiddenInCode(reader: Reader): string[] {
  const found: string[] = [];
  const functions = reader.integer();
  for (let i = 0; i < functions; i++) {
    const end = reader.integer() + reader.at;
    for (let groups = reader.integer(); groups > 0; groups--) reader.integers(2);
    let last = END;
    while (reader.at < end) {
      last = reader.byte();
      const name = passInstruction(last, reader);
      if (name !== undefined) found.push(`${name} in function ${i}`);
      if (name?.startsWith('unknown')) return found;
    }
    if (reader.at !== end || last !== END) throw new Error(`function ${i} was not read to its end`);
  }
  return found;
}

const within = (opcode: number, from: number, to: number) => opcode >= from && opcode <= to;

/** Passes over the immediates of an instruction; gives its name where it is forbidden. */
function passInstruction(opcode: number, reader: Reader): string | undefined {
  if (opcode === 0xfd) return passVector(reader.integer(), reader);
  if (opcode === 0xfc) return passMiscellaneous(reader.integer(), reader);
  if (opcode === 0xfe) return `unknown: atomic 0x${reader.integer().toString(16)}`;
  if (within(opcode, 0x02, 0x04) || within(opcode, 0x0c, 0x0d) || opcode === 0x10) reader.integer();
  else if (opcode === 0x0e) {
    reader.list();
    reader.integer();
  } else if (opcode === 0x11 || within(opcode, 0x28, 0x3e)) reader.integers(2);
  else if (within(opcode, 0x20, 0x24) || within(opcode, 0x3f, 0x42)) reader.integer();
  else if (opcode === 0x43) reader.skip(4);
  else if (opcode === 0x44) reader.skip(8);
  else if (!isPlain(opcode)) return `unknown: 0x${opcode.toString(16)}`;
  return undefined;
}

/** Control, drop and select, then comparison, arithmetic and sign extension: no immediates. */
const isPlain = (opcode: number) =>
  [0x00, 0x01, 0x05, END, 0x0f, 0x1a, 0x1b].includes(opcode) || within(opcode, 0x45, 0xc4);

/** Conversions that do not trap and bulk memory. */
function passMiscellaneous(opcode: number, reader: Reader): string | undefined {
  const integers = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2][opcode];
  if (integers === undefined) return `unknown: 0xfc 0x${opcode.toString(16)}`;
  reader.integers(integers);
  return undefined;
}

function passVector(opcode: number, reader: Reader): string | undefined {
  if (opcode >= 0x100) return `relaxed SIMD 0x${opcode.toString(16)}`;
  if (opcode <= 11 || opcode === 92 || opcode === 93) reader.integers(2);
  else if (opcode <= 13) reader.skip(16);
  else if (within(opcode, 21, 34)) reader.skip(1);
  else if (within(opcode, 84, 91)) {
    reader.integers(2);
    reader.skip(1);
  }
  return undefined;
}

import { concat, split, utf8 } from '../proof/bytes.ts';
import type { FinishedRun } from '../proof/job.ts';

/** Byte strings with a JSON heading: u32 heading length, heading, bytes. For records of our own, not for proofs. */
interface Packet {
  readonly heading: Record<string, unknown>;
  readonly pieces: readonly Uint8Array[];
}

function encode({ heading, pieces }: Packet): Uint8Array {
  const text = utf8(JSON.stringify({ ...heading, lengths: pieces.map((piece) => piece.length) }));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, text.length, true);
  return concat([size, text, ...pieces]);
}

function decode(bytes: Uint8Array): Packet {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const { lengths, ...heading } = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  return { heading, pieces: split(bytes.slice(4 + size), lengths as number[]) };
}

export function encodeRun(run: FinishedRun): Uint8Array {
  const { digests, rows, result, work, ...rest } = run;
  const heading = { ...rest, work: String(work), segments: digests.length };
  return encode({ heading, pieces: [result, ...digests, ...rows] });
}

export function decodeRun(bytes: Uint8Array): FinishedRun {
  const { heading, pieces } = decode(bytes);
  const { segments, work, ...rest } = heading as unknown as Omit<FinishedRun, 'work'> & {
    segments: number;
    work: string;
  };
  const [result, ...others] = pieces;
  const digests = others.slice(0, segments);
  return { ...rest, work: BigInt(work), result: result!, digests, rows: others.slice(segments) };
}

/** Digests and rows of the segments between two checkpoints. */
export function encodePieces(digests: readonly Uint8Array[], rows: readonly Uint8Array[]): Uint8Array {
  return encode({ heading: { segments: digests.length }, pieces: [...digests, ...rows] });
}

export function decodePieces(bytes: Uint8Array): { digests: Uint8Array[]; rows: Uint8Array[] } {
  const { heading, pieces } = decode(bytes);
  const segments = heading.segments as number;
  return { digests: pieces.slice(0, segments), rows: pieces.slice(segments) };
}

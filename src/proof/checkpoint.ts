import { fromBase64, toBase64 } from './bytes.ts';
import { type Note, type NoteSigner, readNote } from './note.ts';

/** The head of a log as a signed note (C2SP tlog-checkpoint), and proofs as text (C2SP tlog-proof). */
export interface Checkpoint {
  /** The log's name: the id of its node. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: Note;
}

const decimal = /^(?:0|[1-9][0-9]{0,15})$/;

export function checkpointText(signer: NoteSigner, size: number, root: Uint8Array): string {
  return signer.sign(`${signer.name}\n${size}\n${toBase64(root)}\n`);
}

/** Throws a RangeError for what is not a checkpoint. Whether it is signed is another question: `isSignedBy`. */
export function readCheckpoint(text: string): Checkpoint {
  const note = readNote(text);
  const [origin, size, root, ...rest] = note.text.split('\n');
  if (!origin) throw new RangeError('a checkpoint starts with its origin');
  if (!size || !decimal.test(size))
    throw new RangeError('the second line of a checkpoint is the size of the tree');
  const bytes = fromBase64(root ?? '');
  if (bytes.length !== 32)
    throw new RangeError('the third line of a checkpoint is a 32-byte root in base 64');
  if (rest.slice(0, -1).includes('')) throw new RangeError('extension lines of a checkpoint are not empty');
  return { origin, size: Number(size), root: bytes, note };
}

/** Where an envelope stands in its node's log: what a receipt holds. */
export interface LogProof {
  readonly index: number;
  /** Inclusion proof, base 64, from the leaf's sibling up. */
  readonly path: readonly string[];
  readonly checkpoint: string;
}

const proofHeader = 'c2sp.org/tlog-proof@v1';

/** A `.tlog-proof` file. */
export function logProofText(proof: LogProof): string {
  return [proofHeader, `index ${proof.index}`, ...proof.path, '', proof.checkpoint].join('\n');
}

/** Throws a RangeError for what is no proof. An `extra` line is passed over: it is not authenticated. */
export function readLogProof(text: string): LogProof {
  const cut = text.indexOf('\n\n');
  const lines = text.slice(0, cut < 0 ? undefined : cut).split('\n');
  if (cut < 0 || lines.shift() !== proofHeader)
    throw new RangeError(`a log proof starts with ${proofHeader}`);
  if (lines[0]?.startsWith('extra ')) lines.shift();
  const index = /^index (.*)$/.exec(lines.shift() ?? '')?.[1] ?? '';
  if (!decimal.test(index)) throw new RangeError('a log proof names the index of its leaf');
  for (const line of lines) if (fromBase64(line).length !== 32) throw new RangeError('a hash has 32 bytes');
  return { index: Number(index), path: lines, checkpoint: text.slice(cut + 2) };
}

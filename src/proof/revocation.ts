import { refuse } from '../errors/refusal.ts';
import { fromBase64, toHex, utf8 } from './bytes.ts';
import { canonicalText } from './canonical.ts';
import { type Checkpoint, readCheckpoint } from './checkpoint.ts';
import { type Decimal, type Envelope, envelopeBytes } from './envelope.ts';
import type { Digest } from './job.ts';
import { verifyInclusion } from './log-tree.ts';
import { leafHash } from './merkle.ts';
import { isSignedBy, readVkey } from './note.ts';
import {
  base64,
  count,
  decimal,
  digest,
  isRecord,
  list,
  nullable,
  record,
  type Shape,
  string,
  unreadable,
  word,
} from './shape.ts';
import { parseStrictJson } from './strict-json.ts';

// What takes a sealed result back (docs/protocol.md, 'Challenges and revocation').

/** A leaf of the log of the node that sealed a result, by which it takes the result back. */
export interface Revocation {
  /** Leaf hash of the envelope that is revoked. */
  readonly envelope: Digest;
  /** Its leaf in the same log. */
  readonly index: number;
  readonly token_id: string;
  readonly outcome: 'contributor_wrong' | 'not_reproducible';
  readonly challenge: string;
  /** Leaf hash of the verdict, which is a leaf too. */
  readonly verdict: Digest;
  readonly verdict_index: number;
  readonly node: string;
  readonly tick: number;
  readonly t_ns: Decimal;
}

const heading = 'svc-revocation-1';

const revocationShape = record({
  envelope: digest,
  index: count,
  token_id: string,
  outcome: word('contributor_wrong', 'not_reproducible'),
  challenge: string,
  verdict: digest,
  verdict_index: count,
  node: string,
  tick: count,
  t_ns: decimal,
});

/** The leaf's text: two lines, so that it can be neither an envelope nor a verdict. */
export function revocationText(revocation: Revocation): string {
  return `${heading}\n${canonicalText(revocation)}\n`;
}

/** @throws Refusal INVALID_INPUT for what is no revocation, to the byte */
export function readRevocation(text: string, at = ''): Revocation {
  const [first, line, ...rest] = text.split('\n');
  const content = first === heading && rest.join('') === '' ? parsed(line ?? '') : undefined;
  if (!isRecord(content)) return unreadable(at, 'the leaf of a revocation');
  revocationShape(content, at);
  const revocation = content as unknown as Revocation;
  if (revocationText(revocation) !== text) unreadable(at, 'a revocation in canonical JSON');
  return revocation;
}

function parsed(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    return undefined;
  }
}

/** How an envelope is called in verdicts and revocations. */
export const leafHashOf = (envelope: Envelope): Digest => toHex(leafHash(envelopeBytes(envelope)));

/** Revocations since a checkpoint, as a node lists them: each with its proof against the node's newest checkpoint. */
export interface RevocationPage {
  readonly node: string;
  /** Leaves from here on were looked at. */
  readonly since: number;
  readonly checkpoint: string | null;
  readonly revocations: readonly {
    readonly index: number;
    readonly leaf: string;
    readonly path: readonly string[];
  }[];
  /** `since` of the next page; null where this is the last. */
  readonly next: number | null;
}

const pageShape: Shape = record({
  node: string,
  since: count,
  checkpoint: nullable(string),
  revocations: list(record({ index: count, leaf: string, path: list(base64) })),
  next: nullable(count),
});

export interface ReadRevocations {
  readonly revocations: readonly Revocation[];
  /** Undefined where the node's log is empty. */
  readonly checkpoint: Checkpoint | undefined;
  readonly next: number | null;
}

/**
 * Reads a page of `node`'s revocations with the keys that one trusts: the checkpoint is signed by the node, and every
 * revocation is in its log. That none is left out is the node's word (docs/protocol.md, 'What is not protected').
 * @throws Refusal INVALID_INPUT for a page that does not prove what it says
 */
export function readRevocations(page: unknown, node: string, vkeys: readonly string[]): ReadRevocations {
  pageShape(page, '');
  const { checkpoint: note, revocations, next } = page as RevocationPage;
  const checkpoint = note === null ? undefined : signedCheckpoint(note, node, vkeys);
  return {
    revocations: revocations.map((entry, i) => included(entry, checkpoint, `/revocations/${i}`)),
    checkpoint,
    next,
  };
}

function signedCheckpoint(note: string, node: string, vkeys: readonly string[]): Checkpoint {
  const checkpoint = attempt(() => readCheckpoint(note));
  const vkey = vkeys.map(readVkey).find(({ name }) => name === node);
  if (checkpoint?.origin !== node || !vkey || !isSignedBy(checkpoint.note, vkey))
    return unsound('/checkpoint', `it is not signed by a trusted key of ${node}`);
  return checkpoint;
}

function included(
  { index, leaf, path }: RevocationPage['revocations'][number],
  checkpoint: Checkpoint | undefined,
  at: string,
): Revocation {
  const revocation = readRevocation(leaf, `${at}/leaf`);
  const hash = leafHash(utf8(leaf));
  const isIn =
    checkpoint && verifyInclusion(index, checkpoint.size, hash, path.map(fromBase64), checkpoint.root);
  if (!isIn) unsound(`${at}/path`, 'leaf, index and path do not lead to the root of the checkpoint');
  return revocation;
}

function unsound(at: string, why: string): never {
  return refuse('INVALID_INPUT', `The node's list of revocations proves nothing at ${at}: ${why}.`, {
    field: at,
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

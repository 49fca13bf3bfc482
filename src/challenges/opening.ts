import { sha256 } from '#crypto';
import { areChildrenOf, type Children, narrowed } from '../../mesh/decide/bisection.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { equalBytes, toHex, utf8 } from '../proof/bytes.ts';
import { canonicalBytes, canonicalText } from '../proof/canonical.ts';
import { envelopes } from '../spine/records.ts';
import type { Reader } from '../store/store.ts';
import type { Claim, Dispute, SealedClaim } from './claims.ts';
import type { DigestTree } from './digest-tree.ts';

/** What a challenger sends: the envelope shows that it holds the receipt, whose leaf nobody can guess. */
export interface ChallengeBody extends Claim {
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly run: number;
}

/** Plancks that an exchange and its records cost at least: 1 s of the reference core. */
const LEAST_STAKE = 1_000_000_000n;

/** Twice the work of the run: what it costs to run it here and on a third node. */
export function stakeFor({ work }: Pick<SealedClaim, 'work'>): bigint {
  const twice = 2n * BigInt(work);
  return twice > LEAST_STAKE ? twice : LEAST_STAKE;
}

/** Made of the challenger and its claim, so that a repeat is the same challenge. @param attempt from 0 on */
export function challengeId(
  account: string,
  tokenId: string,
  { run, root, resultHash, work, segments }: ChallengeBody,
  attempt: number,
): string {
  const claim = { account, token_id: tokenId, run, root, resultHash, work, segments };
  const content = canonicalText(attempt === 0 ? claim : { ...claim, attempt });
  return `chl_${toHex(sha256(utf8(content))).slice(0, 32)}`;
}

/** Scalars and lists of text, as an envelope has them: nothing that nests. */
const isFlat = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** The coin that an envelope names, if it can be one of ours. @throws Refusal NOT_FOUND */
export function tokenOf(envelope: ChallengeBody['envelope']): string {
  const { token_id } = envelope;
  const isOurs = typeof token_id === 'string' && /^[\x21-\x7e]{1,200}$/.test(token_id);
  return isOurs && Object.values(envelope).every(isFlat) ? token_id : refuseEnvelope();
}

const refuseEnvelope = (): never =>
  refuse('NOT_FOUND', 'This node has sealed no result with this envelope.', { field: 'envelope' });

/**
 * The coin that an envelope names, where this node sealed these very bytes and has not taken them back.
 * @throws Refusal NOT_FOUND · CONFLICT
 */
export async function sealedCoin(
  reader: Reader,
  node: string,
  envelope: ChallengeBody['envelope'],
): Promise<{ tokenId: string; job: string }> {
  const row = await reader.get(envelopes, { token_id: tokenOf(envelope) });
  if (!row || !equalBytes(row.envelope, bytesOf(envelope))) return refuseEnvelope();
  if (row.node !== node)
    refuse('CONFLICT', `This result was sealed by ${row.node}, which settles what is said against it.`, {
      node: row.node,
    });
  if (row.revoked_ns !== null) {
    const challenge = row.locked_by?.replace(/^void\//, '');
    refuse('CONFLICT', `This result was revoked by the verdict of ${challenge}.`, { challenge });
  }
  return { tokenId: row.token_id, job: row.job };
}

function bytesOf(envelope: ChallengeBody['envelope']): Uint8Array {
  try {
    return canonicalBytes(envelope);
  } catch {
    return new Uint8Array(0); // half of a surrogate pair, or no finite number
  }
}

/**
 * Where claim and seal part, as far as the roots tell; where these are equal, in the last segment.
 * @throws Refusal INVALID_INPUT for a claim that says what was sealed
 */
export function firstDispute(sealed: SealedClaim, claim: Claim, tree: DigestTree): Dispute {
  const whole = { from: 0, count: sealed.segments + 1 };
  if (claim.root !== sealed.root) return shown({ ...whole, sealed: sealed.root, claimed: claim.root }, tree);
  const isSame = (['resultHash', 'work', 'segments'] as const).every((name) => claim[name] === sealed[name]);
  if (isSame)
    refuse('INVALID_INPUT', 'The claim says what was sealed: there is nothing to settle.', { field: 'root' });
  const from = Math.floor(sealed.segments / tree.span) * tree.span;
  const count = whole.count - from;
  const hash = tree.node(from, count);
  return { from, count, sealed: hash, claimed: hash };
}

/** With the children of the sealed node, unless the search ends here. */
function shown(dispute: Omit<Dispute, 'children'>, tree: DigestTree): Dispute {
  const { from, count } = dispute;
  return isOver(dispute, tree) ? dispute : { ...dispute, children: tree.children(from, count) };
}

const isOver = ({ count }: Pick<Dispute, 'count'>, { span }: DigestTree): boolean => count <= span;

/**
 * The dispute after the challenger has shown its children of the node at hand.
 * @throws Refusal INVALID_INPUT for children that do not hash to it
 */
export function narrowedBy(dispute: Dispute, claimed: Children, tree: DigestTree): Dispute {
  if (!areChildrenOf(dispute.claimed, claimed))
    throw new Refusal(
      'INVALID_INPUT',
      'left and right do not hash to the node that the challenger is held to.',
      {
        field: 'left',
        accepts: `children of ${dispute.claimed}`,
      },
    );
  const { from, count, sealed, claimed: own } = dispute;
  const next = narrowed({ from, count, hashes: [sealed, own] }, [dispute.children!, claimed]);
  return shown({ from: next.from, count: next.count, sealed: next.hashes[0], claimed: next.hashes[1] }, tree);
}

import type { Children } from '../../mesh/decide/bisection.ts';
import { leftCount } from '../../mesh/decide/bisection.ts';
import type { RunEntry } from '../proof/answer.ts';
import { fromHex, toHex } from '../proof/bytes.ts';
import type { Digest } from '../proof/job.ts';
import { leafHash, nodeLevel, rootOfHashes } from '../proof/merkle.ts';

/**
 * The Merkle tree over D₀ … D_n (RFC 6962), as far down as its nodes are known: an answer lists at most 16,384 of
 * them, of level j where the digests are more, each over 2^j leaves.
 */
export class DigestTree {
  readonly level: number;
  readonly #nodes: readonly Uint8Array[];
  readonly #digests: readonly Uint8Array[] | undefined;

  private constructor(level: number, nodes: readonly Uint8Array[], digests?: readonly Uint8Array[]) {
    this.level = level;
    this.#nodes = nodes;
    this.#digests = digests;
  }

  /** As an answer lists it. */
  static of({ digests }: Pick<RunEntry, 'digests'>): DigestTree {
    if (!('nodes' in digests)) return DigestTree.over(digests.map(fromHex), 0);
    return new DigestTree(digests.level, digests.nodes.map(fromHex));
  }

  /** Over digests, as far down as a level. */
  static over(digests: readonly Uint8Array[], level: number): DigestTree {
    return new DigestTree(level, nodeLevel(digests.map(leafHash), level), digests);
  }

  /** D_k, where the digests themselves are known. */
  leaf(k: number): Uint8Array | undefined {
    return this.#digests?.[k];
  }

  /** Leaves under a node of the lowest level that is known: a dispute goes no further down. */
  get span(): number {
    return 2 ** this.level;
  }

  get root(): Digest {
    return toHex(rootOfHashes(this.#nodes));
  }

  /** The node over leaves from … from + count − 1, where that is one. */
  node(from: number, count: number): Digest {
    const [first, end] = [from / this.span, Math.ceil((from + count) / this.span)];
    return toHex(rootOfHashes(this.#nodes.slice(first, end)));
  }

  children(from: number, count: number): Children {
    const left = leftCount(count);
    return { left: this.node(from, left), right: this.node(from + left, count - left) };
  }

  /** Whether the leaves before `from` are the same in both, which are known to the same level. */
  startsLike(other: DigestTree, from: number): boolean {
    const count = from / this.span;
    return this.#nodes
      .slice(0, count)
      .every((node, i) => toHex(node) === (other.#nodes[i] && toHex(other.#nodes[i])));
  }
}

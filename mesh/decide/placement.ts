import { sha256 } from '#crypto';
import { toHex, utf8 } from '../../src/proof/bytes.ts';
import type { NodeFacts } from './run.ts';

const placeTag = utf8('SVC-PLACE-1\0');

/** Who must not be asked: the sides of a dispute, and whoever shares an owner with one. */
export interface Sides {
  readonly nodes: ReadonlySet<string>;
  readonly owners: ReadonlySet<string>;
  /** Engines of the sides: in half of the draws another one is asked first where it is to be had. */
  readonly engines: ReadonlySet<string>;
}

/**
 * The nodes that may run a second or third execution, in the order in which they are asked: rendezvous hashing
 * (Thaler and Ravishankar 1998) on a beacon that nobody knew before. In half of the draws other engines and processors
 * come first, so that what one of them gets wrong is found by another; not in all, because a node names its engine
 * itself, and an accomplice under a name of its own would be asked for every check of a liar.
 */
export function placementOrder(
  candidates: readonly NodeFacts[],
  sides: Sides,
  beacon: Uint8Array,
  subject: string,
): NodeFacts[] {
  const drawn = (name: string) => sha256(placeTag, beacon, utf8(`${subject}\n${name}`));
  const weight = ({ id }: NodeFacts) => toHex(drawn(id));
  const prefersOthers = drawn('other engines first')[0]! < 128;
  return candidates
    .filter(({ id, owner }) => !sides.nodes.has(id) && !sides.owners.has(owner))
    .map((node) => ({
      node,
      same: prefersOthers && sides.engines.has(node.engine) ? 1 : 0,
      weight: weight(node),
    }))
    .sort((a, b) => a.same - b.same || (a.weight < b.weight ? -1 : 1))
    .map(({ node }) => node);
}

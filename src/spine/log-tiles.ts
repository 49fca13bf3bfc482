import { concat } from '../proof/bytes.ts';
import { frontierAddresses, type LogNode, type LogState, type NodeReader } from '../proof/log-tree.ts';
import { rootOfHashes } from '../proof/merkle.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { logTiles } from './records.ts';

/** Hashes of a level in a tile, and levels between two tiles (the tiles of C2SP tlog-tiles). */
const WIDTH = 256;
const HEIGHT = 8;

/** Adds the new nodes of a batch to their tiles: a row or two a batch, however many leaves it has. */
export async function storeNodes(tx: Transaction, node: string, nodes: readonly LogNode[]): Promise<void> {
  const kept = nodes.filter(({ level }) => level % HEIGHT === 0);
  for (const [name, added] of grouped(kept)) {
    const [level, tile] = name.split('/') as [string, string];
    const key = { node, level: BigInt(level), tile: BigInt(tile) };
    const before = (await tx.get(logTiles, key))?.hashes ?? new Uint8Array(0);
    if (before.length !== 32 * (added[0]!.index % WIDTH))
      throw new Error(`tile ${name} of the log has a gap`);
    await tx.put(logTiles, { ...key, hashes: concat([before, ...added.map(({ hash }) => hash)]) });
  }
}

/** Where a node of the log is kept: undefined for the levels between two tiles. */
export function tileOf(level: number, index: number): { tile: number } | undefined {
  return level % HEIGHT === 0 ? { tile: Math.floor(index / WIDTH) } : undefined;
}

function grouped(nodes: readonly LogNode[]): Map<string, LogNode[]> {
  const tiles = new Map<string, LogNode[]>();
  for (const node of nodes) {
    const name = `${node.level}/${Math.floor(node.index / WIDTH)}`;
    const tile = tiles.get(name);
    if (tile) tile.push(node);
    else tiles.set(name, [node]);
  }
  return tiles;
}

/** A log as it was with its first `size` leaves. Throws where a tile is missing. */
export async function stateAt(reader: Reader, node: string, size: number): Promise<LogState> {
  const nodes = tiledNodes(reader, node);
  const frontier: Uint8Array[] = [];
  for (const { level, index } of frontierAddresses(size)) frontier.push(await nodes.node(level, index));
  return { size, frontier };
}

/** Reads any perfect node of a log: it is the root over the hashes of a tile below it. */
export function tiledNodes(reader: Reader, node: string): NodeReader {
  return {
    node: async (level, index) => {
      const above = level % HEIGHT;
      const span = 2 ** above;
      const first = index * span;
      const key = { node, level: BigInt(level - above), tile: BigInt(Math.floor(first / WIDTH)) };
      const hashes = (await reader.get(logTiles, key))?.hashes;
      const from = 32 * (first % WIDTH);
      if (!hashes || hashes.length < from + 32 * span)
        throw new Error(`the log lacks node (${level}, ${index})`);
      return rootOfHashes(
        Array.from({ length: span }, (_, i) => hashes.slice(from + 32 * i, from + 32 * i + 32)),
      );
    },
  };
}

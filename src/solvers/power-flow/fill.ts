// What a factorisation of the network's matrix takes, by the order of least degree that assembly/power/blocks.ts eliminates
// buses in (ties: the lower index): the same graph, so that the counts are those of the kernel.

export interface Fill {
  /** Products of 2 × 2 blocks. */
  readonly products: number;
  /** Blocks of both factors. */
  readonly blocks: number;
}

interface Branch {
  readonly from: number;
  readonly to: number;
}

/** Counts stop where there are more products than `most`. */
export function fillOf(buses: number, branches: readonly Branch[], most: number): Fill {
  const graph = Array.from({ length: buses }, () => new Set<number>());
  for (const { from, to } of branches) {
    graph[from]!.add(to);
    graph[to]!.add(from);
  }
  const left = new Set(graph.keys());
  let [products, blocks] = [0, buses];
  while (left.size > 0 && products <= most) {
    const next = leastDegree(graph, left);
    const degree = graph[next]!.size;
    products += degree * degree + 2 * degree + 1;
    blocks += 2 * degree;
    eliminate(graph, next);
    left.delete(next);
  }
  return { products, blocks };
}

function leastDegree(graph: readonly ReadonlySet<number>[], left: ReadonlySet<number>): number {
  let best = -1;
  for (const bus of left) if (best < 0 || graph[bus]!.size < graph[best]!.size) best = bus;
  return best;
}

/** Neighbours of a bus that goes become neighbours of each other. */
function eliminate(graph: readonly Set<number>[], bus: number): void {
  const neighbours = [...graph[bus]!];
  for (const a of neighbours) {
    graph[a]!.delete(bus);
    for (const b of neighbours) if (b !== a) graph[a]!.add(b);
  }
}

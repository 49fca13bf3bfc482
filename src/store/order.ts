import type { OrderBy } from './store.ts';
import type { Columns, Table } from './table.ts';

export type Order = readonly (readonly [column: string, direction: 'asc' | 'desc'])[];

/** The order with the key appended: total, so that pages neither repeat nor skip a row. */
export function totalOrder(t: Table, orderBy: OrderBy<Columns> = {}): Order {
  const order = Object.entries(orderBy) as [string, 'asc' | 'desc'][];
  const named = new Set(order.map(([column]) => column));
  const last = order.at(-1)?.[1] ?? 'asc';
  return [...order, ...t.key.filter((k) => !named.has(k)).map((k) => [k, last] as const)];
}

import type { Schema } from '../../src/store/schema.ts';
import { table } from '../../src/store/table.ts';

/**
 * Events that a service node told or heard, each once: the key refuses what comes again, also when another process has
 * taken it in. Every service node keeps its own, so that two nodes on one store can still be compared.
 */
export const gossipEvents = table({
  name: 'gossip_events',
  key: ['holder', 'id'],
  columns: {
    /** Sender id of the service node that holds it. */
    holder: 'text',
    id: 'text',
    kind: 'text',
    sender: 'text',
    tick: 'int64',
    /** The event as it was signed. */
    event: 'json',
    heard_ns: 'int64',
  },
  indexes: [{ columns: ['holder', 'tick'] }],
});

export const gossipSchema: Schema = { feature: 'gossip', tables: [gossipEvents] };

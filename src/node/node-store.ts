import { beaconSchema } from '../../mesh/beacons.ts';
import { gossipSchema } from '../../mesh/gossip/records.ts';
import { meshSchema } from '../../mesh/records.ts';
import { accountsSchema } from '../accounts/records.ts';
import { challengesSchema } from '../challenges/records.ts';
import { contributeSchema } from '../contribute/records.ts';
import { ledgerSchema } from '../ledger/records.ts';
import { spineSchema } from '../spine/schema.ts';
import { blobSchema } from '../store/blob-records.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { uploadsSchema } from '../uploads/records.ts';

/** Everything that this version keeps; a store is opened with it, a backup needs none of it. */
export const schemas = [
  ...[blobSchema, ledgerSchema, accountsSchema, spineSchema, uploadsSchema],
  ...[meshSchema, challengesSchema, contributeSchema, gossipSchema, beaconSchema],
];

/** Where a node keeps its records. */
export interface StorePlace {
  /** Folder of the node's own files: keys and, with the embedded store, everything. */
  readonly dataDir: string;
  /** Absent: the embedded store in `dataDir`. */
  readonly mongo?: { readonly uri: string; readonly database: string };
}

/** The store of a node, beside the node or without it: no solver is loaded, no thread started. */
export function openNodeStore({ dataDir, mongo }: StorePlace): Promise<Store> {
  return openStore(mongo ? { mongoUri: mongo.uri, database: mongo.database } : { dataDir }, schemas);
}

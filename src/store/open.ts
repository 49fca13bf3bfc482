import { type EmbeddedOptions, EmbeddedStore } from './embedded/embedded.ts';
import type { MongoOptions } from './mongodb/mongodb.ts';
import type { Schema } from './schema.ts';
import type { Store } from './store.ts';

/** Where a store is: a folder of this machine, or a database of a MongoDB replica set. */
export type StoreConfig = EmbeddedOptions | MongoOptions;

/**
 * Opens a store, makes the tables and indexes that the schemas declare and runs migrations that are still to run.
 * Several processes may do this at once.
 *
 * @throws Refusal STORE_UNAVAILABLE: out of reach, not writable, written by a newer version, or a MongoDB
 *   deployment without transactions
 */
export async function openStore(config: StoreConfig, schemas: readonly Schema[]): Promise<Store> {
  assertNamesAreUnique(schemas);
  if ('dataDir' in config) return EmbeddedStore.open(config, schemas);
  const { MongoStore } = await import('./mongodb/mongodb.ts'); // a tenth of a second that few have use for
  return MongoStore.open(config, schemas);
}

function assertNamesAreUnique(schemas: readonly Schema[]): void {
  const names = schemas.flatMap((s) => [`feature ${s.feature}`, ...s.tables.map((t) => `table ${t.name}`)]);
  for (const [i, name] of names.entries())
    if (names.indexOf(name) !== i) throw new TypeError(`${name} is declared twice`);
}

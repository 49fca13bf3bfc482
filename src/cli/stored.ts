import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from '../accounts/accounts.ts';
import { systemClock } from '../clock/clock.ts';
import { Refusal } from '../errors/refusal.ts';
import { settings } from '../main.ts';
import { openNodeStore } from '../node/node-store.ts';
import { knownKeys } from '../spine/identity.ts';
import { FolderHead } from '../spine/published-head.ts';
import type { OwnLog } from '../spine/restored-log.ts';
import type { Store } from '../store/store.ts';
import type { CommonOptions } from './options.ts';

/** Opens the store of the data folder for one command that runs nothing, beside a running node or without one. */
export async function withStore<T>(options: CommonOptions, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openNodeStore(settings({ data: options.data }).node);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The log of the data folder's node, where one has run. */
export function ownLog(options: CommonOptions): OwnLog | undefined {
  const { dataDir } = settings({ data: options.data }).node;
  const keys = knownKeys(dataDir);
  return keys && { node: keys.name, memory: new FolderHead(dataDir, keys.name) };
}

/**
 * Sees that there is a store, for a verb that must not make one: a mistyped folder has nothing to save and nothing to be called sound.
 * @throws Refusal NOT_FOUND
 */
export function mustHoldStore(options: CommonOptions): void {
  const { dataDir, mongo } = settings({ data: options.data }).node;
  if (mongo || existsSync(join(dataDir, 'store.db'))) return;
  throw new Refusal('NOT_FOUND', `The folder ${dataDir} holds no store.`);
}

export function withAccounts<T>(
  options: CommonOptions,
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  const { now } = systemClock();
  return withStore(options, (store) => work(new Accounts(store, now)));
}

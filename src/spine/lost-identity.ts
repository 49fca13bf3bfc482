import type { Reader } from '../store/store.ts';
import { logHeads } from './records.ts';

/**
 * A store that only nodes of this folder write has one log, unless its keys were lost: then a new identity begins
 * another. @returns the sentence that says so, or undefined
 */
export async function lostIdentity(reader: Reader, name: string): Promise<string | undefined> {
  const logs = (await reader.find(logHeads)).map(({ node }) => node);
  if (logs.length === 0 || logs.includes(name)) return undefined;
  return (
    `The store holds the log of ${logs.join(', ')}, and node-keys.json has the keys of ${name}: a new identity and a ` +
    'log of its own. Put back the node-keys.json that belongs to the store if that is not meant.'
  );
}

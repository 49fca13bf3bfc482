import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plancksPerHour } from '../ledger/plancks.ts';
import { settings } from '../main.ts';
import { ServiceNode } from '../node.ts';
import { DuplicateKey } from '../store/store.ts';

/** Options that every verb understands. */
export interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

/** Opens the node of the data folder for one command, beside a running node or without one. */
export async function withNode<T>(
  options: CommonOptions,
  work: (node: ServiceNode) => Promise<T>,
): Promise<T> {
  const node = await ServiceNode.open(settings({ data: options.data }).node);
  try {
    return await work(node);
  } finally {
    await node.close();
  }
}

/** The account that `svc run` charges on this machine. */
export const LOCAL_ACCOUNT = 'local';
const LOCAL_GRANT = 1000n * plancksPerHour;

/** Opens and funds the local account on first use. @returns what was done, for a line to the user */
export async function localAccount(node: ServiceNode): Promise<string | undefined> {
  if (await node.accounts.exists(LOCAL_ACCOUNT)) {
    const { bond, free, paid } = await node.accounts.means(LOCAL_ACCOUNT);
    if (bond + free + paid >= LOCAL_GRANT / 10n) return undefined;
    await node.accounts.grant(LOCAL_ACCOUNT, LOCAL_GRANT);
    return `granted another 1000 compute-hours to the account ‘${LOCAL_ACCOUNT}’ of this machine`;
  }
  try {
    await node.accounts.create({ zid: LOCAL_ACCOUNT, label: 'this machine', fuel: LOCAL_GRANT });
    return `opened the account ‘${LOCAL_ACCOUNT}’ of this machine with 1000 compute-hours; runs are charged to it`;
  } catch (error) {
    if (error instanceof DuplicateKey) return undefined; // another command was first
    throw error;
  }
}

/** Verifier keys that this machine trusts: pinned by the user, by node name. */
export class KnownNodes {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'known-nodes.json');
  }

  get vkeys(): string[] {
    try {
      return Object.values(JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, string>);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** Pins a key. @throws RangeError when another key is pinned for this node */
  pin(vkey: string): void {
    const name = vkey.split('+', 1)[0]!;
    const pinned = this.vkeys.find((known) => known.startsWith(`${name}+`));
    if (pinned !== undefined && pinned !== vkey)
      throw new RangeError(
        `another key is pinned for ${name}; remove it from ${this.#file} if the node changed keys.`,
      );
    const all = Object.fromEntries([...this.vkeys, vkey].map((known) => [known.split('+', 1)[0]!, known]));
    mkdirSync(join(this.#file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(this.#file, `${JSON.stringify(all, null, 2)}\n`);
  }
}

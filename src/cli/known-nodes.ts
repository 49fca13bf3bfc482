import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '../store/own-folder.ts';

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
    ownFolder(join(this.#file, '..'));
    writeFileSync(this.#file, `${JSON.stringify(all, null, 2)}\n`);
  }
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVkey } from '../proof/note.ts';
import { readIfThere } from '../store/key-file.ts';
import { ownFolder } from '../store/own-folder.ts';

/** Verifier keys that this machine trusts: pinned by the user, by node name. */
export class KnownNodes {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'known-nodes.json');
  }

  get vkeys(): string[] {
    const text = readIfThere(this.#file);
    if (text === undefined) return [];
    try {
      const vkeys = Object.values(JSON.parse(text) as Record<string, string>);
      for (const vkey of vkeys) readVkey(vkey); // a key that is no key is a mistake, not an unknown node
      return vkeys;
    } catch (error) {
      throw new RangeError(`${this.#file} cannot be read: ${(error as Error).message}`, { cause: error });
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

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const madeFolder = (): string => mkdtempSync(join(tmpdir(), 'svc-disk-'));
const mount = (bytes: number, folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { encoding: 'utf8' });

/** Why no file system can be mounted here, in a sentence; false where one can. It takes root (CAP_SYS_ADMIN) on Linux. */
export const smallDisksMissing: string | false = whyMissing();

function whyMissing(): string | false {
  const folder = madeFolder();
  const { status, error, stderr } = mount(2 ** 20, folder);
  if (status === 0) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return status !== 0 && `no small disk: ${error?.message ?? stderr.trim()}; it takes root on Linux`;
}

/** A file system of so many bytes, in memory, that can be full. */
export class SmallDisk {
  readonly folder = madeFolder();

  constructor(bytes: number) {
    const { status, stderr } = mount(bytes, this.folder);
    if (status !== 0) throw new Error(`mount: ${stderr.trim()}`);
  }

  /** Writes a file that takes all the room there is; again, what has become free meanwhile. */
  fill(): void {
    const piece = new Uint8Array(64 * 1024);
    const file = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Removes it again. */
  empty(): void {
    rmSync(this.#filler);
  }

  close(): void {
    spawnSync('umount', ['-l', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }
}

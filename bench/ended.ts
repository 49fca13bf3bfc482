import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Tells a process to end, and waits until it has: before that it may still write. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

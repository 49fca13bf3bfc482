import type { PartEntry, RunEntry } from './answer.ts';
import { unreadable } from './shape.ts';

// What a reader takes of a stranger's file (docs/protocol.md, 'Limits'). Nothing that a node seals comes near them;
// a file beyond them is made to exhaust its reader.

/** Bytes of an answer or a bundle. */
export const MAX_FILE_BYTES = 500_000_000;
export const MAX_RUNS = 65_536;
/** n of a run; a segment is at least 0.13 s of work. */
export const MAX_SEGMENTS = 2 ** 22;
/** Bytes of a run's parameters: parts can name one blob again and again. */
export const MAX_PARAMETERS = 2 ** 30;
/** Bytes of memory that a kernel may take in a re-execution. */
export const MAX_KERNEL_MEMORY = 2 ** 31;
/** Bytes that the results and rows of all runs of a job may have together. */
export const MAX_OUTPUT = 2 ** 31;
/** How long a kernel may go on without a further step or work unit before it is given up. */
export const STANDSTILL_MS = 60_000;

/** Refuses runs that are too many, too long or too large, with the place. */
export function refuseBeyondLimits(runs: readonly RunEntry[]): void {
  if (runs.length > MAX_RUNS) unreadable('/runs', `a list of at most ${MAX_RUNS} runs`);
  for (const [i, { segments, parts }] of runs.entries()) {
    if (segments > MAX_SEGMENTS) unreadable(`/runs/${i}/segments`, `an integer up to ${MAX_SEGMENTS}`);
    const bytes = parts.reduce((sum, part) => sum + lengthOf(part), 0);
    if (bytes > MAX_PARAMETERS)
      unreadable(`/runs/${i}/parts`, `parameters of at most ${MAX_PARAMETERS} bytes`);
  }
}

function lengthOf(part: PartEntry): number {
  if (!('bytes' in part)) return part.length;
  const padding = part.bytes.endsWith('==') ? 2 : part.bytes.endsWith('=') ? 1 : 0;
  return (part.bytes.length / 4) * 3 - padding;
}

import { tickOf } from '../../src/clock/pulse.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { withoutWord } from '../decide/doubt.ts';
import { rewound } from '../decide/rewind.ts';
import type { MeshRun } from '../decide/run.ts';
import { meshRuns } from '../records.ts';
import { rewoundObjects } from './dropped.ts';
import type { KnownRuns } from './known-runs.ts';
import { rewoundLosses, writeUnpaid } from './losses.ts';
import type { Announce, Objects } from './ports.ts';
import {
  dropSpansBehind,
  forgetRun,
  insertRun,
  lastSpan,
  type RunSheet,
  type StoredRun,
  saveRun,
  storedRun,
} from './run-rows.ts';
import { WorkBefore } from './work-before.ts';

export interface RunParts {
  readonly store: Store;
  readonly objects: Objects;
  readonly known: KnownRuns;
  /** Absent: nothing is announced. */
  readonly announce?: Announce;
  /** Says of a run that it has a segment to run. */
  readonly ring: (run: StoredRun) => Promise<void>;
  readonly now: () => bigint;
  readonly onError: (error: unknown) => void;
}

/** Beginning, going back and end of runs: what whoever wants a run says of it, not who runs it. */
export class Runs {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /**
   * Puts a run into the store and says that it is there. A run that is there already stays as it is; one that failed
   * begins again, and so does one of other bytes: a service node of another version plans a job anew. Who was found out
   * in it has no word in it now either, and what stands on that word before `machine.accepted` stays in doubt.
   */
  async begin(job: string, sheet: RunSheet, machine: MeshRun, deadlineNs: bigint): Promise<void> {
    const { store, now } = this.#parts;
    const moved = { ...machine, movedTick: tickOf(now()) };
    const isNew = await store.transaction(async (tx) => {
      const before = await storedRun(tx, machine.id);
      if (before && before.machine.state !== 'failed' && before.sheet.runHash === sheet.runHash) return false;
      if (before) {
        await explainRewound(tx, before, now());
        await forgetRun(tx, machine.id, before.sheet.runHash === sheet.runHash ? moved.accepted : -1);
      }
      const begun = { segment: moved.accepted, work: BigInt(sheet.start?.work ?? 0) };
      const paid = before && before.paid.segment > begun.segment ? before.paid : begun;
      // No version comes twice: whoever still knows the run from before must not take it for this one.
      const after = before?.version ?? 0n;
      const again = before ? begunAgain(moved, before.machine) : moved;
      await insertRun(tx, job, sheet, again, { createdNs: now(), deadlineNs, paid, after });
      return true;
    });
    if (!isNew) return;
    const { class: jobClass, kernel, work } = sheet;
    this.#parts.announce?.('job-broadcast', {
      run: machine.id,
      class: jobClass,
      kernel,
      work: Math.ceil(work),
    });
    await this.#ring(machine.id);
  }

  /** Goes back to a state that is there: what was behind it is run again, and not paid again. */
  async rewind(run: string, start: RunSheet['start']): Promise<void> {
    const { store, objects, now, onError } = this.#parts;
    const freed = await store.transaction(async (tx) => {
      const stored = await storedRun(tx, run);
      if (!stored || stored.machine.state === 'cancelled' || stored.machine.state === 'failed') return [];
      const machine = rewound(stored.machine, start?.segment ?? -1, tickOf(now()));
      await explainRewound(tx, stored, now());
      const dropped = await dropSpansBehind(tx, run, machine.accepted);
      const { paid } = stored;
      await saveRun(tx, stored, { sheet: { ...stored.sheet, start }, machine, pending: {}, paid });
      return rewoundObjects(stored, dropped);
    });
    this.#parts.known.forget(run);
    for (const name of freed) await objects.delete(run, name).catch(onError);
    await this.#ring(run);
  }

  /** Lets go of the bytes of a job that is over; who ran what stays. */
  async forget(job: string): Promise<void> {
    const { store, objects, onError } = this.#parts;
    for (const { id } of await store.find(meshRuns, { where: { job } }))
      await objects.forget(id).catch(onError);
  }

  async #ring(run: string): Promise<void> {
    const stored = await storedRun(this.#parts.store, run);
    if (stored) await this.#parts.ring(stored);
  }
}

function begunAgain(run: MeshRun, { fence, distrusted }: MeshRun): MeshRun {
  const next = { ...run, fence: fence + 1 };
  return distrusted ? withoutWord(next, ...distrusted) : next;
}

/** To be called before its spans go. */
export async function explainRewound(tx: Transaction, stored: StoredRun, nowNs: bigint): Promise<void> {
  const { id } = stored.machine;
  const works = new WorkBefore(stored, await lastSpan(tx, id));
  for (const loss of rewoundLosses(stored.machine, works)) await writeUnpaid(tx, id, loss, nowNs);
}

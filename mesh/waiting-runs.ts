import type { Bell } from './front.ts';
import { type JobClass, jobClasses } from './subjects.ts';

/** Runs that wait for whoever takes them, each once: paid before free, small before large, the first that came first. */
export class WaitingRuns {
  readonly #most: number;
  readonly #byClass = new Map(jobClasses.map((name) => [name, new Set<string>()]));

  /** @param most beyond so many the last of the last class goes */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  add(run: string, jobClass: JobClass): void {
    this.#byClass.get(jobClass)!.add(run);
    if (this.#size > this.#most) this.#dropLast();
  }

  take(count: number, classes: readonly JobClass[] = jobClasses): { run: string; class: JobClass }[] {
    const taken: { run: string; class: JobClass }[] = [];
    for (const name of classes)
      for (const run of this.#byClass.get(name)!) {
        if (taken.length >= count) return taken;
        this.#byClass.get(name)!.delete(run);
        taken.push({ run, class: name });
      }
    return taken;
  }

  get #size(): number {
    return [...this.#byClass.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #dropLast(): void {
    const last = [...this.#byClass.values()].findLast(({ size }) => size > 0)!;
    last.delete([...last].at(-1)!);
  }
}

const nothing = (): void => undefined;

/** A bell behind which nothing waits for an answer: the run is named again by whoever named it. */
export const bellFor = (named: Pick<Bell, 'run' | 'class'>): Bell => ({
  ...named,
  ...{ ack: nothing, retry: nothing, working: nothing },
});

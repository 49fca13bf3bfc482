import { isStoreFault } from './store.ts';

const MOST_PROBLEMS = 100;
/** Rows in memory at once: a store may be larger than the memory of the machine that looks at it. */
export const PAGE = 200;

/** The first of them are said, all of them counted. */
export class Problems {
  readonly first: string[] = [];
  count = 0;

  add(problem: string): void {
    if (this.count++ < MOST_PROBLEMS) this.first.push(problem);
  }

  /** What cannot even be read is a problem like any other: the rest is looked at all the same. */
  async within(where: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isStoreFault(error)) throw error;
      this.add(`${where}: cannot be read: ${(error as Error).message}`);
    }
  }
}

/** Pages of rows, `size` of them each; `next` gives the one behind a row. */
export async function* pages<R>(
  next: (last: R | undefined) => Promise<R[]>,
  size = PAGE,
): AsyncGenerator<R[]> {
  let last: R | undefined;
  for (;;) {
    const rows = await next(last);
    yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}

/** Rows page by page. */
export async function* paged<R>(next: (last: R | undefined) => Promise<R[]>, size = PAGE): AsyncGenerator<R> {
  for await (const rows of pages(next, size)) yield* rows;
}

/** A page behind a row, in the order of the key. */
export const pageAfter = <R>(after: R | undefined, limit = PAGE) => ({ limit, ...(after ? { after } : {}) });

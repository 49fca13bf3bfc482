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
}

/** Pages of rows; `next` gives the one behind a row. */
export async function* pages<R>(next: (last: R | undefined) => Promise<R[]>): AsyncGenerator<R[]> {
  let last: R | undefined;
  for (;;) {
    const rows = await next(last);
    yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1);
  }
}

/** Rows page by page. */
export async function* paged<R>(next: (last: R | undefined) => Promise<R[]>): AsyncGenerator<R> {
  for await (const rows of pages(next)) yield* rows;
}

/** A page behind a row, in the order of the key. */
export const pageAfter = <R>(after: R | undefined) => ({ limit: PAGE, ...(after ? { after } : {}) });

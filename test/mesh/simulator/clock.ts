interface Due {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Simulated time in milliseconds, and what is to happen in it, in a binary heap. Equal times keep their order. */
export class Clock {
  now = 0;
  #heap: Due[] = [];
  #order = 0;

  after(ms: number, act: () => void): void {
    const due = { at: this.now + ms, order: this.#order++, act };
    const heap = this.#heap;
    let i = heap.push(due) - 1;
    for (let parent = (i - 1) >> 1; i > 0 && isBefore(due, heap[parent]!); parent = (i - 1) >> 1) {
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = due;
  }

  /** Lets everything happen that is due by `end`, or until `isOver`. */
  runUntil(end: number, isOver: () => boolean = () => false): void {
    while (this.#heap.length > 0 && this.#heap[0]!.at <= end && !isOver()) {
      const due = this.#pop();
      this.now = due.at;
      due.act();
    }
    if (!isOver()) this.now = end;
  }

  #pop(): Due {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return top;
  }
}

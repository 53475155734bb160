interface Item<T> {
  at: number;
  order: number;
  value: T;
}

/** Due times closer together than this are handled in one go. */
const GRAIN_MS = 5;

/**
 * Hands values over when their time comes, soonest first, equal times in the order they were added. One
 * timer serves any number of values (a binary heap holds them).
 */
export class Scheduler<T> {
  readonly #heap: Item<T>[] = [];
  #added = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakesAt = Infinity;
  #closed = false;

  constructor(private readonly run: (due: T[]) => void) {}

  /** `at` in unix milliseconds; a time in the past means at once (never before `add` returns). */
  add(at: number, value: T): void {
    this.#heap.push({ at, order: this.#added++, value });
    this.#rise(this.#heap.length - 1);
    this.#wake();
  }

  clear(): void {
    this.#heap.length = 0;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.clear();
  }

  #wake(): void {
    const next = this.#heap[0];
    if (next === undefined || this.#closed || next.at >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = next.at;
    this.#timer = setTimeout(() => this.#fire(), Math.max(next.at - Date.now(), GRAIN_MS));
  }

  #fire(): void {
    this.#wakesAt = Infinity;
    const due: T[] = [];
    const now = Date.now();
    while (this.#heap.length > 0 && this.#heap[0]!.at <= now) due.push(this.#takeFirst());
    if (due.length > 0) this.run(due);
    this.#wake();
  }

  #takeFirst(): T {
    const first = this.#heap[0]!;
    const last = this.#heap.pop()!;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first.value;
  }

  #rise(index: number): void {
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#before(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(index: number): void {
    for (;;) {
      let first = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < this.#heap.length && this.#before(child, first)) first = child;
      }
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #before(a: number, b: number): boolean {
    const [left, right] = [this.#heap[a]!, this.#heap[b]!];
    return left.at < right.at || (left.at === right.at && left.order < right.order);
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b]!, this.#heap[a]!];
  }
}

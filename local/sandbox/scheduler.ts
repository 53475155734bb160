import TinyQueue from "tinyqueue";

interface Item<T> {
  at: number;
  order: number;
  value: T;
}

/** Values that are due closer together than this are handed over together. */
const GRAIN_MS = 5;

/**
 * Hands values over when they are due, soonest first, equal times in the order they were added. One timer serves any
 * number of values.
 */
export class Scheduler<T> {
  readonly #queue = new TinyQueue<Item<T>>([], earlier);
  #added = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakesAt = Infinity;
  #closed = false;

  constructor(private readonly run: (due: T[]) => void) {}

  /** `at` in unix milliseconds; a time in the past means at once (never before `add` returns). */
  add(at: number, value: T): void {
    this.#queue.push({ at, order: this.#added++, value });
    this.#wake();
  }

  clear(): void {
    this.#queue.data.length = this.#queue.length = 0;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.clear();
  }

  #wake(): void {
    const next = this.#queue.peek();
    if (next === undefined || this.#closed || next.at >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = next.at;
    this.#timer = setTimeout(() => this.#fire(), Math.max(next.at - Date.now(), GRAIN_MS));
  }

  #fire(): void {
    this.#wakesAt = Infinity;
    const due: T[] = [];
    const now = Date.now();
    while ((this.#queue.peek()?.at ?? Infinity) <= now) due.push(this.#queue.pop()!.value);
    if (due.length > 0) this.run(due);
    this.#wake();
  }
}

function earlier(a: Item<unknown>, b: Item<unknown>): number {
  return a.at - b.at || a.order - b.order;
}

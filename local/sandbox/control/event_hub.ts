/** Something the page shows as it happens. `kind` says which part changed. */
export interface SandboxEvent {
  kind:
    | (
      | "message"
      | "status"
      | "template"
      | "account"
      | "account_event"
      | "settings"
      | "faults"
      | "cleared"
      | "stats"
    )
    | ("call" | "calls_cleared" | "voice_settings" | "voice_faults" | "voice_outcomes");
  [field: string]: unknown;
}

/** Events kept for pages that come back after a break. */
const KEPT = 5_000;
/** Changes are told together, at most this often. */
const PACE_MS = 100;

/** One telling: `id` is where a page that got it continues from. */
export interface Telling {
  id: string;
  events: SandboxEvent[];
}

/** A page that follows: `tell` gets each telling, `end` is called when the sandbox closes. */
export interface Subscriber {
  tell(telling: Telling): void;
  end(): void;
}

/** Gathers events and tells them in order. A page that was away asks with the last id it saw. */
export class EventHub {
  /** Ids of another run of the sandbox must not be mistaken for ours. */
  readonly #run = crypto.randomUUID().slice(0, 8);
  #events: SandboxEvent[] = [];
  /** Number of events that are no longer kept. */
  #dropped = 0;
  #told = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #subscribers = new Set<Subscriber>();

  /** Where a page continues from that has just read the present state. */
  get lastId(): string {
    return this.#id(this.#dropped + this.#events.length);
  }

  publish(event: SandboxEvent): void {
    this.#events.push(event);
    if (this.#events.length > 2 * KEPT) this.#forget();
    this.#timer ??= setTimeout(() => this.#tell(), PACE_MS);
  }

  /** What happened after `id`; `null` when that is no longer known and the page must start anew. */
  since(id: string): Telling | null {
    const [run, count] = id.split("-");
    const from = Number(count) - this.#dropped;
    if (run !== this.#run || !(from >= 0 && from <= this.#events.length)) return null;
    return { id: this.lastId, events: this.#events.slice(from) };
  }

  /** Returns the function that ends the subscription. What was published before is told to the others first. */
  subscribe(subscriber: Subscriber): () => void {
    this.#tell();
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { end } of this.#subscribers) end();
    this.#subscribers.clear();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events.slice(this.#told - this.#dropped);
    this.#told = this.#dropped + this.#events.length;
    if (events.length === 0) return;
    for (const { tell } of this.#subscribers) tell({ id: this.lastId, events });
  }

  #forget(): void {
    const excess = this.#events.length - KEPT;
    this.#tell();
    this.#events = this.#events.slice(excess);
    this.#dropped += excess;
  }

  #id(count: number): string {
    return `${this.#run}-${count}`;
  }
}

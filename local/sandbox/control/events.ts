import type { SandboxApp } from "../http/sandbox_app.ts";

/** A change that the page shows as it happens. `kind` names the part that changed. */
export interface SandboxEvent {
  kind:
    | (
      | "message"
      | "status"
      | "inbound"
      | "person"
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

/** Events kept for pages that reconnect. */
const MAX_EVENTS = 5_000;
/** Changes are sent together, at most this often. */
const FLUSH_MS = 100;

/** The events of one message to the page; the page continues from `id`. */
export interface EventBatch {
  id: string;
  events: SandboxEvent[];
}

/** A page that follows: `send` gets each batch, `end` is called when the sandbox closes. */
export interface Subscriber {
  send(batch: EventBatch): void;
  end(): void;
}

/** Gathers events and sends them in order. A page that reconnects names the last id it has seen. */
export class EventHub {
  /** Ids of another run of the sandbox must not be mistaken for ours. */
  readonly #run = crypto.randomUUID().slice(0, 8);
  #events: SandboxEvent[] = [];
  /** The number of events that are no longer kept. */
  #evicted = 0;
  #sent = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #subscribers = new Set<Subscriber>();

  /** The id from which a page continues after it has read the present state. */
  get lastId(): string {
    return this.#id(this.#evicted + this.#events.length);
  }

  publish(event: SandboxEvent): void {
    this.#events.push(event);
    if (this.#events.length > 2 * MAX_EVENTS) this.#evict();
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Returns the events after `id`; `null` when they are no longer kept and the page must start again. */
  since(id: string): EventBatch | null {
    const [run, count] = id.split("-");
    const from = Number(count) - this.#evicted;
    if (run !== this.#run || !(from >= 0 && from <= this.#events.length)) return null;
    return { id: this.lastId, events: this.#events.slice(from) };
  }

  /** Returns the function that ends the subscription. Flushes earlier events to the other subscribers first. */
  subscribe(subscriber: Subscriber): () => void {
    this.#flush();
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { end } of this.#subscribers) end();
    this.#subscribers.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events.slice(this.#sent - this.#evicted);
    this.#sent = this.#evicted + this.#events.length;
    if (events.length === 0) return;
    for (const { send } of this.#subscribers) send({ id: this.lastId, events });
  }

  #evict(): void {
    const excess = this.#events.length - MAX_EVENTS;
    this.#flush();
    this.#events = this.#events.slice(excess);
    this.#evicted += excess;
  }

  #id(count: number): string {
    return `${this.#run}-${count}`;
  }
}

/** The interval of comments that keep the connection open and find dead ones. */
const HEARTBEAT_MS = 15_000;
/** A page with this many unsent batches is cut off; it reconnects and catches up. */
const MAX_QUEUED_BATCHES = 200;

/**
 * Registers `GET /sandbox/events`: server-sent events after `Last-Event-ID` or `?after=`. When those events are no
 * longer kept, a `reset` makes the page read `/sandbox/phones` again.
 */
export function registerEventRoute(app: SandboxApp, events: EventHub): void {
  app.get("/sandbox/events", (c) => {
    const after = c.req.header("Last-Event-ID") ?? c.req.query("after");
    return new Response(eventStream(events, after), {
      headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
    });
  });
}

function eventStream(events: EventHub, after: string | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = () => {};
  return new ReadableStream({
    start(controller) {
      const end = () => {
        stop();
        controller.close();
      };
      const write = (text: string) => {
        if ((controller.desiredSize ?? 0) < -MAX_QUEUED_BATCHES) return end();
        controller.enqueue(encoder.encode(text));
      };
      const unsubscribe = events.subscribe({ send: (batch) => write(eventText(batch)), end });
      const beat = setInterval(() => write(": still here\n\n"), HEARTBEAT_MS);
      stop = () => {
        unsubscribe();
        clearInterval(beat);
      };
      write("retry: 1000\n\n");
      const missed = after === undefined ? { id: events.lastId, events: [] } : events.since(after);
      write(missed === null ? `id: ${events.lastId}\nevent: reset\ndata: {}\n\n` : eventText(missed));
    },
    cancel: () => stop(),
  });
}

function eventText({ id, events }: EventBatch): string {
  return `id: ${id}\ndata: ${JSON.stringify(events)}\n\n`;
}

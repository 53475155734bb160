import type { AppContext } from "./context.ts";

/** Hosted functions may run for 150 s. A random part keeps readers from reconnecting all at once. */
const MIN_DURATION_MS = 90_000;
const RANDOM_DURATION_MS = 20_000;

/** Keeps proxies from closing a silent stream. */
const HEARTBEAT_MS = 15_000;

/** The reader's delay before it reconnects. */
const RETRY_MS = 1000;

/** A reader with more unread bytes than this counts as gone, even if its connection is open. It reconnects and misses nothing. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** The source of a stream of events. */
export interface EventSource {
  /** Begins to write events. `end` closes the stream. Returns the function that ends it all. */
  follow(write: (text: string) => void, end: () => void): () => void;
  /** A line that goes out with each heartbeat. */
  heartbeat?(): string;
}

/**
 * Responds with server-sent events. The stream ends by itself, because hosted functions have a maximum duration; the
 * reader reconnects with the last id.
 */
export function respondEvents(c: AppContext, source: EventSource): Response {
  c.header("Content-Type", "text/event-stream");
  c.header("Cache-Control", "no-cache, no-transform");
  c.header("X-Accel-Buffering", "no");
  const lastsMs = MIN_DURATION_MS + c.var.services.random() * RANDOM_DURATION_MS;
  return c.body(eventStream(source, lastsMs));
}

/** The body of such a response. */
export function eventStream(
  { follow, heartbeat = () => "" }: EventSource,
  lastsMs: number,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const stops: (() => void)[] = [];
  const stop = () => stops.splice(0).forEach((each) => each());

  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => {
        if (stops.length === 0) return;
        stop();
        controller.close();
      };
      const write = (text: string) => {
        if (controller.desiredSize! < -MAX_UNREAD_BYTES) end();
        else if (text !== "") controller.enqueue(encoder.encode(text));
      };
      write(`retry: ${RETRY_MS}\n\n`);
      const heartbeats = setInterval(() => write(`${heartbeat()}: heartbeat\n\n`), HEARTBEAT_MS);
      const lifetime = setTimeout(end, lastsMs);
      stops.push(() => clearInterval(heartbeats), () => clearTimeout(lifetime), follow(write, end));
    },
    cancel: stop,
  }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
}

/** Formats an event. JSON contains no line break, so one data line is enough. */
export function eventText(name: string, data: unknown, id?: number | string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

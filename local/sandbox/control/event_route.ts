import type { SandboxApp } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import type { EventHub, Telling } from "./event_hub.ts";

/** A comment this often keeps the line open and finds dead ones. */
const HEARTBEAT_MS = 15_000;
/** A page that is this many tellings behind is cut off; it comes back and catches up. */
const MAX_BEHIND = 200;

/**
 * `GET /sandbox/events`: server-sent events. Starts after `Last-Event-ID` or `?after=`; when what came after is
 * no longer known, a `reset` tells the page to read `/sandbox/phones` again.
 */
export function registerEventRoute(app: SandboxApp, platform: Platform): void {
  app.get("/sandbox/events", (c) => {
    const after = c.req.header("Last-Event-ID") ?? c.req.query("after");
    return new Response(eventStream(platform.events, after), {
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
        if ((controller.desiredSize ?? 0) < -MAX_BEHIND) return end();
        controller.enqueue(encoder.encode(text));
      };
      const unsubscribe = events.subscribe({ tell: (telling) => write(eventText(telling)), end });
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

function eventText({ id, events }: Telling): string {
  return `id: ${id}\ndata: ${JSON.stringify(events)}\n\n`;
}

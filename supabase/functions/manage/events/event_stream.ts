import { cursorOf } from "../../_shared/company_events/cursor.ts";
import type {
  CompanyFeed,
  CompanyFollower,
  CompanyUpdate,
} from "../../_shared/company_events/company_feed.ts";
import type { Change } from "../../_shared/db/company_changes.ts";

/** Keeps proxies from closing a silent stream. */
const HEARTBEAT_MS = 15_000;

/** The reader's delay before it reconnects. */
const RETRY_MS = 1000;

/** A reader with more unread bytes than this counts as gone, even if its connection is open. It reconnects and misses nothing. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** A console that reads its lists anew has to get through with it. */
const RESET_EVERY_MS = 10_000;

/**
 * Returns what changes in a company as a `text/event-stream` body: `ready`, then an event per change, and `reset`. Only
 * the last event of each query has an id, so a reader that got half of them receives all of them again. It ends by
 * itself, because hosted functions have a maximum duration; the reader reconnects with the last id.
 */
export function eventStream(
  feed: CompanyFeed,
  reader: Pick<CompanyFollower, "companyId" | "userId" | "after">,
  { lastsMs }: { lastsMs: number },
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
      const textOf = updateWriter();
      const follower: CompanyFollower = {
        ...reader,
        receive: (update) => write(textOf(update)),
        end,
      };
      write(`retry: ${RETRY_MS}\n\n`);
      const heartbeat = setInterval(() => write(placeOf(follower) + ": heartbeat\n\n"), HEARTBEAT_MS);
      const lifetime = setTimeout(end, lastsMs);
      stops.push(() => clearInterval(heartbeat), () => clearTimeout(lifetime), feed.follow(follower));
    },
    cancel: stop,
  }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
}

/** Moves the reader's last id, so that it does not read again what was silent. */
function placeOf({ after }: CompanyFollower): string {
  return after === null ? "" : `id: ${cursorOf(after)}\n`;
}

/** Returns the function that writes updates as events. */
function updateWriter(): (update: CompanyUpdate) => string {
  let hasBegun = false;
  let resetAt = -Infinity;

  return ({ changes, next, isGap }) => {
    const texts = changes.map(changeText);
    if (isGap && performance.now() >= resetAt + RESET_EVERY_MS) {
      resetAt = performance.now();
      texts.unshift(event("reset", "{}"));
    }
    if (!hasBegun) texts.push(event("ready", "{}"));
    hasBegun = true;
    if (texts.length > 0) texts.push(`id: ${cursorOf(next)}\n${texts.pop()!}`);
    return texts.join("");
  };
}

/** Of each change, written once however many read it. */
const written = new WeakMap<Change, string>();

function changeText(change: Change): string {
  const text = written.get(change) ?? event(change.type, JSON.stringify(change.data));
  written.set(change, text);
  return text;
}

/** Formats an event. JSON contains no line break, so one data line is enough. */
function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

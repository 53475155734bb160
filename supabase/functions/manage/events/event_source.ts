import { cursorOf } from "../../_shared/company_events/cursor.ts";
import type {
  CompanyFeed,
  CompanyFollower,
  CompanyUpdate,
} from "../../_shared/company_events/company_feed.ts";
import type { Change } from "../../_shared/db/access/company_changes.ts";
import { type EventSource, eventText } from "../../_shared/http/app/event_stream.ts";

/** A console that reads its lists anew has to get through with it. */
const RESET_EVERY_MS = 10_000;

/**
 * The events of a company: `ready`, then an event per change, and `reset`. Only the last event of each query has an id,
 * so a reader that got half of them receives all of them again.
 */
export function companyEventSource(
  feed: CompanyFeed,
  reader: Pick<CompanyFollower, "companyId" | "userId" | "after">,
): EventSource {
  const follower: CompanyFollower = { ...reader, receive: () => {}, end: () => {} };
  return {
    follow(write, end) {
      const textOf = updateWriter();
      follower.receive = (update) => write(textOf(update));
      follower.end = end;
      return feed.follow(follower);
    },
    // Moves the reader's last id, so that it does not read again what was silent.
    heartbeat: () => follower.after === null ? "" : `id: ${cursorOf(follower.after)}\n`,
  };
}

/** Returns the function that writes updates as events. */
function updateWriter(): (update: CompanyUpdate) => string {
  let hasBegun = false;
  let resetAt = -Infinity;

  return ({ changes, next, isGap }) => {
    const texts = changes.map(changeText);
    if (isGap && performance.now() >= resetAt + RESET_EVERY_MS) {
      resetAt = performance.now();
      texts.unshift(eventText("reset", {}));
    }
    if (!hasBegun) texts.push(eventText("ready", {}));
    hasBegun = true;
    if (texts.length > 0) texts.push(`id: ${cursorOf(next)}\n${texts.pop()!}`);
    return texts.join("");
  };
}

/** Of each change, written once however many read it. */
const written = new WeakMap<Change, string>();

function changeText(change: Change): string {
  const text = written.get(change) ?? eventText(change.type, change.data);
  written.set(change, text);
  return text;
}

import { formatCursor } from "../../_shared/company_events/cursor.ts";
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
 * so a reader that got half of them receives all of them again. A `reset` that comes too soon after the last one is sent
 * later; until then no id is, so that a reader that reconnects meanwhile gets it too.
 */
export function companyEventSource(
  feed: CompanyFeed,
  reader: Pick<CompanyFollower, "companyId" | "userId" | "after">,
  nowMs = () => performance.now(),
): EventSource {
  const writer = updateWriter(nowMs);
  const follower: CompanyFollower = { ...reader, receive: () => {}, end: () => {} };
  return {
    follow(write, end) {
      follower.receive = (update) => write(writer.textOf(update));
      follower.end = end;
      return feed.follow(follower);
    },
    // Moves the reader's last id, so that it does not read again what was silent.
    heartbeat: () => {
      return follower.after === null || writer.owesReset() ? "" : `id: ${formatCursor(follower.after)}\n`;
    },
  };
}

/** Returns what writes updates as events. */
function updateWriter(nowMs: () => number): { textOf(update: CompanyUpdate): string; owesReset(): boolean } {
  let hasBegun = false;
  let resetAt = -Infinity;
  let owesReset = false;

  const textOf = ({ changes, next, isGap }: CompanyUpdate) => {
    const texts = changes.map(changeText);
    owesReset ||= isGap;
    if (owesReset && nowMs() >= resetAt + RESET_EVERY_MS) {
      resetAt = nowMs();
      owesReset = false;
      texts.unshift(eventText("reset", {}));
    }
    if (!hasBegun) texts.push(eventText("ready", {}));
    hasBegun = true;
    if (texts.length > 0 && !owesReset) texts.push(`id: ${formatCursor(next)}\n${texts.pop()!}`);
    return texts.join("");
  };
  return { textOf, owesReset: () => owesReset };
}

/** Of each change, written once however many read it. */
const written = new WeakMap<Change, string>();

function changeText(change: Change): string {
  const text = written.get(change) ?? eventText(change.type, change.data);
  written.set(change, text);
  return text;
}

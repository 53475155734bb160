import { lastIndexWhere } from "./messages/message_log.ts";
import type { Message, OpenTime } from "./schemas.ts";

/** When members reply, and when the chat asks for an e-mail address. */
export interface AwayOptions {
  /** In order; null without office hours. */
  openTimes: readonly OpenTime[] | null;
  /** Minutes without a reply; null: never. */
  askEmailAfterMinutes: number | null;
}

/** A conversation, as far as it says how long the visitor waits. */
export interface WaitingChat {
  messages: readonly Message[];
  /** Whether replies can follow by e-mail. */
  hasEmail: boolean;
  isClosed: boolean;
}

/** Whether members are away, and since when the visitor waits. */
export interface AwayState {
  isAway: boolean;
  /** When they are back, as far as it is known. */
  backAt: Date | undefined;
  asksEmail: boolean;
}

const MINUTE_MS = 60_000;

/** Returns whether members are away at this time, and whether the visitor has waited long enough to be asked. */
export function awayState(
  { openTimes, askEmailAfterMinutes }: AwayOptions,
  { messages, hasEmail, isClosed }: WaitingChat,
  now: number,
): AwayState {
  const isAway = openTimes !== null &&
    !openTimes.some(({ from, until }) => Date.parse(from) <= now && now < Date.parse(until));
  const next = isAway ? openTimes.find(({ from }) => Date.parse(from) > now) : undefined;
  const waitsSince = firstUnanswered(messages);
  const isLate = askEmailAfterMinutes !== null && waitsSince !== undefined &&
    (isAway || now - waitsSince >= askEmailAfterMinutes * MINUTE_MS);
  return {
    isAway,
    backAt: next && new Date(next.from),
    asksEmail: isLate && !hasEmail && !isClosed,
  };
}

/** Returns when the visitor wrote the first message that no member has replied to. A machine is no member. */
function firstUnanswered(messages: readonly Message[]): number | undefined {
  const answered = lastIndexWhere(
    messages,
    ({ author, sender }) => author === "operator" && sender?.is_machine !== true,
  );
  const first = messages.slice(answered + 1).find(({ author }) => author === "visitor");
  return first && Date.parse(first.created_at);
}

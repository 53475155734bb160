import assert from "node:assert/strict";
import { CHAT_TEXTS } from "../../../supabase/functions/_shared/widgets/chat_texts.ts";
import { backText } from "../../../widget/chat/back_text.ts";
import { type AwayOptions, awayState } from "../../../widget/chat/away_state.ts";
import type { Message } from "../../../widget/chat/schemas.ts";
import { createTexts } from "../../../widget/chat/texts.ts";

const NOW = Date.parse("2026-12-04T20:00:00Z");
const MONDAY = { from: "2026-12-07T08:00:00Z", until: "2026-12-07T17:00:00Z" };

/** A message that was written so many minutes ago. */
function message(author: Message["author"], minutesAgo: number, sender?: Message["sender"]): Message {
  const created_at = new Date(NOW - minutesAgo * 60_000).toISOString();
  const sequence = 1000 - minutesAgo;
  return { id: `${sequence}`, sequence, author, text: "x", created_at, ...(sender && { sender }) };
}

function stateOf(options: Partial<AwayOptions>, messages: Message[], hasEmail = false) {
  const view = { messages, hasEmail, isClosed: false };
  return awayState({ openTimes: null, askEmailAfterMinutes: null, ...options }, view, NOW);
}

Deno.test("awayState() knows when members are back", () => {
  const away = stateOf({ openTimes: [MONDAY] }, []);
  assert.deepEqual([away.isAway, away.backAt?.toISOString()], [true, "2026-12-07T08:00:00.000Z"]);
  const open = stateOf({
    openTimes: [{ from: "2026-12-04T08:00:00Z", until: "2026-12-04T20:01:00Z" }, MONDAY],
  }, []);
  assert.deepEqual([open.isAway, open.backAt], [false, undefined]);
  assert.deepEqual([stateOf({ openTimes: [] }, []).isAway, stateOf({}, []).isAway], [true, false]);
});

Deno.test("awayState() asks for an address once the visitor has waited, and at once while members are away", () => {
  const ask = { askEmailAfterMinutes: 5 };
  const asks = (options: Partial<AwayOptions>, messages: Message[], hasEmail?: boolean) =>
    stateOf(options, messages, hasEmail).asksEmail;

  assert.equal(asks(ask, [message("visitor", 6)]), true);
  assert.equal(asks(ask, [message("visitor", 6), message("visitor", 1)]), true, "since the first one");
  assert.equal(asks(ask, [message("visitor", 4)]), false);
  assert.equal(asks(ask, [message("visitor", 9), message("operator", 8), message("visitor", 4)]), false);
  assert.equal(asks(ask, [message("visitor", 9), message("operator", 8)]), false);
  const machine = message("operator", 8, { name: "Robo", is_machine: true });
  assert.equal(asks(ask, [message("visitor", 9), machine]), true, "a machine is no member");
  assert.equal(asks({ ...ask, openTimes: [MONDAY] }, [message("visitor", 0)]), true);
  assert.equal(asks({ ...ask, openTimes: [MONDAY] }, []), false, "before the first message");
  assert.equal(asks(ask, [message("visitor", 6)], true), false);
  assert.equal(asks({ openTimes: [MONDAY] }, [message("visitor", 60)]), false, "the widget asks for none");
});

Deno.test("backText() says today, tomorrow or the day, in the visitor's language", () => {
  const now = new Date(2026, 11, 4, 20);
  const textOf = (language: keyof typeof CHAT_TEXTS, backAt: Date | undefined) =>
    backText(createTexts(CHAT_TEXTS[language]), language, backAt, now).replace(/\s/g, " ");

  assert.equal(textOf("en", new Date(2026, 11, 4, 21)), "We are back today at 9:00 PM");
  assert.equal(textOf("es", new Date(2026, 11, 5, 9)), "Volvemos mañana a las 9:00");
  assert.equal(textOf("de", new Date(2026, 11, 7, 9)), "Wir sind am Montag, 7. Dezember um 9:00 wieder da");
  assert.equal(textOf("fr", undefined), "Nous sommes absents pour le moment");
});

import { ControlError } from "../control/control_request.ts";
import type { Platform } from "../platform.ts";
import { nextChangeTime, reportChange } from "../webhooks/report_change.ts";
import { type Person, userIdIn } from "./person.ts";
import { personIds, personValue, reportMessage, type Sender } from "./receive_message.ts";

/** Stops or resumes the marketing of one business number, and reports it. */
export function setMarketing(
  platform: Platform,
  sender: Sender,
  person: Person,
  value: "stop" | "resume",
): Person {
  const { account, number: { phoneNumberId } } = sender;
  const stopped = without(person.stopped, phoneNumberId);
  const changed = platform.people.change(person.number, {
    stopped: value === "stop" ? [...stopped, phoneNumberId] : stopped,
  });
  const preference = {
    ...personIds(account.wabaId, changed),
    detail: `User requested to ${value} marketing messages`,
    category: "marketing_messages",
    value,
    // The person's choices must not look like one and the same: webhooks have seconds only.
    timestamp: nextChangeTime(platform, `${phoneNumberId}:${person.number}`),
  };
  reportChange(platform, {
    waba_id: account.wabaId,
    field: "user_preferences",
    value: { ...personValue(sender, changed), user_preferences: [preference] },
  });
  return changed;
}

/** Blocks or unblocks a business number. Nothing reports it. */
export function setBlocked(platform: Platform, sender: Sender, person: Person, blocked: boolean): Person {
  const { phoneNumberId } = sender.number;
  const others = without(person.blocked, phoneNumberId);
  return platform.people.change(person.number, { blocked: blocked ? [...others, phoneNumberId] : others });
}

function without(ids: string[], id: string): string[] {
  return ids.filter((each) => each !== id);
}

/** Gives the person another user id, and reports it to every business that the person exchanged messages with. */
export function renewUserId(platform: Platform, person: Person): Person {
  const changed = platform.people.change(person.number, { renewed: person.renewed + 1 });
  for (const sender of knownSenders(platform, person.number)) {
    const { previous, current } = reportUserId(platform, sender, person, changed);
    reportMessage(platform, sender, changed, {
      type: "system",
      content: {
        system: {
          body: `User ${nameOf(person)} changed from ${previous} to ${current}`,
          user_id: current,
          type: "user_changed_user_id",
        },
      },
      text: `User id changed to ${current}`,
      context: null,
    });
  }
  return changed;
}

/**
 * Moves a person to another number. The old one reaches no person any more, what the person stopped and blocked
 * stays so, and the user id is another. Every business that the person exchanged messages with is notified.
 */
export function moveNumber(platform: Platform, person: Person, to: string): Person {
  if (to === person.number) throw new ControlError(409, `The person already has the number +${to}`);
  const { number: _number, renewed: _renewed, ...kept } = person;
  const { renewed } = platform.people.at(to);
  const moved = platform.people.change(to, { ...kept, moved_to: null, renewed: renewed + 1 });
  platform.people.change(person.number, { moved_to: to, stopped: [], blocked: [], username: null });
  for (const sender of knownSenders(platform, person.number)) {
    reportUserId(platform, sender, person, moved);
    reportMessage(platform, sender, person, {
      type: "system",
      content: {
        system: {
          body: `User ${nameOf(person)} changed from ${person.number} to ${to}`,
          wa_id: to,
          user_id: userIdIn(sender.account.wabaId, moved),
          type: "user_changed_number",
        },
      },
      text: `Number changed to +${to}`,
      context: null,
    });
  }
  return moved;
}

/** Reports `user_id_update`. */
function reportUserId(platform: Platform, sender: Sender, before: Person, after: Person) {
  const { wabaId } = sender.account;
  const userId = { previous: userIdIn(wabaId, before), current: userIdIn(wabaId, after) };
  const { user_id: _userId, ...shown } = personIds(wabaId, after);
  const update = {
    ...shown,
    detail: "The user id has changed",
    user_id: userId,
    timestamp: nextChangeTime(platform, `${wabaId}:${after.number}`),
  };
  reportChange(platform, {
    waba_id: wabaId,
    field: "user_id_update",
    value: { ...personValue(sender, after), user_id_update: [update] },
  });
  return userId;
}

function nameOf({ name, username, number }: Person): string {
  return name ?? username ?? number;
}

/** The business numbers with which a phone exchanged messages. */
export function knownSenders(platform: Platform, number: string): Sender[] {
  const { messages, inbound } = platform.ledger.chat(number);
  const ids = new Set([
    ...messages.map(({ message }) => message.phone_number_id),
    ...inbound.map(({ phone_number_id }) => phone_number_id),
  ]);
  return platform.accounts.list().flatMap((account) =>
    account.numbers.filter(({ phoneNumberId }) => ids.has(phoneNumberId)).map((number) => ({
      account,
      number,
    }))
  );
}

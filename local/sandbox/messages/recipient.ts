import { PlatformError } from "../http/platform_error.ts";
import type { SandboxAccount, SandboxNumber } from "../options.ts";
import { type Person, profileOf, userIdIn } from "../people/person.ts";
import type { People } from "../people/people.ts";
import type { Recipient } from "./message.ts";
import type { SendBody } from "./send.ts";

/**
 * Finds who a send goes to. A number wins over a user id. Throws 100 without both, 131009 for a malformed one, 131021
 * for the sender itself and 131026 for a user id that no person has in this account's portfolio.
 */
export function findRecipient(
  people: People,
  { account, number }: { account: SandboxAccount; number: SandboxNumber },
  { to, recipient }: Pick<SendBody, "to" | "recipient">,
): Person {
  if (to !== undefined) return people.at(parseNumber(to, number));
  if (recipient === undefined) {
    throw new PlatformError(100, null, { message: "(#100) The parameter to is required." });
  }
  if (!/^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(recipient)) {
    throw new PlatformError(131009, "recipient: must be a user id such as ES.1349");
  }
  const person = people.find(recipient, account.wabaId);
  if (person === undefined) throw new PlatformError(131026, `No person has the user id ${recipient}`);
  return person;
}

/** Like the platform, accepts a number without "+" as one with its country code. */
function parseNumber(to: string, sender: SandboxNumber): string {
  const bare = to.replace(/[-() ]/g, "");
  if (!/^\+?[1-9]\d{6,14}$/.test(bare)) {
    throw new PlatformError(131009, "to: must be a phone number with the country code, 7 to 15 digits");
  }
  const digits = bare.replace("+", "");
  if (digits === sender.displayNumber) {
    throw new PlatformError(131021, "The sender and the recipient are the same number");
  }
  return platformAlias(digits);
}

/**
 * Returns a number as the platform writes it, in the `wa_id` of responses and in every webhook: Mexican numbers with a 1
 * after 52, Argentine ones with a 9 after 54. Both reach the same phone.
 */
function platformAlias(digits: string): string {
  return digits.replace(/^52(?=\d{10}$)/, "521").replace(/^54(?=\d{10}$)/, "549");
}

/** Describes a recipient. The number of a person who hides it is left out where the send did not name it. */
export function describeRecipient(person: Person, wabaId: string, body: SendBody): Recipient {
  const by_user_id = body.to === undefined;
  return {
    wa_id: by_user_id && person.username !== null ? null : person.number,
    user_id: userIdIn(wabaId, person),
    by_user_id,
    profile: profileOf(person),
  };
}

/** `contacts[]` of the response to a send. */
export function responseContact({ to, recipient }: SendBody, described: Recipient): Record<string, unknown> {
  return to === undefined
    ? { input: recipient, user_id: described.user_id }
    : { input: to, wa_id: described.wa_id };
}

/** `contacts[]` of a webhook about a status; null for `failed`, which has none. */
export function statusContact(
  { wa_id, user_id, profile }: Recipient,
  status: string,
): Record<string, unknown> | null {
  if (status === "failed") return null;
  const { username, ...name } = profile;
  const shown = username !== undefined && status !== "sent" ? { ...name, username } : name;
  return { profile: shown, ...(wa_id === null ? {} : { wa_id }), user_id };
}

/** The fields of a status that name its recipient. A failure of a send to a number leaves the user id out. */
export function statusRecipient(
  { wa_id, user_id, by_user_id }: Recipient,
  status: string,
): Record<string, string> {
  return {
    ...(wa_id === null ? {} : { recipient_id: wa_id }),
    ...(status === "failed" && !by_user_id ? {} : { recipient_user_id: user_id }),
  };
}

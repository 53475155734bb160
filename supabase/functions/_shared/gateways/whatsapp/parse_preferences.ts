import { z } from "zod";
import type { Address } from "../../values/address.ts";
import { cleanText } from "./bounded_json.ts";
import { addressIn, contactOf } from "./inbound_address.ts";
import { fieldsOf } from "./message_text.ts";
import { type InboundMessage, type Inbox } from "./parse_messages.ts";
import { isoTime, text, unixTime } from "./webhook_values.ts";

/** A person's choice in the platform's own settings about marketing of one of our numbers. */
export interface Preference {
  wabaId: string;
  phoneNumberId: string;
  /** As the platform shows it, at least one of the two; the user id may be that of the parent account. */
  from: Address;
  /** `signup`: the person agreed on the platform's own page. */
  value: "stop" | "resume" | "signup";
  /** The platform's words. */
  detail: string | null;
  /** ISO 8601. */
  at: string;
}

/** A person is reached under another address from now on. */
export interface AddressMove {
  wabaId: string;
  /** Empty when the platform names the account only. */
  phoneNumberId: string;
  from: string;
  to: string;
  /** ISO 8601. */
  at: string;
}

const identifier = text.optional().catch(undefined);

const preferenceSchema = z.looseObject({
  wa_id: identifier,
  user_id: identifier,
  parent_user_id: identifier,
  category: z.literal("marketing_messages").optional(),
  value: z.enum(["stop", "resume", "signup"]),
  timestamp: unixTime.optional().catch(undefined),
});

/** Reads a preference. Null for one that is not about marketing, has an unknown value or names no person. */
export function readPreference(item: unknown, inbox: Inbox, now: Date): Preference | null {
  const parsed = preferenceSchema.safeParse(item).data;
  if (parsed === undefined || inbox.phoneNumberId === "") return null;
  const { wa_id, user_id, parent_user_id } = parsed;
  const contact = contactOf(inbox.contacts, [wa_id, user_id, parent_user_id]);
  const from = addressIn([
    ...[user_id, contact?.user_id, wa_id, contact?.wa_id],
    ...[parent_user_id, contact?.parent_user_id],
  ]);
  if (from === null) return null;
  return {
    wabaId: inbox.wabaId,
    phoneNumberId: inbox.phoneNumberId,
    from,
    value: parsed.value,
    detail: cleanText(parsed.detail),
    at: isoTime(parsed.timestamp ?? inbox.time, now),
  };
}

const idChange = z.looseObject({ previous: text, current: text });

/** Reads an entry of `user_id_update`: a person's user id changed, and the parent account's with it. */
export function readIdUpdate(item: unknown, inbox: Inbox, now: Date): AddressMove[] {
  const { user_id, parent_user_id, timestamp } = fieldsOf(item);
  const at = isoTime(unixTime.safeParse(timestamp).data ?? inbox.time, now);
  return [user_id, parent_user_id].flatMap((change) => {
    const { previous, current } = idChange.safeParse(change).data ?? {};
    return moveBetween(inbox, "user_id", { from: [previous], to: [current] }, at);
  });
}

/** Reads the platform's sentence about a change, which holds the former address where no field does: `… from A to B.` */
function readChange(sentence: string): { before?: string; after?: string } {
  const [from, before, to, after] = sentence.replace(/(?<![\s.])[\s.]+$/, "").split(/\s+/).slice(-4);
  if (!before || !after || !/\bfrom$/i.test(from!) || !/^to$/i.test(to!)) return {};
  return { before, after };
}

/** Reads the move that a system message reports; none for any other message. */
export function readSystemMove({ kind, from, content, ...message }: InboundMessage): AddressMove[] {
  if (kind !== "system" || content === null) return [];
  const { before, after } = readChange(textIn(content.body) ?? "");
  switch (content.type) {
    case "user_changed_user_id": {
      const previous = [textIn(content.previous_user_id), before, from.user_id ?? undefined];
      return moveBetween(
        message,
        "user_id",
        { from: previous, to: [textIn(content.user_id), after] },
        message.at,
      );
    }
    case "user_changed_number":
    case "customer_changed_number": {
      const current = [textIn(content.new_wa_id), textIn(content.wa_id), after];
      return moveBetween(
        message,
        "number",
        { from: [from.number ?? undefined, before], to: current },
        message.at,
      );
    }
    default:
      return [];
  }
}

/** The former address is the first of its form; the new one is the first that differs from it. */
function moveBetween(
  { wabaId, phoneNumberId }: Pick<Inbox, "wabaId" | "phoneNumberId">,
  form: keyof Address,
  candidates: { from: (string | undefined)[]; to: (string | undefined)[] },
  at: string,
): AddressMove[] {
  const ofForm = (fields: (string | undefined)[]) =>
    fields.flatMap((field) => addressIn([field])?.[form] ?? []);
  const [from] = ofForm(candidates.from);
  const to = ofForm(candidates.to).find((address) => address !== from);
  return from === undefined || to === undefined ? [] : [{ wabaId, phoneNumberId, from, to, at }];
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

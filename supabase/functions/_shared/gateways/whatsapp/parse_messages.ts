import { z } from "zod";
import type { Address } from "../../values/address.ts";
import { platformIdSchema } from "../platform_text.ts";
import { boundedJson, cleanText } from "./bounded_json.ts";
import { addressIn, type Contact, contactOf } from "./inbound_address.ts";
import { fieldsOf, payloadOf, textOf } from "./message_text.ts";
import { isoTime, text, unixTime } from "./webhook_values.ts";

/** Something a person wrote, pressed or sent to one of our numbers. The same message may come more than once. */
export interface InboundMessage {
  wabaId: string;
  phoneNumberId: string;
  /** As the platform shows it, at least one of the two; the user id may be that of the parent account. */
  from: Address;
  /** As the person calls itself; null where the platform does not show it. */
  profileName: string | null;
  username: string | null;
  platformMessageId: string;
  /** The message it replies or reacts to; null when it refers to none. */
  contextId: string | null;
  /** ISO 8601, by the platform's clock. */
  at: string;
  /** The platform's type: `text`, `button`, `interactive`, `image` …; `unknown` without one. */
  kind: string;
  /** As a person would read it; null when there is none. */
  text: string | null;
  /** The rest, as the platform sent it, bounded; null when there is none. */
  content: Record<string, unknown> | null;
  /** Of a pressed button or list entry. */
  buttonPayload: string | null;
}

const identifier = text.optional().catch(undefined);

const messageSchema = z.looseObject({
  id: platformIdSchema,
  timestamp: unixTime.optional().catch(undefined),
  type: z.string().regex(/^[a-z_]{1,40}$/).catch("unknown"),
  from: identifier,
  from_user_id: identifier,
  from_parent_user_id: identifier,
  context: z.looseObject({ id: platformIdSchema.optional().catch(undefined) }).optional().catch(undefined),
});

/** Where a batch of messages came in. */
export interface Inbox {
  wabaId: string;
  phoneNumberId: string;
  contacts: Contact[];
  /** Of the whole batch, in seconds. */
  time: number | undefined;
}

/** Reads a message; null when it has no id or no sender, so that nothing could be done with it. */
export function readMessage(item: unknown, inbox: Inbox, now: Date): InboundMessage | null {
  const message = messageSchema.safeParse(item).data;
  if (message === undefined) return null;
  const kind = message.type === "unknown" ? kindOf(message) : message.type;
  const part = message[kind];
  const { from: given, from_user_id, from_parent_user_id } = message;
  const contact = contactOf(inbox.contacts, [given, from_user_id, from_parent_user_id]);
  const from = addressOf(message, contact, kind === "system" ? fieldsOf(part) : {});
  if (from === null || inbox.phoneNumberId === "") return null;
  return {
    wabaId: inbox.wabaId,
    phoneNumberId: inbox.phoneNumberId,
    from,
    profileName: cleanText(contact?.profile?.name),
    username: cleanText(contact?.profile?.username),
    platformMessageId: message.id,
    contextId: message.context?.id ?? referredId(part),
    at: isoTime(message.timestamp ?? inbox.time, now),
    kind,
    text: textOf(kind, part),
    content: contentOf(message, kind, part),
    buttonPayload: payloadOf(kind, part),
  };
}

type Message = z.infer<typeof messageSchema>;

/** Types that a payload without one can be recognised by. */
const RECOGNISED = [
  "text",
  "button",
  "interactive",
  "image",
  "audio",
  "video",
  "document",
  "sticker",
  "location",
];

function kindOf(message: Message): string {
  return RECOGNISED.find((kind) => typeof message[kind] === "object" && message[kind] !== null) ?? "unknown";
}

/** A message about a change of identity may name its sender in its own part only. */
function addressOf(message: Message, contact: Contact | undefined, system: Record<string, unknown>) {
  const own = [message.from_user_id, contact?.user_id, message.from, contact?.wa_id];
  const parents = [message.from_parent_user_id, contact?.parent_user_id];
  const inSystem = [system.previous_user_id, system.user_id, system.wa_id]
    .map((each) => typeof each === "string" ? each : undefined);
  return addressIn([...own, ...parents]) ?? addressIn(inSystem);
}

/** Reactions, edits and deletions name their message in their own part. */
function referredId(part: unknown): string | null {
  const { message_id, original_message_id } = fieldsOf(part);
  return platformIdSchema.safeParse(message_id ?? original_message_id).data ?? null;
}

/** Parts beside the one of the kind that say something about the message. */
const EXTRAS = ["referral", "errors", "context", "group_id"];

/** A text is kept as text only; whatever comes beside it is not. */
function contentOf(message: Message, kind: string, part: unknown): Record<string, unknown> | null {
  const own = kind === "text" ? {} : Array.isArray(part) ? { [kind]: part } : fieldsOf(part);
  const { id: _, from: __, ...context } = fieldsOf(message.context);
  const extras = EXTRAS.flatMap((name) => {
    const value = name === "context" ? context : message[name];
    return value === undefined || Object.keys(Object(value)).length === 0 ? [] : [[name, value]];
  });
  const bounded = boundedJson({ ...own, ...Object.fromEntries(extras) });
  return bounded !== null && Object.keys(bounded as object).length > 0
    ? bounded as Record<string, unknown>
    : null;
}

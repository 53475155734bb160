import { isNumber } from "../_shared/values/address.ts";
import { foldForWords, verdictOfButton, verdictOfText } from "../_shared/contacts/opt_out_words.ts";
import type {
  InboundMessageRow,
  MoveRow,
  PreferenceRow,
  UserIdLink,
} from "../_shared/db/contacts/inbound.ts";
import type { ReplyReceipt } from "../_shared/db/contacts/replies.ts";
import { readReference, readReplyReference } from "../_shared/dispatching/reference.ts";
import type { InboundMessage } from "../_shared/gateways/whatsapp/parse_messages.ts";
import { MEDIA_KINDS } from "../_shared/gateways/whatsapp/send_message.ts";
import type { AddressMove, Preference } from "../_shared/gateways/whatsapp/parse_preferences.ts";
import type { StatusEvent } from "../_shared/gateways/whatsapp/parse_webhook.ts";
import { uuidv7 } from "../_shared/values/uuid.ts";

/** Kinds whose text the person typed. A caption belongs to a picture. */
const TYPED_KINDS = new Set(["text", "edit"]);
const BUTTON_KINDS = new Set(["button", "interactive"]);

const FILE_KINDS: ReadonlySet<string> = new Set(MEDIA_KINDS);

/**
 * Returns a message in the names of the database, with what it says about marketing.
 *
 * @param options `storesFiles`: whether a media store is set up
 */
export function messageRow(
  message: InboundMessage,
  { storesFiles }: { storesFiles: boolean },
): InboundMessageRow {
  const { kind, text } = message;
  const isButton = BUTTON_KINDS.has(kind);
  const folded = isButton || TYPED_KINDS.has(kind) ? foldForWords(text) : null;
  const verdict = isButton ? verdictOfButton(message.buttonPayload, folded) : verdictOfText(folded);
  return {
    id: uuidv7(),
    waba_id: message.wabaId,
    phone_number_id: message.phoneNumberId,
    ...message.from,
    profile_name: message.profileName,
    username: message.username,
    platform_message_id: message.platformMessageId,
    context_message_id: message.contextId,
    at: message.at,
    kind,
    text,
    content: message.content,
    holds_file: storesFiles && FILE_KINDS.has(kind) && typeof message.content?.id === "string",
    folded: isButton ? null : folded,
    word_says: isButton ? null : verdict?.says ?? null,
    button_says: isButton ? verdict?.says ?? null : null,
    // A company's own word is in whatever language the company speaks.
    confirmations: verdict?.confirmations ?? (folded === null ? [] : ANY_LANGUAGE),
  };
}

const ANY_LANGUAGE = verdictOfButton("OPT_OUT", null)!.confirmations;

/** Returns a preference in the names of the database. */
export function preferenceRow({ wabaId, phoneNumberId, from, ...preference }: Preference): PreferenceRow {
  return { waba_id: wabaId, phone_number_id: phoneNumberId, ...from, ...preference };
}

/** Returns a move in the names of the database. */
export function moveRow({ wabaId, phoneNumberId, ...move }: AddressMove): MoveRow {
  return { waba_id: wabaId, phone_number_id: phoneNumberId || null, ...move };
}

/** Returns a receipt of a reply in the names of the database; null for one of any other message. */
export function replyReceipt(event: StatusEvent): ReplyReceipt | null {
  const reference = readReplyReference(event.reference);
  return reference && {
    waba_id: event.wabaId,
    company_id: reference.companyId,
    id: reference.messageId,
    fence: reference.fence,
    platform_message_id: event.platformMessageId,
    status: event.status,
    error_code: event.error && String(event.error.code),
    reason: event.error && event.error.reason,
  };
}

/** Returns the user id and the number of a message's recipient; null unless it is ours and names both. */
export function userIdLink({ recipientId, recipientUserId, reference, at }: StatusEvent): UserIdLink | null {
  if (recipientUserId === null || !isNumber(recipientId)) return null;
  const ours = messageOf(reference);
  return ours && { ...ours, user_id: recipientUserId, number: recipientId, at };
}

function messageOf(reference: string | null): { company_id: string; id: string } | null {
  const notification = readReference(reference);
  if (notification) return { company_id: notification.companyId, id: notification.notificationId };
  const reply = readReplyReference(reference);
  return reply && { company_id: reply.companyId, id: reply.messageId };
}

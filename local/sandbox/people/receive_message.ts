import { ControlError } from "../control/control_request.ts";
import type { SandboxAccount, SandboxNumber } from "../options.ts";
import type { Platform } from "../platform.ts";
import { reportChange } from "../webhooks/report_change.ts";
import { type ComposedInbound, composeInbound } from "./compose_inbound.ts";
import type { InboundBody, InboundMessage } from "./inbound_message.ts";
import { type Person, profileOf, userIdIn } from "./person.ts";

/** A business and one of its numbers. */
export interface Sender {
  account: SandboxAccount;
  number: SandboxNumber;
}

/** Sends a message from a person to a business: it opens the 24 hours for texts and is reported by webhook. */
export function receiveMessage(
  platform: Platform,
  sender: Sender,
  person: Person,
  body: InboundBody,
): InboundMessage {
  if (person.moved_to !== null) throw new ControlError(409, `+${person.number} is now +${person.moved_to}`);
  if (person.blocked.includes(sender.number.phoneNumberId)) {
    throw new ControlError(409, `+${person.number} has blocked this number`);
  }
  const route = {
    number: person.number,
    waba_id: sender.account.wabaId,
    phone_number_id: sender.number.phoneNumberId,
  };
  return reportMessage(platform, sender, person, composeInbound(platform, route, body));
}

/** Keeps a message in the ledger and in the journal, and reports it by webhook. */
export function reportMessage(
  platform: Platform,
  sender: Sender,
  person: Person,
  { type, content, text, context }: ComposedInbound,
): InboundMessage {
  const { account, number } = sender;
  const now = Date.now();
  const inbound: InboundMessage = {
    id: `wamid.${crypto.randomUUID().replaceAll("-", "")}`,
    number: person.number,
    waba_id: account.wabaId,
    phone_number_id: number.phoneNumberId,
    sender: { name: number.verifiedName, number: number.displayNumber },
    at: new Date(now).toISOString(),
    type,
    text,
    context,
  };
  platform.journal.write({ t: "inbound", inbound });
  restoreInbound(platform, inbound);
  platform.events.publish({ kind: "inbound", inbound });
  const message = {
    ...(person.username === null ? { from: person.number } : {}),
    from_user_id: userIdIn(account.wabaId, person),
    id: inbound.id,
    timestamp: String(Math.floor(now / 1000)),
    type,
    ...(context === null ? {} : { context: { from: number.displayNumber, id: context } }),
    ...content,
  };
  reportChange(platform, {
    waba_id: account.wabaId,
    field: "messages",
    value: { ...personValue(sender, person), messages: [message] },
  });
  return inbound;
}

/** Puts back a message from the journal. The platform's own messages about a person open no window. */
export function restoreInbound(platform: Platform, inbound: InboundMessage): void {
  const { phone_number_id, number, at, type } = inbound;
  platform.ledger.addInbound(inbound);
  if (type !== "system") platform.windows.open(phone_number_id, number, Date.parse(at));
}

/** The start of `value` in every webhook about a person. */
export function personValue({ account, number }: Sender, person: Person): Record<string, unknown> {
  return {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: number.displayNumber, phone_number_id: number.phoneNumberId },
    contacts: [{ profile: profileOf(person), ...personIds(account.wabaId, person) }],
  };
}

/** How webhooks name a person: the number is left out where the person hides it. */
export function personIds(wabaId: string, person: Person): { wa_id?: string; user_id: string } {
  return {
    ...(person.username === null ? { wa_id: person.number } : {}),
    user_id: userIdIn(wabaId, person),
  };
}

import type { Fault } from "./send_fault.ts";
import { personView } from "../people/person.ts";
import type { Platform } from "../platform.ts";
import type { Composed } from "./compose_message.ts";
import { planDelivery } from "./delivery_plan.ts";
import type { StoredMessage } from "./message.ts";
import { describeRecipient } from "./recipient.ts";
import type { Send } from "./send.ts";

export interface Acceptance extends Composed {
  send: Send;
  fault: Fault;
}

/** Accepts a message. Writes it to the journal first. Its plan starts now unless a fault starts it early. */
export function acceptMessage(platform: Platform, acceptance: Acceptance): StoredMessage {
  const stored = storedMessage(acceptance, platform);
  platform.journal.write({ t: "message", stored });
  platform.ledger.add(stored);
  platform.counters.accepted += 1;
  platform.events.publish({
    kind: "message",
    message: { ...stored.message, statuses: [] },
    person: personView(acceptance.send.person),
  });
  if (!acceptance.fault.early_webhook) platform.delivery.start(stored);
  return stored;
}

function storedMessage(
  { send, template, rendered, fails, fault }: Acceptance,
  platform: Platform,
): StoredMessage {
  const { account, number, body, person } = send;
  const recipient = describeRecipient(person, account.wabaId, body);
  const now = Date.now();
  return {
    message: {
      id: messageId(person.number),
      to: body.to ?? `+${person.number}`,
      user_id: recipient.user_id,
      by_user_id: recipient.by_user_id,
      waba_id: account.wabaId,
      phone_number_id: number.phoneNumberId,
      sender: { name: number.verifiedName, number: number.displayNumber },
      biz_opaque_callback_data: body.biz_opaque_callback_data ?? null,
      type: body.type,
      edge: send.edge,
      context: body.context?.message_id ?? null,
      template: template && { name: template.name, language: template.language, category: template.category },
      parameters: body.type === "template" ? body.template.components ?? [] : [],
      rendered,
      accepted_at: new Date(now).toISOString(),
      answered_at: null,
      statuses: [],
    },
    plan: planDelivery({
      to: person.number,
      now,
      settings: platform.settings,
      fault,
      type: body.type,
      ...(fails !== undefined && { fails }),
    }),
    echo: fault.no_echo !== true,
    recipient: fault.empty_wa_id ? { ...recipient, wa_id: "" } : recipient,
  };
}

/** Ids are random, not seeded: they must differ from those of the run before a restart. */
function messageId(to: string): string {
  const serial = crypto.randomUUID().replaceAll("-", "").slice(0, 20).toUpperCase();
  return `wamid.${btoa(`\x1d\x18${to}\x15\x02\x00\x11\x18${serial}`)}`;
}

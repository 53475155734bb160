import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";

/** A notification that the platform has taken, as its events describe it. */
export interface SentMessage {
  company_id: string;
  notification_id: string;
  /** Of the attempt that the platform took. */
  fence: number;
  platform_message_id: string;
  number: string;
}

/** The later life of a message, and how many messages are taken until it happens. */
export interface EventOrder {
  /** The platform's account and number. */
  wabaId: string;
  phoneNumberId: string;
  /** Events per request. */
  batch: number;
  /** `delivered` comes after so many other messages were taken, and `read` after twice as many. */
  lag: number;
}

const STATUSES = ["sent", "delivered", "read"] as const;

/** The platform's calls about messages that were taken one after the other: each is sent, delivered and read. */
export function statusBodies(messages: SentMessage[], order: EventOrder): string[] {
  const events = messages.flatMap((message, index) =>
    STATUSES.map((status, step) => ({ message, status, position: index + step * order.lag }))
  ).sort((a, b) => a.position - b.position);
  const timestamp = String(Math.floor(Date.now() / 1000));
  return Array.from({ length: Math.ceil(events.length / order.batch) }, (_, index) => {
    const some = events.slice(index * order.batch, (index + 1) * order.batch);
    return envelope(order, some.map(({ message, status }) => entry(message, status, timestamp)));
  });
}

function envelope({ wabaId, phoneNumberId }: EventOrder, statuses: unknown[]): string {
  const metadata = { display_phone_number: "34911222333", phone_number_id: phoneNumberId };
  const value = { messaging_product: "whatsapp", metadata, statuses };
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: wabaId, changes: [{ field: "messages", value }] }],
  });
}

function entry(message: SentMessage, status: string, timestamp: string): unknown {
  const { company_id: companyId, notification_id: notificationId, fence } = message;
  return {
    id: message.platform_message_id,
    status,
    timestamp,
    recipient_id: message.number,
    biz_opaque_callback_data: writeReference({ companyId, notificationId, fence }),
    ...(status !== "read" && {
      pricing: { billable: true, pricing_model: "PMP", type: "regular", category: "utility" },
    }),
  };
}

import type { SendComponent } from "./send.ts";
import type { RenderedMessage } from "./render_message.ts";
import type { DeliveryStep } from "./delivery_plan.ts";

/** A status that a message has reached. Times are ISO 8601 in UTC. */
export interface MessageStatus {
  status: "sent" | "delivered" | "read" | "failed";
  at: string;
  /** When its webhook got a 200 response; `null` before. */
  webhook_at: string | null;
  error?: { code: number; title: string };
}

/** An accepted message, as the ledger shows it. */
export interface SandboxMessage {
  id: string;
  /** The recipient's number: as it was sent, or that of the user id to which it was sent. */
  to: string;
  /** The recipient's user id. */
  user_id: string;
  /** Whether it was sent to the user id, not to the number. */
  by_user_id: boolean;
  waba_id: string;
  phone_number_id: string;
  sender: { name: string; number: string };
  biz_opaque_callback_data: string | null;
  /** `template`, `text`, `image` … */
  type: string;
  /** The id of the message that it answers. */
  context: string | null;
  /** Where it was posted. */
  edge: "messages" | "marketing_messages";
  /** Null for any other message than a template. */
  template: { name: string; language: string; category: string } | null;
  parameters: SendComponent[];
  rendered: RenderedMessage;
  accepted_at: string;
  /** When the client got the whole HTTP response; `null` if it did not. */
  answered_at: string | null;
  statuses: MessageStatus[];
}

/** The recipient of a message, as responses and webhooks name them. */
export interface Recipient {
  /** The digits of the number; empty by a fault, null where the person hides it. */
  wa_id: string | null;
  user_id: string;
  by_user_id: boolean;
  profile: { name: string; username?: string };
}

/** A message in the journal: the ledger's view and what is still to happen. */
export interface StoredMessage {
  message: SandboxMessage;
  plan: DeliveryStep[];
  echo: boolean;
  recipient: Recipient;
}

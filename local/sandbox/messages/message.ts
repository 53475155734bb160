import type { SendComponent } from "./send_body.ts";
import type { RenderedMessage } from "./render_message.ts";
import type { DeliveryStep } from "./delivery_plan.ts";

/** A status a message has reached. Times are ISO 8601 in UTC. */
export interface MessageStatus {
  status: "sent" | "delivered" | "read" | "failed";
  at: string;
  /** When our webhook about it was answered 200; `null` while it was not. */
  webhook_at: string | null;
  error?: { code: number; title: string };
}

/** A message the sandbox took, as the ledger shows it. */
export interface SandboxMessage {
  id: string;
  /** As it was sent. */
  to: string;
  waba_id: string;
  phone_number_id: string;
  sender: { name: string; number: string };
  biz_opaque_callback_data: string | null;
  /** Null for a text message. */
  template: { name: string; language: string; category: string } | null;
  parameters: SendComponent[];
  rendered: RenderedMessage;
  accepted_at: string;
  /** When the HTTP answer was handed over in full; `null` when it was not. */
  answered_at: string | null;
  statuses: MessageStatus[];
}

/** What the journal keeps of a message: the ledger's view and what is still to happen. */
export interface StoredMessage {
  message: SandboxMessage;
  plan: DeliveryStep[];
  echo: boolean;
  /** The person's number as answers and webhooks name it; may be empty. */
  wa_id: string;
}

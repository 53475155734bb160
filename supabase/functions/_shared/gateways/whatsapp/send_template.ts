import type { Address } from "../../values/address.ts";
import type { PostOptions } from "../posting/posted_request.ts";
import type { SendOutcome } from "../send_outcome.ts";
import type { WhatsappConfig } from "./errors.ts";
import { addressFields, postMessage, type SendEdge } from "./post_message.ts";

/** One template message to one recipient. */
export interface TemplateMessage {
  phoneNumberId: string;
  token: string;
  to: Address;
  /** Comes back with every event about the message, at most 512 characters. */
  reference: string;
  template: { name: string; language: string; components: unknown[] };
  /** @default messages */
  edge?: SendEdge;
}

/**
 * Asks the platform to send one template message. Never throws for what the platform or the network does, and returns
 * `not_sent` only when the request certainly never left this machine.
 */
export function sendTemplate(
  config: WhatsappConfig,
  message: TemplateMessage,
  options: PostOptions,
): Promise<SendOutcome> {
  return postMessage(config, { ...message, body: () => messageBody(message) }, options);
}

/** Returns the body of the send request. Source: WhatsApp Cloud API, send messages. */
function messageBody({ to, reference, template, edge }: TemplateMessage): Record<string, unknown> {
  const { name, language, components } = template;
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...addressFields(to),
    type: "template",
    biz_opaque_callback_data: reference,
    // Where the account is not ready for this endpoint, the platform sends it as an ordinary message.
    ...(edge === "marketing_messages" && { product_policy: "CLOUD_API_FALLBACK" }),
    template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
  };
}

import type { Address } from "../../address.ts";
import type { SendOutcome } from "../send_outcome.ts";
import type { WhatsappConfig } from "./errors.ts";
import { addressFields, postMessage } from "./post_message.ts";

/** One template message to one recipient. */
export interface TemplateMessage {
  phoneNumberId: string;
  token: string;
  to: Address;
  /** Comes back with every event about the message, at most 512 characters. */
  reference: string;
  template: { name: string; language: string; components: unknown[] };
}

/**
 * Asks the platform to send one template message. Never throws for what the platform or the network does, and returns
 * `not_sent` only when the request certainly never left this machine.
 */
export async function sendTemplate(
  config: WhatsappConfig,
  message: TemplateMessage,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<SendOutcome> {
  return await postMessage(config, { ...message, body: () => messageBody(message) }, options);
}

/** Returns the body of the send request. Source: WhatsApp Cloud API, send messages. */
function messageBody({ to, reference, template }: TemplateMessage): Record<string, unknown> {
  const { name, language, components } = template;
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...addressFields(to),
    type: "template",
    biz_opaque_callback_data: reference,
    template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
  };
}

import type { Address } from "../../values/address.ts";
import type { PostOptions } from "../posting/posted_request.ts";
import type { SendOutcome } from "../send_outcome.ts";
import type { WhatsappConfig } from "./errors.ts";
import { addressFields, postMessage } from "./post_message.ts";

export const MEDIA_KINDS = ["image", "audio", "video", "document", "sticker"] as const;

export type MediaKind = typeof MEDIA_KINDS[number];

/** A file that is sent: one the platform fetches, or one that was uploaded to it. */
export interface Media {
  link?: string | undefined;
  id?: string | undefined;
  caption?: string | undefined;
  /** Documents only. */
  filename?: string | undefined;
}

/** One message that is no template, to a person who wrote a short time ago. */
export interface FreeMessage {
  phoneNumberId: string;
  token: string;
  to: Address;
  /** Comes back with every event about the message, at most 512 characters. */
  reference: string;
  /** The message it replies to, by the platform's id. */
  contextId: string | null;
  content: { kind: "text"; text: string } | { kind: MediaKind; media: Media };
}

/**
 * Asks the platform to send one message that is no template. Never throws for what the platform or the network does, and
 * returns `not_sent` only when the request certainly never left this machine.
 */
export async function sendMessage(
  config: WhatsappConfig,
  message: FreeMessage,
  options: PostOptions,
): Promise<SendOutcome> {
  return await postMessage(config, { ...message, body: () => messageBody(message) }, options);
}

/** Returns the body of the send request. Source: WhatsApp Cloud API, send messages. */
function messageBody({ to, reference, contextId, content }: FreeMessage): Record<string, unknown> {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...addressFields(to),
    type: content.kind,
    biz_opaque_callback_data: reference,
    ...(contextId !== null && { context: { message_id: contextId } }),
    [content.kind]: content.kind === "text" ? { body: content.text, preview_url: true } : content.media,
  };
}

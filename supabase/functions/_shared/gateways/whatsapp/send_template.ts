import { z } from "zod";
import { platformIdSchema } from "../platform_id.ts";
import { fitsHeader, type PlatformAnswer, postOnce } from "../post_once.ts";
import { retryAfterSeconds } from "../retry_after.ts";
import type { ErrorAction, SendOutcome } from "../send_outcome.ts";
import { platformUrl, type WhatsappConfig } from "./config.ts";
import { actionForStatus } from "./error_actions.ts";
import { errorOf, readPlatformError } from "./platform_error.ts";

/** One template message to one recipient. */
export interface TemplateMessage {
  phoneNumberId: string;
  token: string;
  /** Digits with the country code. The `+` without which the platform would guess a country is added here. */
  to: string;
  /** Comes back with every event about the message, at most 512 characters. */
  reference: string;
  template: { name: string; language: string; components: unknown[] };
}

const acceptedSchema = z.object({
  messages: z.array(z.object({
    id: platformIdSchema,
    message_status: z.string().optional().catch(undefined),
  })).min(1),
});

/**
 * Asks the platform to send one template message. Never throws for what the platform or the network does, and says
 * `not_sent` only when the request surely never left this machine.
 */
export async function sendTemplate(
  config: WhatsappConfig,
  message: TemplateMessage,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<SendOutcome> {
  if (!fitsHeader(message.token)) return malformedToken();
  const answer = await postOnce({
    url: platformUrl(config, message.phoneNumberId, "messages"),
    headers: { authorization: `Bearer ${message.token}` },
    body: () => sendCall(message),
    fetch: config.fetch,
  }, options);
  return answer.kind === "answered" ? outcomeOf(answer, message.token) : answer;
}

/** As if the platform had refused it: the sender is of no use before somebody gives it another token. */
function malformedToken(): SendOutcome {
  const reason = "The sender's access token is malformed";
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}

/** The body of the platform's send call. Source: WhatsApp Cloud API, send messages. */
function sendCall({ to, reference, template }: TemplateMessage): Record<string, unknown> {
  const { name, language, components } = template;
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: `+${to}`,
    type: "template",
    biz_opaque_callback_data: reference,
    template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
  };
}

function outcomeOf({ httpStatus, headers, body }: PlatformAnswer, token: string): SendOutcome {
  const taken = httpStatus < 300 ? acceptedSchema.safeParse(body).data?.messages[0] : undefined;
  if (taken !== undefined) {
    const held = taken.message_status === "held_for_quality_assessment";
    return { kind: "accepted", providerMessageId: taken.id, httpStatus, held };
  }
  const refusal = readPlatformError(errorOf(body), { httpStatus, token }) ?? refusalByStatus(httpStatus);
  if (refusal === null) {
    return {
      kind: "unknown",
      httpStatus,
      reason: `The platform answered HTTP ${httpStatus} without a result`,
    };
  }
  const retryAfterS = retryAfterSeconds(headers);
  return { kind: "refused", ...refusal, httpStatus, ...(retryAfterS !== undefined && { retryAfterS }) };
}

/** Without the platform's own error, only a redirect or a 4xx surely means that the message was not taken. */
function refusalByStatus(httpStatus: number): { action: ErrorAction; code: null; reason: string } | null {
  if (httpStatus < 300 || httpStatus >= 500) return null;
  const reason = `The platform answered HTTP ${httpStatus} without a reason`;
  return { ...actionForStatus(httpStatus, reason), code: null };
}

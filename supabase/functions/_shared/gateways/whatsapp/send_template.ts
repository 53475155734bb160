import { z } from "zod";
import { bodySentOnce } from "./body_sent_once.ts";
import { platformUrl, type WhatsappConfig } from "./config.ts";
import { startDeadline } from "./deadline.ts";
import { actionForStatus, type ErrorAction } from "./error_actions.ts";
import { HEADER_TOKEN } from "./header_token.ts";
import { messageIdSchema } from "./message_id.ts";
import { networkFailure } from "./network_failure.ts";
import { errorOf, readPlatformError } from "./platform_error.ts";
import { readJson } from "./read_json.ts";
import { retryAfterSeconds } from "./retry_after.ts";

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

/** What became of a send. Only `unknown` may have reached the recipient without our being told. */
export type SendOutcome =
  | { kind: "accepted"; providerMessageId: string; httpStatus: number; held: boolean }
  | {
    kind: "refused";
    action: ErrorAction;
    code: number | null;
    httpStatus: number;
    reason: string;
    retryAfterS?: number;
  }
  | { kind: "not_sent"; reason: string }
  | { kind: "unknown"; httpStatus: number | null; reason: string };

const LONGEST_ANSWER = 64 * 1024;

const acceptedSchema = z.object({
  messages: z.array(z.object({
    id: messageIdSchema,
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
  if (options.signal?.aborted) return { kind: "not_sent", reason: "Stopped before the message was sent" };
  if (!HEADER_TOKEN.test(message.token)) return malformedToken();
  const deadline = startDeadline(options.timeoutMs, options.signal);
  try {
    const response = await (config.fetch ?? fetch)(platformUrl(config, message.phoneNumberId, "messages"), {
      method: "POST",
      headers: { authorization: `Bearer ${message.token}`, "content-type": "application/json" },
      body: bodySentOnce(() => sendCall(message)),
      redirect: "manual",
      signal: deadline.signal,
    });
    return outcomeOf(response, await readJson(response, LONGEST_ANSWER), message.token);
  } catch (error) {
    return networkFailure(error);
  } finally {
    deadline.clear();
  }
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

function outcomeOf(response: Response, body: unknown, token: string): SendOutcome {
  const httpStatus = response.status;
  const taken = response.ok ? acceptedSchema.safeParse(body).data?.messages[0] : undefined;
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
  const retryAfterS = retryAfterSeconds(response.headers);
  return { kind: "refused", ...refusal, httpStatus, ...(retryAfterS !== undefined && { retryAfterS }) };
}

/** Without the platform's own error, only a redirect or a 4xx surely means that the message was not taken. */
function refusalByStatus(httpStatus: number): { action: ErrorAction; code: null; reason: string } | null {
  if (httpStatus < 300 || httpStatus >= 500) return null;
  const reason = `The platform answered HTTP ${httpStatus} without a reason`;
  return { ...actionForStatus(httpStatus, reason), code: null };
}

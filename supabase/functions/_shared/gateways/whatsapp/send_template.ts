import { z } from "zod";
import { platformUrl, type WhatsappConfig } from "./config.ts";
import { startDeadline } from "./deadline.ts";
import { actionForStatus, type ErrorAction } from "./error_actions.ts";
import { messageIdSchema } from "./message_id.ts";
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
/** What a header can carry. The runtime's own error about anything else would quote the token. */
const HEADER_TOKEN = /^[\x21-\x7e]+$/;

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
      body: bodySentOnce(message),
      redirect: "manual",
      signal: deadline.signal,
    });
    return outcomeOf(response, await readJson(response, LONGEST_ANSWER), message.token);
  } catch (error) {
    return outcomeOfFailure(error);
  } finally {
    deadline.clear();
  }
}

/** As if the platform had refused it: the sender is of no use before somebody gives it another token. */
function malformedToken(): SendOutcome {
  const reason = "The sender's access token is malformed";
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}

/**
 * A stream, because Deno sends a request whose body it can copy a second time when a kept-alive connection breaks after
 * the first (denoland/deno pull requests 32566 and 36415): the recipient would get the message twice, and a refused
 * second connection would look as if nothing had been sent. Measured per send: text 75 µs, this 84, a blob 102.
 */
function bodySentOnce(message: TemplateMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(JSON.stringify(sendCall(message))));
      controller.close();
    },
  });
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

function outcomeOfFailure(error: unknown): SendOutcome {
  const connecting = connectFailure(error);
  if (connecting !== null) return { kind: "not_sent", reason: connecting };
  return { kind: "unknown", httpStatus: null, reason: waitingFailure(error) };
}

/**
 * Deno's fetch tells a failure to connect (refused, name lookup, TLS) from later ones only by its text: in the error's
 * message on 2.1, in its cause's on 2.9. Seen by experiment; the tests run into each of them.
 */
function connectFailure(error: unknown): string | null {
  const text = messagesOf(error);
  if (!text.includes("client error (Connect)")) return null;
  if (text.includes("dns error")) return "The platform's host name could not be resolved";
  if (/\btls\b|certificate|corrupt message/i.test(text)) {
    return "No secure connection to the platform could be made";
  }
  return "No connection to the platform could be made";
}

function waitingFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError") return "The platform did not answer in time";
  if (name === "AbortError") return "Stopped while waiting for the platform's answer";
  return "The connection to the platform broke before it answered";
}

function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";
}

import { z } from "zod";
import { platformWords } from "../platform_text.ts";
import type { PlatformTransport } from "../posting/post_once.ts";
import type { ErrorAction, RefusalAdvice } from "../send_outcome.ts";
import { type AppError, notSetUp, upstreamUnavailable } from "../../errors.ts";

/** The address of the platform. A stand-in differs in `apiUrl` only. */
export interface WhatsappConfig extends PlatformTransport {
  /** Without a version segment, `https://graph.facebook.com`. */
  apiUrl: string;
  /** `v25.0`. */
  apiVersion: string;
}

/** Returns the URL of one of the platform's objects, or of one of its edges, such as the messages of a phone number. */
export function platformUrl(config: WhatsappConfig, id: string, edge?: string): string {
  const object = `${config.apiUrl}/${config.apiVersion}/${encodeURIComponent(id)}`;
  return edge === undefined ? object : `${object}/${edge}`;
}

/** A refusal of the platform, and what we do about it. */
export interface PlatformError {
  code: number;
  action: ErrorAction;
  /** For people: our plain words, then the platform's: its details, else its message, else the title of the error. */
  reason: string;
}

/** The same in responses and in webhooks. Only `code` can be relied on. Source: WhatsApp Cloud API, error codes. */
const errorSchema = z.looseObject({
  code: z.int(),
  message: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  error_user_msg: z.string().optional().catch(undefined),
  error_data: z.union([z.string(), z.looseObject({ details: z.string() })]).optional().catch(undefined),
});

/** Returns the error object of a response's body, if it has one. */
export function errorOf(body: unknown): unknown {
  return typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
}

/**
 * Reads an error object of the platform; null when it is none. The platform's words may quote the request, so its token
 * is removed from them.
 */
export function readPlatformError(
  value: unknown,
  request: { httpStatus?: number; token?: string } = {},
): PlatformError | null {
  const parsed = errorSchema.safeParse(value);
  if (!parsed.success) return null;
  const { code, message, title, error_data: data, error_user_msg: userMessage } = parsed.data;
  const details = typeof data === "string" ? data : data?.details ?? userMessage;
  const advice = actionFor(code, request.httpStatus, details);
  const words = platformWords(details || message || title || "", request.token);
  return { code, action: advice.action, reason: words === "" ? advice.reason : `${advice.reason}: ${words}` };
}

/** The platform's codes. Source: WhatsApp Cloud API, error codes; actions are our reading of its advice. */
export const WHATSAPP_CODES: Record<number, [action: ErrorAction, reason: string]> = {
  0: ["stop_sender", "The sender's access token is not accepted"],
  1: ["retry", "The platform could not understand the request or had a fault"],
  2: ["retry", "The platform is overloaded or down for a short time"],
  3: ["stop_sender", "The app lacks a capability or a permission"],
  4: ["slow_sender", "The app made too many calls to the platform"],
  10: ["stop_sender", "The app's permission is missing or was removed"],
  33: ["stop_sender", "The sender's phone number was deleted"],
  100: ["fail", "The platform does not know or accept a parameter of the message"],
  190: ["stop_sender", "The sender's access token has expired or was withdrawn"],
  368: ["lock_sender", "The business account is restricted for breaking the platform's policy"],
  80007: ["slow_sender", "The business account reached its rate limit"],
  80008: ["slow_sender", "Too many calls were made for the business account"],
  130403: ["fail", "The business blocked this recipient"],
  130429: ["slow_sender", "The sender's phone number reached its throughput limit"],
  130472: ["fail", "The recipient is part of a marketing experiment of the platform"],
  130497: ["fail", "The business account may not message recipients in this country"],
  131000: ["retry", "The platform had an unknown fault"],
  131005: ["stop_sender", "A permission to send is missing"],
  131008: ["fail", "The message lacks a required parameter"],
  131009: ["fail", "A parameter of the message has a wrong value"],
  131016: ["retry", "The platform is unavailable for a short time"],
  131021: ["fail", "The recipient is the sender itself"],
  131026: ["fail", "The number is not on WhatsApp or cannot receive the message"],
  131030: ["fail", "The recipient is not on the test number's list of allowed recipients"],
  131031: ["lock_sender", "The business account is locked"],
  131037: ["stop_sender", "The display name of the sender's number is not approved"],
  131042: ["stop_sender", "The business account has a payment problem"],
  131045: ["stop_sender", "The sender's phone number is not registered properly"],
  131047: ["fail", "More than 24 hours have passed since the recipient last wrote"],
  131048: ["stop_sender", "The sender's number is restricted after being blocked or reported"],
  131049: ["fail", "The platform withheld the message to spare the recipient more marketing"],
  131050: ["fail", "The recipient stopped marketing messages of this business"],
  131051: ["fail", "The platform does not support this type of message"],
  131052: ["fail", "The recipient's media could not be downloaded"],
  131053: ["fail", "The platform could not use the media"],
  131056: ["retry_recipient", "Too many messages went to this recipient in a short time"],
  131057: ["retry", "The business account is in maintenance for about a minute"],
  131061: [
    "stop_template",
    "The template has a maximum price, so it must go by the marketing endpoint: set the sender's marketing endpoint to marketing_messages",
  ],
  131062: [
    "fail",
    "Neither authentication templates nor those with a maximum price can go to a recipient without a phone number",
  ],
  131063: [
    "stop_template",
    "The business account takes marketing by its marketing endpoint only: set the sender's marketing endpoint to marketing_messages",
  ],
  131064: ["stop_sender", "The business account is limited after a template was put in the wrong category"],
  132000: ["check_template", "The number of values differs from the template's variables"],
  132001: ["stop_template", "The template does not exist in this language or is not approved"],
  132005: ["fail", "The filled-in text is too long"],
  132007: ["stop_template", "The template breaks the platform's content policy"],
  132012: ["check_template", "A value is not of the form the template wants"],
  132015: ["stop_template", "The template is paused because of its low quality"],
  132016: ["stop_template", "The template was disabled because of its low quality"],
  132018: ["fail", "The values hold text the platform does not allow"],
  132068: ["stop_template", "The template's flow is blocked"],
  132069: ["stop_template", "The template's flow is throttled"],
  133000: ["stop_sender", "The sender's phone number was not deregistered completely"],
  133004: ["retry", "The platform is unavailable for a short time"],
  133005: ["stop_sender", "The PIN of the sender's phone number is wrong"],
  133006: ["stop_sender", "The sender's phone number has to be verified again"],
  133008: ["stop_sender", "The PIN of the sender's phone number was entered wrongly too often"],
  133009: ["stop_sender", "The PIN of the sender's phone number was entered too quickly"],
  133010: ["stop_sender", "The sender's phone number is not registered"],
  133015: ["stop_sender", "The sender's phone number was deleted a short time ago"],
  133016: ["stop_sender", "The sender's phone number was registered too often"],
  134011: ["stop_sender", "The platform's payment terms were not accepted"],
  135000: ["fail", "The platform found an unknown problem in the message's parameters"],
};

const PERMISSION: RefusalAdvice = { action: "stop_sender", reason: "A permission of the app is missing" };
const MEDIA_FETCH = 131053;

/**
 * Returns the advice for a code of the platform. For a code that is not in its list the HTTP status decides; without one,
 * as in a webhook, the message fails. `details` are the platform's own: they distinguish media that cannot be used from a
 * media host that was busy.
 */
export function actionFor(code: number, httpStatus?: number, details?: string): RefusalAdvice {
  if (code >= 200 && code <= 299) return PERMISSION;
  const known = Object.hasOwn(WHATSAPP_CODES, code) ? WHATSAPP_CODES[code] : undefined;
  if (known === undefined) {
    return actionForStatus(httpStatus, `The platform refused the message with code ${code}`);
  }
  const [action, reason] = known;
  return code === MEDIA_FETCH && isBusyHost(details) ? { action: "retry", reason } : { action, reason };
}

/** Returns the advice for a refusal without a code, by its HTTP status. */
export function actionForStatus(httpStatus: number | undefined, reason: string): RefusalAdvice {
  const status = httpStatus ?? 400;
  if (status === 401 || status === 403) return { action: "stop_sender", reason };
  if (status === 429) return { action: "slow_sender", reason };
  return { action: status >= 500 || status < 400 ? "retry" : "fail", reason };
}

function isBusyHost(details: string | undefined): boolean {
  return details !== undefined && /\b(429|5\d\d)\b/.test(details);
}

/** Whether the platform refuses the sender's token, permissions or account: only the operator can correct that. */
export function refusesAccount(action: ErrorAction): boolean {
  return action === "stop_sender" || action === "lock_sender";
}

/** Returns the 502 for such a refusal. The token does not recover by itself. */
export function accountRefused(message: string): AppError {
  return notSetUp("whatsapp", message);
}

/** Returns the 502 for a platform that cannot be reached, cannot be understood or is busy; `details.service` is `whatsapp`. */
export function platformUnavailable(
  message: string,
  options: {
    details?: Record<string, unknown> | undefined;
    retryAfterS?: number | undefined;
    recovery?: Date | undefined;
  } = {},
): AppError {
  return upstreamUnavailable("whatsapp", message, options);
}

import { z } from "zod";
import { type Address, NUMBER } from "../../values/address.ts";
import { platformIdSchema } from "../platform_text.ts";
import { fitsHeader, retryAfterSeconds } from "../http_client.ts";
import { postOnce } from "../posting/post_once.ts";
import type { PlatformResponse, PostOptions } from "../posting/posted_request.ts";
import type { ErrorAction, SendOutcome } from "../send_outcome.ts";
import { actionForStatus, errorOf, platformUrl, readPlatformError, type WhatsappConfig } from "./errors.ts";

/** Where a number's messages are posted. The second one takes templates of category MARKETING only. */
export type SendEdge = "messages" | "marketing_messages";

/** A message of any kind, on its way from one of our numbers. */
export interface PostedMessage {
  phoneNumberId: string;
  token: string;
  to: Address;
  /** @default messages */
  edge?: SendEdge;
  /** Returns the body of the request. */
  body(): Record<string, unknown>;
}

const acceptedSchema = z.object({
  messages: z.array(z.object({
    id: platformIdSchema,
    message_status: z.string().optional().catch(undefined),
  })).min(1),
  // Left out, or empty, for people who hide their number.
  contacts: z.array(z.object({
    input: z.string().optional().catch(undefined),
    wa_id: z.string().regex(NUMBER).optional().catch(undefined),
    user_id: z.string().optional().catch(undefined),
  })).catch([]).default([]),
});

type Accepted = z.infer<typeof acceptedSchema>;

/**
 * Asks the platform to send a message. Never throws for what the platform or the network does, and returns `not_sent` only
 * when the request certainly never left this machine.
 */
export async function postMessage(
  config: WhatsappConfig,
  { phoneNumberId, token, to, edge = "messages", body }: PostedMessage,
  options: PostOptions,
): Promise<SendOutcome> {
  if (!fitsHeader(token)) return malformedToken();
  let accepted: Accepted | undefined;
  const response = await postOnce(config, {
    url: platformUrl(config, phoneNumberId, edge),
    headers: { authorization: `Bearer ${token}` },
    body,
    owns(received) {
      accepted = acceptedSchema.safeParse(received).data;
      return isAbout(to, accepted);
    },
  }, options);
  return response.kind === "responded" ? outcomeOf(response, accepted, token) : response;
}

/**
 * A response belongs to its request: where the platform repeats whom it was asked to write to, that is the recipient. A
 * faulty proxy may send a response twice, and the second one meets the next request.
 */
function isAbout({ number, user_id }: Address, accepted: Accepted | undefined): boolean {
  const contact = accepted?.contacts[0];
  if (number !== null) return contact?.input === undefined || contact.input.replace(/\D/g, "") === number;
  // A parent account's id may come back as the person's own.
  const repeated = contact?.input ?? (user_id?.includes(".ENT.") ? undefined : contact?.user_id);
  return repeated === undefined || repeated === user_id;
}

/**
 * Returns the fields that name a recipient: the number if there is one, because the platform prefers it as well. Without
 * the `+` the platform would guess a country. Source: WhatsApp Cloud API, business-scoped user ids.
 */
export function addressFields({ number, user_id }: Address): Record<string, unknown> {
  return number === null ? { recipient: user_id } : { to: `+${number}` };
}

/** Returns a refusal as if the platform had made it: the sender is of no use before a member gives it another token. */
function malformedToken(): SendOutcome {
  const reason = "The sender's access token is malformed";
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}

function outcomeOf(
  { httpStatus, headers, body }: PlatformResponse,
  accepted: Accepted | undefined,
  token: string,
): SendOutcome {
  if (httpStatus < 300 && accepted !== undefined) {
    const { id, message_status } = accepted.messages[0]!;
    const { input, wa_id } = accepted.contacts[0] ?? {};
    return {
      kind: "accepted",
      platformMessageId: id,
      httpStatus,
      // `postOnce` has compared the input with the recipient.
      platformNumber: input === undefined ? null : wa_id ?? null,
      ...(message_status === "held_for_quality_assessment" && { heldForQuality: true }),
    };
  }
  const refusal = readPlatformError(errorOf(body), { httpStatus, token }) ?? refusalByStatus(httpStatus);
  if (refusal === null) {
    return {
      kind: "unknown",
      httpStatus,
      reason: `The platform responded with HTTP ${httpStatus} without a result`,
    };
  }
  const retryAfterS = retryAfterSeconds(headers);
  return { kind: "refused", ...refusal, httpStatus, ...(retryAfterS !== undefined && { retryAfterS }) };
}

/**
 * Without the platform's own error, only a redirect or a 4xx proves that the message was not accepted; not a 408, by
 * which a proxy may close a connection that was idle until now.
 */
function refusalByStatus(httpStatus: number): { action: ErrorAction; code: null; reason: string } | null {
  if (httpStatus < 300 || httpStatus >= 500 || httpStatus === 408) return null;
  const reason = `The platform responded with HTTP ${httpStatus} without a reason`;
  return { ...actionForStatus(httpStatus, reason), code: null };
}

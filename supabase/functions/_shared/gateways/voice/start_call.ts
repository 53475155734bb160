import { z } from "zod";
import { platformIdSchema, platformWords } from "../platform_text.ts";
import { fitsHeader, retryAfterSeconds } from "../http_client.ts";
import { postOnce } from "../posting/post_once.ts";
import type { PlatformResponse, PostOptions } from "../posting/posted_request.ts";
import type { SendOutcome } from "../send_outcome.ts";
import { authorization, type VoiceConfig, voiceUrl } from "./client.ts";
import { forgetNumberPath, numberPath } from "./number_provider.ts";
import { readPlatformError } from "./errors.ts";
import { REFERENCE_VARIABLE } from "./fields.ts";

/** One call of an agent to one recipient. */
export interface OutboundCall {
  apiKey: string;
  /** The platform's id of the number to call from. */
  phoneNumberId: string;
  /** The platform's id of the agent. */
  agentId: string;
  /** Digits with the country code. */
  to: string;
  /** Leads from every report on the call back to the notification. The platform finds calls by it. */
  reference: string;
  /** The same, with the span that makes the call where it is traced. */
  tracedReference: string;
  /** The values that the agent uses in the conversation. */
  dynamicVariables: Record<string, string | number | boolean>;
}

const WRONG_PATH = "invalid_provider_config";

const startedSchema = z.looseObject({
  success: z.boolean(),
  message: z.string().optional().catch(undefined),
  conversation_id: platformIdSchema.nullish().catch(undefined),
});

/**
 * Asks the platform to make one call, on the path that belongs to the provider of the number. Never throws for what the
 * platform or the network does, and never asks twice where the first request may have made a phone ring. A second request
 * is made only when the number has moved to another provider: the platform refuses that before it dials. `accepted` means
 * that the platform dials, not that the recipient takes the call.
 */
export async function startCall(
  config: VoiceConfig,
  call: OutboundCall,
  options: PostOptions,
): Promise<SendOutcome> {
  if (!fitsHeader(call.apiKey)) {
    return refusedUnasked("The sender's API key is malformed");
  }
  const number = await numberPath(config, call, options);
  if (!("path" in number)) return number;
  const outcome = await dial(config, number.path, call, options);
  if (outcome.kind !== "refused" || outcome.code !== WRONG_PATH) return outcome;
  forgetNumberPath(config, call.phoneNumberId);
  const moved = await numberPath(config, call, options);
  if (!("path" in moved)) return moved;
  return moved.path === number.path ? outcome : await dial(config, moved.path, call, options);
}

/** Returns a refusal as if the platform had made it: the sender is of no use before a member changes it. */
function refusedUnasked(reason: string): SendOutcome {
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}

async function dial(
  config: VoiceConfig,
  path: string,
  call: OutboundCall,
  options: PostOptions,
): Promise<SendOutcome> {
  const response = await postOnce(config, {
    url: voiceUrl(config, path, "outbound-call"),
    headers: authorization(call.apiKey),
    body: () => callBody(call),
  }, options);
  return response.kind === "responded" ? outcomeOf(response, call.apiKey) : response;
}

/** The body of the platform's call request, the same on both paths. Source: Agents API, outbound calls. */
function callBody(call: OutboundCall): Record<string, unknown> {
  return {
    agent_id: call.agentId,
    agent_phone_number_id: call.phoneNumberId,
    to_number: `+${call.to}`,
    conversation_initiation_client_data: {
      user_id: call.reference,
      dynamic_variables: { ...call.dynamicVariables, [REFERENCE_VARIABLE]: call.tracedReference },
    },
  };
}

function outcomeOf({ httpStatus, headers, body }: PlatformResponse, apiKey: string): SendOutcome {
  // A gateway may have lost the response to a call that is ringing: after a 5xx the outcome is unknown.
  if (httpStatus >= 500) return unknown(httpStatus, "without a result");
  if (httpStatus >= 300) {
    const retryAfterS = retryAfterSeconds(headers);
    const error = readPlatformError(body, { httpStatus, apiKey });
    return { kind: "refused", ...error, httpStatus, ...(retryAfterS !== undefined && { retryAfterS }) };
  }
  const started = startedSchema.safeParse(body).data;
  if (started === undefined) return unknown(httpStatus, "without a result");
  if (!started.success) return notMade(httpStatus, platformWords(started.message ?? "", apiKey));
  if (!started.conversation_id) return unknown(httpStatus, "without the conversation's id");
  return { kind: "accepted", platformMessageId: started.conversation_id, httpStatus, platformNumber: null };
}

function unknown(httpStatus: number, what: string): SendOutcome {
  return {
    kind: "unknown",
    httpStatus,
    reason: `The voice platform responded with HTTP ${httpStatus} ${what}`,
  };
}

function notMade(httpStatus: number, words: string): SendOutcome {
  const reason = words === ""
    ? "The platform did not make the call"
    : `The platform did not make the call: ${words}`;
  return { kind: "refused", action: "fail", code: null, httpStatus, reason };
}

import { z } from "zod";
import { AppError, notSetUp, upstreamUnavailable } from "../../errors.ts";
import { readJson, retryAfterSeconds } from "../http_client.ts";
import { authorization, type VoiceConfig, voiceUrl } from "./client.ts";
import { platformIdSchema } from "../platform_text.ts";
import { lenient } from "./fields.ts";

/** Visitors wait during the request. */
const TIMEOUT_MS = 10_000;

/** The longest of these responses is a transcript. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const errorSchema = z.object({
  detail: z.object({ code: z.string().nullish(), status: z.string().nullish() }),
});

/**
 * Makes a request to the voice platform that a browser session needs, and checks the response.
 *
 * Throws `agent_not_found` or `not_found` when the platform says so, and `service_unavailable` (502) for every other
 * failure: visitors can do nothing about a key that has run out either.
 */
export async function requestForSession<Schema extends z.ZodType>(
  config: VoiceConfig,
  { url, apiKey, init }: { url: string; apiKey: string; init?: RequestInit },
  schema: Schema,
): Promise<z.infer<Schema>> {
  const response = await (config.fetch ?? fetch)(url, {
    ...init,
    headers: { ...authorization(apiKey), ...init?.headers },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw voiceUnavailable({ cause });
  });
  const body = await readJson(response, MAX_RESPONSE_BYTES);
  const parsed = response.ok ? schema.safeParse(body).data : undefined;
  if (parsed !== undefined) return parsed;
  throw voiceRefusal(response, body);
}

/**
 * Returns what to throw for a response that is no success: `agent_not_found`, `not_found`, or `service_unavailable` (502).
 * None of the platform's own words are in it.
 */
export function voiceRefusal({ status, headers }: Response, body: unknown): AppError {
  const detail = errorSchema.safeParse(body).data?.detail;
  const code = detail?.code ?? detail?.status;
  if (code === "agent_not_found") {
    return new AppError("agent_not_found", "The voice platform does not know this widget's agent");
  }
  if (status === 404) return new AppError("not_found", "The voice platform does not know this conversation");
  // Waiting does not help with a key or an account that the platform does not accept.
  if (status === 401 || status === 403) return voiceKeyRefused();
  return voiceUnavailable({
    cause: new Error(`HTTP ${status} ${code ?? ""}`),
    retryAfterS: retryAfterSeconds(headers),
  });
}

/** Returns the 502 for a key that the platform does not accept. */
export function voiceKeyRefused(): AppError {
  return notSetUp(
    "voice",
    "The voice platform does not accept the key that it is used with; the operator of this server must replace it",
  );
}

/** Returns the 502 for a platform that did not respond, or not as documented. */
export function voiceUnavailable(
  options: { cause?: unknown; retryAfterS?: number | undefined } = {},
): AppError {
  return upstreamUnavailable("voice", "The voice platform cannot be reached; retry in a moment", options);
}

/** The URL stays as it is: its query holds the signature, under names that have changed before. */
const signedUrlSchema = z.object({
  signed_url: z.url({ protocol: /^wss?$/ }),
  conversation_id: lenient(platformIdSchema),
});

/** The address with which a browser enters a session. */
export interface SignedUrl {
  signedUrl: string;
  /** The id of the conversation to come; null where the platform does not announce it. */
  conversationId: string | null;
}

/**
 * Requests the address of one WebSocket session with an agent. It must be used within 15 minutes; the session may last
 * longer. With the conversation's id in the response, the address opens one session only. Throws `agent_not_found` or
 * `service_unavailable`. Source: Agents API, get signed url; the id's field in the response is not documented.
 */
export async function signedUrl(
  config: VoiceConfig,
  { agentId, apiKey }: { agentId: string; apiKey: string },
): Promise<SignedUrl> {
  const query = new URLSearchParams({ agent_id: agentId, include_conversation_id: "true" });
  const url = `${voiceUrl(config, "conversation", "get-signed-url")}?${query}`;
  const { signed_url, conversation_id } = await requestForSession(config, { url, apiKey }, signedUrlSchema);
  return { signedUrl: signed_url, conversationId: conversation_id ?? idInUrl(signed_url) };
}

function idInUrl(url: string): string | null {
  return platformIdSchema.safeParse(new URL(url).searchParams.get("conversation_id")).data ?? null;
}

const tokenSchema = z.object({ token: z.string().min(1), conversation_id: lenient(platformIdSchema) });

/** The token with which a browser enters a session. */
export interface ConversationToken {
  token: string;
  /** The id of the conversation to come; null where the platform does not announce it. */
  conversationId: string | null;
}

/**
 * Requests the token of one WebRTC session with an agent. Throws `agent_not_found` or `service_unavailable`. Source:
 * Agents API, get conversation token.
 */
export async function conversationToken(
  config: VoiceConfig,
  { agentId, apiKey }: { agentId: string; apiKey: string },
): Promise<ConversationToken> {
  const url = `${voiceUrl(config, "conversation", "token")}?${new URLSearchParams({ agent_id: agentId })}`;
  const { token, conversation_id } = await requestForSession(config, { url, apiKey }, tokenSchema);
  return { token, conversationId: conversation_id ?? null };
}

/**
 * Sends a visitor's rating of a session to the platform; sending it twice changes nothing. Throws `not_found` or
 * `service_unavailable`. Source: Agents API, conversation feedback; the body is the one its browser client sends.
 */
export async function sendFeedback(
  config: VoiceConfig,
  { conversationId, apiKey, ...feedback }: {
    conversationId: string;
    apiKey: string;
    rating: number;
    comment: string | null;
  },
): Promise<void> {
  const { rating, comment } = feedback;
  await requestForSession(config, {
    url: voiceUrl(config, "conversations", conversationId, "feedback"),
    apiKey,
    init: {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ rating, ...(comment !== null && { comment }) }),
    },
  }, z.unknown());
}

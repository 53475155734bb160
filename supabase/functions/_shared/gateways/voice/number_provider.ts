import { z } from "zod";
import { retryAfterSeconds } from "../retry_after.ts";
import type { SendOutcome } from "../send_outcome.ts";
import { type VoiceConfig, voiceUrl } from "./config.ts";
import { getJson } from "./get_json.ts";
import { readPlatformError } from "./platform_error.ts";

/** The segment of the outbound-call path for each kind of number. Source: Agents API, outbound calls. */
const PATHS: Record<string, string> = { twilio: "twilio", sip_trunk: "sip-trunk" };

const numberSchema = z.looseObject({
  provider: z.string(),
  supports_outbound: z.boolean().nullish().catch(undefined),
});

const MOST_NUMBERS = 10_000;

/** Which path each number's calls take; it changes only when somebody moves the number to another provider. */
const known = new Map<string, string>();

/** What is being asked right now, by whose key: twenty calls that start at once need one answer. */
const asking = new Map<string, Promise<NumberPath>>();

/** The path segment for calls from a number, or what having none means for the call that was to be made. */
export type NumberPath = { path: string } | Extract<SendOutcome, { kind: "refused" | "not_sent" }>;

export interface NumberQuery {
  apiKey: string;
  phoneNumberId: string;
}

/**
 * Asks the platform which path a number's calls take, once. Nothing has been dialled yet, so what stands in the way is
 * never `unknown`.
 */
export async function numberPath(
  config: VoiceConfig,
  query: NumberQuery,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<NumberPath> {
  const path = known.get(keyOf(config, query.phoneNumberId));
  if (path !== undefined) return { path };
  const key = `${keyOf(config, query.phoneNumberId)} ${query.apiKey}`;
  const asked = asking.get(key) ?? ask(config, query, options).finally(() => asking.delete(key));
  asking.set(key, asked);
  return await asked;
}

async function ask(
  config: VoiceConfig,
  { apiKey, phoneNumberId }: NumberQuery,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<NumberPath> {
  const url = voiceUrl(config, "phone-numbers", phoneNumberId);
  const answer = await getJson(config, { url, apiKey }, options);
  if (answer === null || answer.httpStatus >= 500) {
    return {
      kind: "not_sent",
      reason: "The voice platform did not tell the provider of the sender's number",
    };
  }
  const { httpStatus, headers, body } = answer;
  if (httpStatus !== 200) {
    const retryAfterS = retryAfterSeconds(headers);
    const error = readPlatformError(body, { httpStatus, apiKey });
    // Whatever the platform calls it: without its number the sender can make no call.
    const action = error.action === "fail" ? "stop_sender" : error.action;
    return {
      kind: "refused",
      ...error,
      action,
      httpStatus,
      ...(retryAfterS !== undefined && { retryAfterS }),
    };
  }
  return remember(config, phoneNumberId, body);
}

/** Forgets a number's path: the platform said it is the wrong one. */
export function forgetNumberPath(config: VoiceConfig, phoneNumberId: string): void {
  known.delete(keyOf(config, phoneNumberId));
}

function remember(config: VoiceConfig, phoneNumberId: string, body: unknown): NumberPath {
  const number = numberSchema.safeParse(body).data;
  if (number === undefined) {
    return {
      kind: "not_sent",
      reason: "The voice platform's answer about the sender's number makes no sense",
    };
  }
  if (number.supports_outbound === false) return unusable("The sender's number cannot make outbound calls");
  const path = Object.hasOwn(PATHS, number.provider) ? PATHS[number.provider]! : undefined;
  if (path === undefined) {
    return unusable(
      "The sender's number is of a provider that is not supported: only Twilio and SIP trunks are",
    );
  }
  if (known.size >= MOST_NUMBERS) known.clear();
  known.set(keyOf(config, phoneNumberId), path);
  return { path };
}

function unusable(reason: string): Extract<SendOutcome, { kind: "refused" }> {
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}

function keyOf({ apiUrl }: VoiceConfig, phoneNumberId: string): string {
  return `${apiUrl} ${phoneNumberId}`;
}

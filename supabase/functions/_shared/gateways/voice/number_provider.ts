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

export interface NumberQuery {
  apiKey: string;
  phoneNumberId: string;
}

/**
 * The path segment for calls from a number, asked of the platform once. Where that gives none, what it means for the
 * call that was to be made: nothing has been dialled yet, so it is never `unknown`.
 */
export async function numberPath(
  config: VoiceConfig,
  { apiKey, phoneNumberId }: NumberQuery,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<{ path: string } | Extract<SendOutcome, { kind: "refused" | "not_sent" }>> {
  const path = known.get(keyOf(config, phoneNumberId));
  if (path !== undefined) return { path };
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
    const action = httpStatus === 404 ? "stop_sender" : error.action;
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

function remember(
  config: VoiceConfig,
  phoneNumberId: string,
  body: unknown,
): { path: string } | Extract<SendOutcome, { kind: "refused" | "not_sent" }> {
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

import { z } from "zod";
import { retryAfterSeconds } from "../http_client.ts";
import type { SendOutcome } from "../send_outcome.ts";
import { getJson, type VoiceConfig, voiceUrl } from "./client.ts";
import { readPlatformError } from "./errors.ts";

/** The segment of the outbound-call path for each kind of number. Source: Agents API, outbound calls. */
const PATHS: Record<string, string> = { twilio: "twilio", sip_trunk: "sip-trunk" };

const numberSchema = z.looseObject({
  provider: z.string(),
  supports_outbound: z.boolean().nullish().catch(undefined),
});

const MAX_NUMBERS = 10_000;

/** The path of each number's calls; it changes only when the company moves the number to another provider. */
const known = new Map<string, string>();

/** The requests under way, by number and key: twenty calls that start at once need one response. */
const pending = new Map<string, Promise<NumberPath>>();

/** The path segment for calls from a number, or the outcome of the call that has none. */
export type NumberPath = { path: string } | Extract<SendOutcome, { kind: "refused" | "not_sent" }>;

export interface NumberQuery {
  apiKey: string;
  phoneNumberId: string;
}

/**
 * Reads from the platform, once, which path a number's calls take. Nothing has been dialled yet, so a failure is never
 * `unknown`.
 */
export async function numberPath(
  config: VoiceConfig,
  query: NumberQuery,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<NumberPath> {
  const path = known.get(keyOf(config, query.phoneNumberId));
  if (path !== undefined) return { path };
  const key = `${keyOf(config, query.phoneNumberId)} ${query.apiKey}`;
  const request = pending.get(key) ??
    readNumberPath(config, query, options).finally(() => pending.delete(key));
  pending.set(key, request);
  return await request;
}

async function readNumberPath(
  config: VoiceConfig,
  { apiKey, phoneNumberId }: NumberQuery,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<NumberPath> {
  const url = voiceUrl(config, "phone-numbers", phoneNumberId);
  const response = await getJson(config, { url, apiKey }, options);
  if (response === null || response.httpStatus >= 500) {
    return {
      kind: "not_sent",
      reason: "The voice platform did not return the provider of the sender's number",
    };
  }
  const { httpStatus, headers, body } = response;
  if (httpStatus !== 200) {
    const retryAfterS = retryAfterSeconds(headers);
    const error = readPlatformError(body, { httpStatus, apiKey });
    // Without its number the sender can make no call, whatever the platform's code is.
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
      reason: "The voice platform's response about the sender's number could not be read",
    };
  }
  if (number.supports_outbound === false) return unusable("The sender's number cannot make outbound calls");
  const path = Object.hasOwn(PATHS, number.provider) ? PATHS[number.provider]! : undefined;
  if (path === undefined) {
    return unusable(
      "The sender's number is of a provider that is not supported: only Twilio and SIP trunks are",
    );
  }
  if (known.size >= MAX_NUMBERS) known.clear();
  known.set(keyOf(config, phoneNumberId), path);
  return { path };
}

function unusable(reason: string): Extract<SendOutcome, { kind: "refused" }> {
  return { kind: "refused", action: "stop_sender", code: null, httpStatus: 0, reason };
}

function keyOf({ apiUrl }: VoiceConfig, phoneNumberId: string): string {
  return `${apiUrl} ${phoneNumberId}`;
}

import { z } from "zod";
import { platformWords } from "../platform_text.ts";
import type { ErrorAction, RefusalAdvice } from "../send_outcome.ts";

/** A refusal of the platform, and what we do about it. */
export interface PlatformError {
  code: string | null;
  action: ErrorAction;
  /** For people: our plain words, then the platform's own where it gives any. */
  reason: string;
}

const MAX_CODE_LENGTH = 64;

/** Postgres stores it, and people read it. */
const codeSchema = z.string().regex(/^[\w.-]+$/).max(MAX_CODE_LENGTH).optional().catch(undefined);
const words = z.string().optional().catch(undefined);

/** Older responses have `status` and `message` only; `status` is a copy of `code` in newer ones. */
const objectSchema = z.looseObject({ code: codeSchema, status: codeSchema, message: words });
const listSchema = z.array(z.looseObject({
  loc: z.array(z.union([z.string(), z.number()])).optional().catch(undefined),
  msg: words,
})).min(1);

/** Reads any of the forms an error has at the platform: an object, an older object, a list, a text, or nothing. */
export function readPlatformError(
  body: unknown,
  { httpStatus, apiKey }: { httpStatus: number; apiKey: string },
): PlatformError {
  const { code, message } = detailOf(body);
  const advice = actionFor(code, httpStatus);
  const detail = platformWords(message, apiKey);
  return {
    code,
    action: advice.action,
    reason: detail === "" ? advice.reason : `${advice.reason}: ${detail}`,
  };
}

function detailOf(body: unknown): { code: string | null; message: string } {
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined;
  if (typeof detail === "string") return { code: null, message: detail };
  const list = listSchema.safeParse(detail).data;
  if (list !== undefined) return { code: null, message: list.map(complaint).join("; ") };
  const object = objectSchema.safeParse(detail).data;
  return { code: object?.code ?? object?.status ?? null, message: object?.message ?? "" };
}

function complaint({ loc, msg }: z.infer<typeof listSchema>[number]): string {
  return [loc?.join("."), msg].filter(Boolean).join(": ");
}

/** The platform's codes. Source: the platform's API errors page; the actions are our reading of its advice. */
export const VOICE_CODES: Record<string, [action: ErrorAction, reason: string]> = {
  agent_not_found: ["fail", "The platform does not know the agent"],
  already_running: ["retry", "The platform is still busy with the same request"],
  concurrent_limit_exceeded: ["wait_for_slot", "As many calls are running as the account allows"],
  conflict: ["retry", "The platform is busy with a conflicting request"],
  feature_not_available: ["stop_sender", "The account's plan does not include calls"],
  insufficient_credits: ["stop_sender", "The account has no credits left"],
  insufficient_permissions: ["stop_sender", "The API key may not make calls"],
  invalid_api_key: ["stop_sender", "The API key is not accepted"],
  invalid_parameters: ["fail", "The platform does not accept a parameter of the call"],
  invalid_provider_config: ["stop_sender", "The number cannot be used for calls as it is set up"],
  malformed_json: ["fail", "The platform could not read the call's parameters"],
  missing_api_key: ["stop_sender", "The API key is missing"],
  missing_permissions: ["stop_sender", "The API key may not make calls"],
  missing_required_field: ["fail", "The platform misses a parameter of the call"],
  needs_authorization: ["stop_sender", "The API key is not accepted"],
  phone_number_not_found: ["stop_sender", "The platform does not know the sender's number"],
  quota_exceeded: ["stop_sender", "The account has no credits left"],
  rate_limit_exceeded: ["slow_sender", "Too many requests were made to the platform"],
  subscription_required: ["stop_sender", "The account needs a paid plan to make calls"],
  system_busy: ["retry", "The platform is overloaded for a short time"],
  too_many_concurrent_requests: ["wait_for_slot", "As many calls are running as the account allows"],
  unauthorized: ["stop_sender", "The API key is not accepted"],
};

/** Returns the advice for a code of the platform; for one that is not in its list, by the HTTP status. */
export function actionFor(code: string | null, httpStatus: number): RefusalAdvice {
  const known = code !== null && Object.hasOwn(VOICE_CODES, code) ? VOICE_CODES[code] : undefined;
  if (known !== undefined) return { action: known[0], reason: known[1] };
  const reason = code === null
    ? `The voice platform responded with HTTP ${httpStatus}`
    : `The voice platform refused the call with code ${code}`;
  return { action: actionForStatus(httpStatus), reason };
}

function actionForStatus(status: number): ErrorAction {
  if (status === 401 || status === 402 || status === 403) return "stop_sender";
  if (status === 429) return "slow_sender";
  return status < 400 || status === 408 || status === 409 || status >= 500 ? "retry" : "fail";
}

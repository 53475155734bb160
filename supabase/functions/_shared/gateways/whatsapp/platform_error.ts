import { z } from "zod";
import { platformWords } from "../platform_words.ts";
import type { ErrorAction } from "../send_outcome.ts";
import { actionFor } from "./error_actions.ts";

/** A refusal in the platform's own words and our reading of it. */
export interface PlatformError {
  code: number;
  action: ErrorAction;
  /** For people: our plain words, then the platform's: its details, else its message, else the title of the error. */
  reason: string;
}

/** The same in answers and in webhooks. Only `code` can be relied on. Source: WhatsApp Cloud API, error codes. */
const errorSchema = z.looseObject({
  code: z.int(),
  message: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  error_user_msg: z.string().optional().catch(undefined),
  error_data: z.union([z.string(), z.looseObject({ details: z.string() })]).optional().catch(undefined),
});

/** The error object of an answer's body, if it has one. */
export function errorOf(body: unknown): unknown {
  return typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
}

/**
 * Reads an error object of the platform; null when it is none. The platform's words may quote the request, so the
 * token it was made with is blotted out of them.
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

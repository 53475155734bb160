import type { z } from "@hono/zod-openapi";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { causeOf } from "../../error_cause.ts";
import { AppError, type ErrorCode, type Outage, type Refusal, type ShortCode } from "../../errors.ts";
import { describeError, failureLevel } from "../../log.ts";
import type { App, AppContext } from "./context.ts";
import type { errorSchema } from "./error_responses.ts";

type ErrorBody = z.input<typeof errorSchema>;

/** Each code's usual status. `service_unavailable` is 502 when a service that this one depends on is the cause. */
export const ERROR_STATUS = {
  validation_failed: 400,
  unauthorized: 401,
  forbidden: 403,
  second_factor_required: 403,
  not_found: 404,
  template_not_found: 404,
  agent_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conversation_closed: 409,
  room_full: 409,
  resend_in_progress: 409,
  last_owner: 409,
  contact_exists: 409,
  webhook_off: 409,
  idempotency_key_in_use: 409,
  campaign_mismatch: 409,
  campaign_cancelled: 409,
  campaign_not_scheduled: 409,
  campaign_archived: 409,
  upload_differs: 409,
  upload_in_progress: 409,
  upload_expired: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  template_not_approved: 422,
  variable_mismatch: 422,
  sender_locked: 422,
  recipient_opted_out: 422,
  consent_missing: 422,
  user_id_not_supported: 422,
  window_closed: 422,
  suppression_kept: 409,
  message_on_its_way: 409,
  idempotency_key_reused: 422,
  precondition_required: 428,
  rate_limit_exceeded: 429,
  quota_exceeded: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

/** These go out as `{success: false, message}`, except from endpoints whose errors all have the full form. */
const SHORT_STATUS = {
  api_access_off: 403,
  permission_missing: 403,
  sender_forbidden: 403,
  campaign_not_found: 404,
} as const satisfies Record<ShortCode, ContentfulStatusCode>;

/** Their codes where a body has the full form. */
const FULL_CODE = {
  api_access_off: "forbidden",
  permission_missing: "forbidden",
  sender_forbidden: "forbidden",
  campaign_not_found: "not_found",
} as const satisfies Record<ShortCode, ErrorCode>;

/** Most failovers and restarts are over by then. */
const RETRY_AFTER_S = 5;

/** Returns the status that a refusal goes out with. */
export function statusOf({ code, outage }: Pick<AppError, "code" | "outage">): ContentfulStatusCode {
  if (isShort(code)) return SHORT_STATUS[code];
  return outage ? 502 : ERROR_STATUS[code];
}

function isShort(code: Refusal["code"]): code is ShortCode {
  return Object.hasOwn(SHORT_STATUS, code);
}

/**
 * Turns a thrown error into the contract's body: `{error, message, details?, request_id, retry_after?}`, or
 * `{success: false, message}` where the contract says so. An unexpected error is logged, and goes out without its
 * text as `internal_error`, with the time to wait when the database failed.
 */
export function respondError(error: Error, c: AppContext): Response {
  const refusal = error instanceof AppError ? error : unexpected(error, c);
  const { code, message, retryAfterS } = refusal;
  c.set("errorCode", code);
  const body = bodyOf(refusal, c);
  if (retryAfterS !== undefined) c.header("Retry-After", String(retryAfterS));
  // The rest of the body would be read as the next request.
  if (code === "request_timeout") c.header("Connection", "close");
  const status = statusOf(refusal);
  const shape = c.get("errorShape");
  if (shape === "short" || (shape === "mixed" && isShort(code))) {
    // Maintenance says its window in either form.
    return c.json({ success: false, message, ...(status === 503 && { details: body.details }) }, status);
  }
  return c.json(body, status);
}

/** Returns the body in its full form for a thrown error that does not end the request: see {@link respondError}. */
export function describeThrown(error: unknown, c: AppContext): ErrorBody {
  const thrown = error instanceof Error ? error : new Error(String(error));
  return bodyOf(thrown instanceof AppError ? thrown : unexpected(thrown, c), c);
}

function bodyOf(refusal: AppError, c: AppContext): ErrorBody {
  const { code, message, retryAfterS, outage } = refusal;
  const details = outage && outage.recovery !== null
    ? { ...refusal.details, estimated_recovery: estimateRecovery(c, outage, retryAfterS) }
    : refusal.details;
  return {
    error: isShort(code) ? FULL_CODE[code] : code,
    message,
    ...(details && { details }),
    request_id: c.get("requestId"),
    ...(retryAfterS !== undefined && { retry_after: retryAfterS }),
  };
}

/** By the service itself, by its next use, or by how long it has failed; null for the first failure. */
function estimateRecovery(
  c: AppContext,
  { service, recovery }: Outage,
  retryAfterS: number | undefined,
): string | null {
  const estimate = c.get("services").outages.failed(service, retryAfterS);
  const at = retryAfterS === undefined && recovery ? recovery : estimate;
  return at?.toISOString() ?? null;
}

function unexpected(error: Error, c: AppContext): AppError {
  const fields = { request_id: c.get("requestId"), ...describeError(error) };
  c.get("services").log[failureLevel(error)]("request failed", fields);
  if (causeOf(error) === "database") {
    return new AppError("internal_error", "The service cannot reach its database; retry later", {
      retryAfterS: RETRY_AFTER_S,
      cause: error,
    });
  }
  return new AppError("internal_error", "An unexpected error occurred; retry later", { cause: error });
}

/** Responds 405 with `Allow` where the path exists under another method, 404 otherwise. */
export function respondUnknownPath(app: App): (c: AppContext) => Response {
  return function unknownPath(c) {
    const allowed = methodsOf(app, c.req.path).join(", ");
    if (allowed === "") {
      const message = "There is no such endpoint; GET openapi.json lists all of them";
      return respondError(new AppError("not_found", message), c);
    }
    c.header("Allow", allowed);
    const message = `${c.req.method} is not allowed here; use ${allowed}`;
    return respondError(new AppError("method_not_allowed", message), c);
  };
}

function methodsOf(app: App, path: string): string[] {
  const matching = app.routes.filter((route) =>
    route.method !== "ALL" && new URLPattern({ pathname: route.path }).test({ pathname: path })
  );
  return [...new Set(matching.map((route) => route.method))].sort();
}

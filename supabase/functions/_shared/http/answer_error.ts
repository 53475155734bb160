import type { ContentfulStatusCode } from "hono/utils/http-status";
import { causeOf } from "../db/error_cause.ts";
import { AppError, type Outage } from "../errors.ts";
import { describeError } from "../log.ts";
import type { AppContext } from "./app.ts";

/** Most failovers and restarts are over by then. */
const RETRY_AFTER_S = 5;

/**
 * Turns whatever a route threw into the contract's body: `{error, message, details?, request_id, retry_after?}`, or
 * `{success: false, message}` where the contract says so. An error nobody expected is logged and answered without
 * its text: as `service_unavailable` when the database failed, otherwise as `internal_error`.
 */
export function answerError(error: Error, c: AppContext): Response {
  const known = error instanceof AppError ? error : unexpected(error, c);
  const details = known.outage
    ? { ...known.details, ...estimateRecovery(known, known.outage, c) }
    : known.details;
  for (const [name, value] of Object.entries(known.headers)) c.header(name, value);
  if (known.retryAfter !== undefined) c.header("Retry-After", String(known.retryAfter));
  const status = known.status as ContentfulStatusCode;
  if (known.shape === "short" || c.var.errorShape === "short") {
    return c.json({ success: false, message: known.message }, status);
  }
  return c.json({
    error: known.code,
    message: known.message,
    ...(details && { details }),
    request_id: c.var.requestId,
    ...(known.retryAfter !== undefined && { retry_after: known.retryAfter }),
  }, status);
}

/** By the service itself, by when it will be asked again anyway, or by how long it has failed; null for the first failure. */
function estimateRecovery(
  { retryAfter }: AppError,
  { service, recovery }: Outage,
  c: AppContext,
): { estimated_recovery: string | null } {
  const estimate = c.var.services.outages.failed(service, retryAfter);
  const at = retryAfter === undefined && recovery !== undefined ? recovery : estimate;
  return { estimated_recovery: at?.toISOString() ?? null };
}

function unexpected(error: Error, c: AppContext): AppError {
  c.var.services.log.error("request failed", { request_id: c.var.requestId, ...describeError(error) });
  if (causeOf(error) === "database") {
    return new AppError("service_unavailable", "The service cannot reach its database; try again later", {
      retryAfter: RETRY_AFTER_S,
      cause: error,
    });
  }
  return new AppError("internal_error", "An unexpected error occurred; try again later", { cause: error });
}

import { z } from "@hono/zod-openapi";
import { ERROR_CODES, type ErrorCode } from "../../errors.ts";

/** Error body (a) of the contract. */
export const errorSchema = z.object({
  error: z.enum(ERROR_CODES).openapi("ErrorCode"),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  request_id: z.string(),
  retry_after: z.number().int().optional().openapi({ description: "Seconds to wait" }),
}).openapi("Error");

/** Error body (b) of the contract. */
export const shortErrorSchema = z.object({
  success: z.literal(false),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional().openapi({
    description: "`maintenance_window`, of a 503; nothing else",
  }),
}).openapi("ShortError");

/** Either form, where an endpoint has both. */
const anyErrorSchema = z.union([errorSchema, shortErrorSchema]).openapi("AnyError");

const DESCRIPTIONS: Record<number, string> = {
  400: "The request does not fit; `details` names the field",
  401: "Missing, unknown or revoked credentials",
  403: "Known, but not allowed to do this",
  404: "Not found",
  409:
    "Its state does not allow this any more, the room is full, or the first request with this Idempotency-Key is still under way",
  408: "The body took longer than 15 s",
  412: "`If-Match` names settings that have changed since: read them again",
  413: "The body is larger than this endpoint takes; `details.limit_bytes` says how much that is",
  422: "Understood, but the template, its variables or the sender forbid it",
  428: "`If-Match` is missing",
  429: "Too many requests, or the daily quota is used up",
  500: "Unexpected error, or the database cannot be reached: then `retry_after` says how long to wait",
  502:
    "A service this one depends on cannot be reached, or is not set up; `details.estimated_recovery` says when it may be",
  503: "Maintenance; `details.maintenance_window` says until when",
};

/** A typical body for each status. */
const EXAMPLES: Record<number, { error: ErrorCode; message: string; details?: Record<string, unknown> }> = {
  400: {
    error: "validation_failed",
    message: "Missing required field: 'name_template'",
    details: { field: "name_template", reason: "required" },
  },
  401: { error: "unauthorized", message: "The access key is invalid, or it was revoked" },
  403: { error: "forbidden", message: "API access is switched off for this company" },
  404: { error: "not_found", message: "Campaign not found" },
  408: { error: "request_timeout", message: "The request body took longer than 15 s" },
  409: { error: "idempotency_key_in_use", message: "The first request with this key is still running" },
  412: { error: "precondition_failed", message: "This has changed since you have read it" },
  413: {
    error: "payload_too_large",
    message: "The request body is larger than 32 KiB",
    details: { limit_bytes: 32768 },
  },
  422: { error: "template_not_approved", message: "The template order_update is rejected, not approved" },
  428: { error: "precondition_required", message: "Missing header: 'If-Match'" },
  429: {
    error: "rate_limit_exceeded",
    message: "More than 600 requests in a minute; wait 12 s",
    details: { limit: 600, window: "60s", reset_time: "2026-12-01T09:01:00Z" },
  },
  500: { error: "internal_error", message: "An unexpected error occurred; retry later" },
  502: {
    error: "service_unavailable",
    message: "The platform cannot be reached",
    details: { service: "whatsapp", estimated_recovery: null },
  },
  503: {
    error: "service_unavailable",
    message: "The service is under maintenance",
    details: { maintenance_window: { start: "2026-12-01T09:00:00Z", end: "2026-12-01T10:00:00Z" } },
  },
};

/** How long a client waits before it retries, where the response says so. */
const RETRY_AFTER_S: Record<number, number> = { 429: 12, 503: 1800 };

type Responses = Record<
  number,
  { description: string; content: { "application/json": { schema: z.ZodType; example: unknown } } }
>;

/** Of a route that reads a body: it may arrive too slowly, or find no memory. */
const OF_BODIES = [408, 429];

/** Returns the error responses of a route for its entry in the API document; 400, 500 and 503 are added to all. */
export function errorResponses(full: number[], short: number[] = []): Responses {
  const ofBody = full.includes(413) ? OF_BODIES : [];
  const statuses = [...new Set([...full, ...short, ...ofBody, 400, 500, 503])];
  return Object.fromEntries(statuses.map((status) => [status, {
    description: DESCRIPTIONS[status] ?? "Error",
    content: {
      "application/json": {
        schema: !short.includes(status)
          ? errorSchema
          : full.includes(status)
          ? anyErrorSchema
          : shortErrorSchema,
        example: full.includes(status) || !short.includes(status)
          ? errorExample(status)
          : shortExample(status),
      },
    },
  }]));
}

function errorExample(status: number): z.input<typeof errorSchema> {
  const retryAfter = RETRY_AFTER_S[status];
  return {
    ...EXAMPLES[status]!,
    request_id: "0192f8ac-6172-7384-9f90-a1b2c3d4e5f6",
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
}

function shortExample(status: number): z.input<typeof shortErrorSchema> {
  const { message, details } = EXAMPLES[status]!;
  return { success: false, message, ...(status === 503 && { details }) };
}

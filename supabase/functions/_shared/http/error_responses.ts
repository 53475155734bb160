import { z } from "@hono/zod-openapi";
import { ERROR_STATUS, type ErrorCode } from "../errors.ts";

/** Error body (a) of the contract. */
export const errorSchema = z.object({
  error: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  request_id: z.string(),
  retry_after: z.number().int().optional().openapi({ description: "Seconds to wait" }),
}).openapi("Error");

/** Error body (b) of the contract. */
export const shortErrorSchema = z.object({
  success: z.literal(false),
  message: z.string(),
}).openapi("ShortError");

const DESCRIPTIONS: Record<number, string> = {
  400: "The request does not fit; `details` names the field",
  401: "Missing, unknown or revoked credentials",
  403: "Known, but not allowed to do this",
  404: "Not found",
  409:
    "Its state does not allow this any more, or the first request with this Idempotency-Key is still under way",
  408: "The body took longer than 15 s",
  413: "The body is larger than this endpoint takes; `details.limit_bytes` says how much that is",
  422: "Understood, but the template, its variables or the sender forbid it",
  429: "Too many requests, or the daily quota is used up",
  500: "Unexpected error",
  502:
    "A service this one depends on cannot be reached, or is not set up; `details.estimated_recovery` says when it may be",
  503: "Maintenance, or the database cannot be reached",
};

type Responses = Record<
  number,
  { description: string; content: { "application/json": { schema: z.ZodType } } }
>;

/** Of a route that reads a body: it may take too long, or find no room. */
const OF_BODIES = [408, 429];

/** The error answers of a route for its entry in the API document; 400, 500 and 503 are added to all. */
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
          ? z.union([errorSchema, shortErrorSchema])
          : shortErrorSchema,
      },
    },
  }]));
}

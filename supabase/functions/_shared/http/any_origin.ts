import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "./app.ts";

/** How long a browser may remember the answer to its question, in seconds. */
const MAX_AGE_S = 86_400;

/**
 * Lets pages of any origin call a function and read its answers, errors included: the contract's rule for widgets. No
 * cookie counts here, so a page learns nothing it could not ask for from anywhere else.
 */
export function allowAnyOrigin(): MiddlewareHandler<AppEnv> {
  return cors({
    origin: "*",
    allowMethods: ["GET", "POST", "OPTIONS"],
    allowHeaders: ["Authorization", "Content-Type", "Last-Event-ID"],
    exposeHeaders: ["X-Request-Id", "Retry-After"],
    maxAge: MAX_AGE_S,
  });
}

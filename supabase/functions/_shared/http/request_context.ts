import type { MiddlewareHandler } from "hono";
import type { Services } from "../services.ts";
import type { AppEnv } from "./app.ts";

/**
 * Gives every request an id (`X-Request-Id`, and `request_id` in error bodies) and its services, and writes one log
 * line when it is answered. Paths and query strings are left out of it: they carry access keys.
 */
export function requestContext(services: Services): MiddlewareHandler<AppEnv> {
  return async function requestContext(c, next) {
    const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
    const started = performance.now();
    c.set("services", services);
    c.set("requestId", requestId);
    c.set("errorShape", "full");
    c.set("isKnown", false);
    c.set("onResponse", []);
    c.header("X-Request-Id", requestId);
    // No browser may take JSON or CSV for a page.
    c.header("X-Content-Type-Options", "nosniff");
    await next();
    for (const done of c.var.onResponse) done();
    services.log.info("request", {
      request_id: requestId,
      method: c.req.method,
      route: c.var.route ?? "unknown",
      status: c.res.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
      company_id: c.var.companyId,
    });
  };
}

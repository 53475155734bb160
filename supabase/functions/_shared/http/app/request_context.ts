import type { MiddlewareHandler } from "hono";
import { keepsBodies, keptBody } from "../../access/request_bodies.ts";
import type { RequestBodies } from "../../db/access/key_requests.ts";
import type { Services } from "../../services.ts";
import type { AppContext, AppEnv } from "./context.ts";
import { readTraceparent } from "../../telemetry/trace_context.ts";
import { servicesOfRequest } from "./request_cell.ts";
import type { TraceSpan } from "../../telemetry/tracing.ts";
import ipaddr from "ipaddr.js";

/**
 * Gives every request an id (`X-Request-Id`, and `request_id` in error bodies) and its services, and logs one line with
 * its response. Paths and query strings are left out of the log: they carry access keys.
 */
export function requestContext(services: Services): MiddlewareHandler<AppEnv> {
  return async function requestContext(c, next) {
    const requestId = `req_${crypto.randomUUID().replaceAll("-", "")}`;
    const started = performance.now();
    c.set("services", servicesOfRequest(c, services));
    c.set("requestId", requestId);
    c.set("errorShape", "mixed");
    c.set("isKnown", false);
    c.set("onResponse", []);
    c.header("X-Request-Id", requestId);
    // No browser may render JSON or CSV as a page.
    c.header("X-Content-Type-Options", "nosniff");
    const caller = readTraceparent(c.req.header("traceparent"));
    await services.tracing.span(
      "request",
      { kind: "server", links: caller ? [caller] : [] },
      async (span) => {
        await next();
        for (const done of c.get("onResponse")) done();
        describeRequest(c, span);
        const ms = performance.now() - started;
        logRequest(c, ms);
        recordOfKey(c, ms);
        services.log.info("request", {
          request_id: requestId,
          method: c.req.method,
          route: c.get("route") ?? "unknown",
          status: c.res.status,
          ms: Math.round(ms * 10) / 10,
          company_id: c.get("companyId"),
        });
      },
    );
  };
}

/** Counts a request. Clients choose the methods of unknown routes, so those are one. */
function logRequest(c: AppContext, ms: number): void {
  const route = c.get("route");
  const labels = [route === undefined ? "any" : c.req.method, route ?? "unknown", String(c.res.status)];
  const { httpRequests, httpResponses } = c.get("services").metrics;
  httpRequests.observe(labels, ms / 1000);
  httpResponses.add([`${String(c.res.status)[0]}xx`]);
}

/** Records a request of a key for its company. */
function recordOfKey(c: AppContext, durationMs: number): void {
  const [companyId, keyId] = [c.get("companyId"), c.get("keyId")];
  if (companyId === undefined || keyId === undefined) return;
  const { keyRequests, now } = c.get("services");
  keyRequests.record({
    companyId,
    keyId,
    requestId: c.get("requestId"),
    at: now(),
    method: c.req.method,
    path: c.get("route") ?? "unknown",
    status: c.res.status,
    code: c.get("errorCode"),
    durationMs,
  }, { address: () => clientAddress(c), bodies: () => bodiesOf(c) });
}

/** Returns what the request and its response said, for a company that keeps it. */
async function bodiesOf(c: AppContext): Promise<RequestBodies | undefined> {
  const route = c.get("route");
  if (route === undefined || !keepsBodies(route)) return undefined;
  const isJson = c.res.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  const response = isJson ? c.res.clone().text() : Promise.resolve("");
  const request = c.get("bodyText") ?? "";
  // A response that breaks off has no body to keep.
  return { request: keptBody(request), response: keptBody(await response.catch(() => "")) };
}

function describeRequest(c: AppContext, span: TraceSpan): void {
  if (!c.get("services").tracing.isOn) return;
  const route = c.get("route");
  if (route) span.rename(`${c.req.method} ${route}`);
  if (c.res.status >= 500) span.fail();
  span.set({
    ...route && { "http.request.method": c.req.method, "http.route": route },
    "http.response.status_code": c.res.status,
    "outbound.request_id": c.get("requestId"),
    "outbound.company_id": c.get("companyId"),
  });
}

/**
 * Returns the network that a request came from, as limits count it: an IPv4 address, or the /64 of an IPv6 address, because one line
 * has a whole /64. An IPv4-mapped address is the IPv4 address in it.
 *
 * The other end of a socket cannot be forged. Where OUTBOUND_TRUSTED_PROXIES says that it is a proxy, the entry that the outermost
 * proxy wrote in `X-Forwarded-For` counts. Where the runtime does not show the socket and no proxy is named (Supabase),
 * `CF-Connecting-IP` counts, which the gateway in front of hosted functions writes itself, or else the first entry of
 * `X-Forwarded-For`, which a client may write too. An entry may carry a port or brackets. An invalid entry
 * counts as the socket. Undefined when neither is known.
 */
export function clientAddress(c: AppContext): string | undefined {
  const forwarded = (c.req.header("X-Forwarded-For") ?? "").split(",");
  const remote = c.env?.remoteAddr;
  const proxies = c.get("services").env.OUTBOUND_TRUSTED_PROXIES;
  const entry = proxies > 0 ? forwarded.at(-proxies) ?? "" : "";
  if (remote && "hostname" in remote) {
    return networkOf(entry) ?? networkOf(remote.hostname) ?? remote.hostname;
  }
  return networkOf(proxies > 0 ? entry : c.req.header("CF-Connecting-IP") ?? forwarded[0]!);
}

/** `1.2.3.4`, `1.2.3.4:5`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:5`. */
const ENTRY = /^\s*(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|(\S+))\s*$/;

function networkOf(entry: string): string | undefined {
  const [, bracketed, beforePort, bare] = ENTRY.exec(entry) ?? [];
  const text = bracketed ?? beforePort ?? bare ?? "";
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString().split("%")[0]}/64`).toString()
    : address.toString();
}

/** Returns the token of an `Authorization: Bearer` header; undefined when there is none. */
export function bearerToken(c: AppContext): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
}

import { getPath } from "hono/utils/url";
import { functionsUrl, LOOPBACK_HOSTS, ROOT } from "../../values/urls.ts";
import { AppError, notSetUp } from "../../errors.ts";
import type { AppContext } from "./context.ts";

/** Returns the path as a function sees it behind Supabase's gateway, which removes the root. */
export function functionPath(request: Request): string {
  const path = getPath(request);
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length) : path;
}

/**
 * Returns the URL at which clients reach the functions, ending in `/functions/v1`: OUTBOUND_PUBLIC_URL. Without it, the Host header
 * counts only where it is this machine, because the client chooses it. Throws `service_unavailable`.
 */
export function baseUrl(c: AppContext): string {
  const { OUTBOUND_PUBLIC_URL } = c.get("services").env;
  if (OUTBOUND_PUBLIC_URL) return functionsUrl(OUTBOUND_PUBLIC_URL);
  const { origin, hostname } = new URL(c.req.url);
  if (LOOPBACK_HOSTS.has(hostname)) return functionsUrl(origin);
  throw notSetUp("public_url", "OUTBOUND_PUBLIC_URL is not set: the address of this service is not known");
}

/** Throws `validation_failed` for a URL with a NUL character, which no text in the database can hold. */
export function refuseNul(url: string): void {
  if (!url.includes("%00")) return;
  throw new AppError("validation_failed", "The URL holds a NUL character", {
    details: { field: "url", reason: "no NUL character" },
  });
}

import { notSetUp } from "../errors.ts";
import { functionsUrl } from "../functions_url.ts";
import { LOOPBACK_HOSTS } from "../loopback_hosts.ts";
import type { AppContext } from "./app.ts";

/**
 * Where the outside reaches the functions, ending in `/functions/v1`: PUBLIC_URL. The client chooses the
 * Host header, so it names us only where it is this machine. Throws `service_unavailable`.
 */
export function baseUrl(c: AppContext): string {
  const { PUBLIC_URL } = c.var.services.env;
  if (PUBLIC_URL) return functionsUrl(PUBLIC_URL);
  const { origin, hostname } = new URL(c.req.url);
  if (LOOPBACK_HOSTS.has(hostname)) return functionsUrl(origin);
  throw notSetUp("public_url", "PUBLIC_URL is not set: the address of this service is not known");
}

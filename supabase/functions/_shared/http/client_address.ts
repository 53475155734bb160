import type { AppContext } from "./app.ts";

/**
 * The address a request came from. A socket's other end cannot be forged; where TRUSTED_PROXIES say that it is a proxy's,
 * the entry that the outermost of them wrote in `X-Forwarded-For` counts, and where the runtime does not show the socket
 * (Supabase, whose gateway sets the header itself) the first. Undefined when neither tells.
 */
export function clientAddress(c: AppContext): string | undefined {
  const forwarded = (c.req.header("X-Forwarded-For") ?? "").split(",").map((entry) => entry.trim());
  const remote = c.env?.remoteAddr;
  if (!remote || !("hostname" in remote)) return forwarded[0] || undefined;
  const proxies = c.var.services.env.TRUSTED_PROXIES;
  return (proxies > 0 && forwarded.at(-proxies)) || remote.hostname;
}

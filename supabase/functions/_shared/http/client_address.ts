import type { AppContext } from "./app.ts";

/**
 * The address a request came from. A socket's other end cannot be forged; only where the runtime does not show it
 * (Supabase, whose gateway sets the header itself) is `X-Forwarded-For` believed. Undefined when neither tells.
 */
export function clientAddress(c: AppContext): string | undefined {
  const remote = c.env?.remoteAddr;
  if (remote && "hostname" in remote) return remote.hostname;
  return c.req.header("X-Forwarded-For")?.split(",")[0]?.trim() || undefined;
}

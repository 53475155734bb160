import { AppError } from "../errors.ts";
import { functionsUrl } from "../functions_url.ts";
import type { AppContext } from "./app.ts";

/** As `URL` writes them. */
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Where the outside reaches the functions, ending in `/functions/v1`: PUBLIC_URL. Whoever sends a request chooses its
 * Host, so that names us only where it is this machine. Throws `service_unavailable`.
 */
export function baseUrl(c: AppContext): string {
  const { PUBLIC_URL } = c.var.services.env;
  if (PUBLIC_URL) return functionsUrl(PUBLIC_URL);
  const { origin, hostname } = new URL(c.req.url);
  if (LOOPBACK.has(hostname)) return functionsUrl(origin);
  throw new AppError(
    "service_unavailable",
    "PUBLIC_URL is not set: the address of this service is not known",
  );
}

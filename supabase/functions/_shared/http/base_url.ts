import { functionsUrl } from "../functions_url.ts";
import type { AppContext } from "./app.ts";

/**
 * Where the outside reaches the functions, ending in `/functions/v1`: PUBLIC_URL, or where this request seems to have
 * gone. Behind a proxy that ends TLS only PUBLIC_URL is right.
 */
export function baseUrl(c: AppContext): string {
  return functionsUrl(c.var.services.env.PUBLIC_URL ?? new URL(c.req.url).origin);
}

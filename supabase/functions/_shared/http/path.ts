import { getPath } from "hono/utils/url";

/** Where the functions live in front of Supabase's gateway, and when one process hosts them all. */
export const ROOT = "/functions/v1";

/** The path as a function sees it behind Supabase's gateway, which takes the root off. */
export function functionPath(request: Request): string {
  const path = getPath(request);
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length) : path;
}

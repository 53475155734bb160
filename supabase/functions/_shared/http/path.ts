import { getPath } from "hono/utils/url";
import { ROOT } from "../functions_url.ts";

/** The path as a function sees it behind Supabase's gateway, which takes the root off. */
export function functionPath(request: Request): string {
  const path = getPath(request);
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length) : path;
}

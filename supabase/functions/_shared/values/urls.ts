/** Where the functions live in front of Supabase's gateway, and when one process hosts them all. */
export const ROOT = "/functions/v1";

/** Where the functions are found under an OUTBOUND_PUBLIC_URL, ending in `/functions/v1`, whether or not the setting says so. */
export function functionsUrl(publicUrl: string): string {
  const url = withoutEndSlashes(publicUrl);
  return url.endsWith(ROOT) ? url : `${url}${ROOT}`;
}

/** Returns an address or a name as a URL has it: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Returns a URL without the slashes at its end. */
export function withoutEndSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end--;
  return url.slice(0, end);
}

/** The names of this machine, as `URL` and browsers write them. */
export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

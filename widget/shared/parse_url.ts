/** The address of a web server, without a slash at its end, a query or a fragment; undefined for what is none. */
export function parseUrl(value: string | null | undefined): string | undefined {
  const url = tryUrl(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** `URL.parse`, which many browsers in use do not have. */
function tryUrl(value: string | null | undefined): URL | undefined {
  try {
    return value ? new URL(value) : undefined;
  } catch {
    return undefined;
  }
}

/** The address of a web server, without a slash at its end, a query or a fragment; undefined for what is none. */
export function parseUrl(value: string | null | undefined): string | undefined {
  const url = value ? URL.parse(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

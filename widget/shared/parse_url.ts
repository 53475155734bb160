/**
 * The address of a server, without a slash at its end; undefined for what is none. Plain http is taken on this
 * machine only, because a page on the web would not be allowed to ask it anyway.
 */
export function parseUrl(value: string | null | undefined): string | undefined {
  const url = value ? URL.parse(value) : null;
  if (!url || url.username || url.password) return undefined;
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && local)) return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** The origin of this page, which its widgets' frames answer alone; undefined for a page that is a file or has none. */
export function pageOrigin(): string | undefined {
  return /^https?:\/\//.test(origin) ? origin : undefined;
}

import { parseUrl } from "./parse_url.ts";

/** The API's base URL that this page was built for; undefined for a page that was built for any. */
export function builtInApi(): string | undefined {
  return parseUrl(document.querySelector<HTMLMetaElement>('meta[name="outbound-api"]')?.content);
}

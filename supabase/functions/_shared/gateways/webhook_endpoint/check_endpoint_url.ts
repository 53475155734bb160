import { isIP } from "node:net";
import { isPublicAddress } from "./is_public_address.ts";

const LONGEST_URL = 2000;

/**
 * Looks whether events may be sent to a URL at all, before any name is resolved. Returns the URL, or in one sentence
 * why not.
 *
 * @param allowPrivate also plain http, this machine and private networks
 */
export function checkEndpointUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): URL | string {
  const url = URL.parse(text);
  if (url === null || text.length > LONGEST_URL) return "It is not a URL";
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) {
    return "It does not begin with https://";
  }
  if (url.username || url.password) return "It holds a user name or password";
  const host = hostOf(url);
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) return "Its address is not a public one";
  return url;
}

/** A URL's host as names and addresses are written elsewhere: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

import ipaddr from "ipaddr.js";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { ConnectError } from "./endpoint_error.ts";

const MAX_URL_LENGTH = 2000;

/**
 * Checks whether a request may go to a URL, before any name is resolved. Returns the URL, or one sentence that says why
 * not.
 *
 * @param allowPrivate also allows plain http, this machine and private networks
 */
export function checkEndpointUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): URL | string {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL_LENGTH) return "It is not a URL";
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) {
    return "It does not begin with https://";
  }
  if (url.username || url.password) return "It holds a user name or password";
  const host = hostOf(url);
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) return "Its address is not a public one";
  return url;
}

/** Returns a URL's host as names and addresses are written elsewhere: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Global unicast, the only part of IPv6 that is routed between networks. Source: IANA, IPv6 address space registry. */
const IPV6_PUBLIC = ipaddr.parseCIDR("2000::/3");

/** Responds inside every virtual machine of Azure, with facts about that machine. Routed nowhere else. */
const AZURE_PLATFORM = "168.63.129.16";

/**
 * Returns whether an IP address may be that of a stranger's server. Private are this machine, private, local and shared
 * networks, multicast, the reserved blocks, and IPv6 addresses that only wrap an IPv4 one on its way elsewhere (NAT64,
 * 6to4, Teredo). An IPv4-mapped address counts as the IPv4 address in it.
 *
 * @param address without brackets; any other text is not public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast" || parsed.toString() === AZURE_PLATFORM) return false;
  return parsed.kind() === "ipv4" || parsed.match(IPV6_PUBLIC);
}

/**
 * Returns whether a URL's host may be public, as far as that shows without resolving it. Not public are private
 * addresses, and `localhost` with the names below it, which never leave this machine. Source: RFC 6761, section 6.3.
 *
 * @param host without brackets, in lower case, as `hostOf` returns it
 */
export function isPublicHost(host: string): boolean {
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  return !/(^|\.)localhost\.?$/.test(host);
}

/** Returns all addresses of a host. */
export type Resolve = (host: string) => Promise<string[]>;

/**
 * Resolves a host and returns those of its addresses that a request may go to. The caller must connect to one of these
 * and not to the name: resolved again, the name may have another address.
 *
 * @throws {ConnectError} when the name is unknown, or all its addresses are private
 */
export async function findAddresses(
  host: string,
  { allowPrivate, resolve = resolveBySystem }: { allowPrivate: boolean; resolve?: Resolve },
): Promise<string[]> {
  const addresses = await resolve(host).catch((cause) => {
    throw new ConnectError("name", "The endpoint's host name could not be resolved", { cause });
  });
  const allowed = allowPrivate ? addresses : addresses.filter(isPublicAddress);
  if (allowed.length === 0) throw new ConnectError("name", "The endpoint's address is not a public one");
  return allowed;
}

async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

import ipaddr from "ipaddr.js";

/** Global unicast, the only part of IPv6 that is routed between networks. Source: IANA, IPv6 address space registry. */
const IPV6_PUBLIC = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address may be that of a stranger's server: not this machine, not a private, local or shared network,
 * no multicast, none of the reserved blocks, and no IPv6 address that only wraps an IPv4 one on its way elsewhere
 * (NAT64, 6to4, Teredo). An IPv4-mapped address counts as the IPv4 address in it.
 *
 * @param address without brackets; what is no IP address is not public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(IPV6_PUBLIC);
}

/**
 * Whether a URL's host may be public, as far as can be told without resolving it: no address that is not public, and not
 * `localhost` or a name below it, which never leave this machine. Source: RFC 6761, section 6.3.
 *
 * @param host without brackets, in lower case, as `hostOf` returns it
 */
export function isPublicHost(host: string): boolean {
  if (ipaddr.isValid(host)) return isPublicAddress(host);
  return !/(^|\.)localhost\.?$/.test(host);
}

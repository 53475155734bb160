import ipaddr from "ipaddr.js";
import type { AppContext } from "./app.ts";

/**
 * The network a request came from, as limits count it: an IPv4 address, or the /64 of an IPv6 address, because one line
 * has a whole /64. An IPv4-mapped address is the IPv4 address in it.
 *
 * The other end of a socket cannot be forged. Where TRUSTED_PROXIES says that it is a proxy, the entry that the outermost
 * proxy wrote in `X-Forwarded-For` counts. Where the runtime does not show the socket and no proxy is named (Supabase),
 * `CF-Connecting-IP` counts, which the gateway in front of hosted functions writes itself, or else the first entry of
 * `X-Forwarded-For`, which a client may write too. An entry may carry a port or brackets. An entry that is no address
 * counts as the socket. Undefined when nothing says where the request came from.
 */
export function clientAddress(c: AppContext): string | undefined {
  const forwarded = (c.req.header("X-Forwarded-For") ?? "").split(",");
  const remote = c.env?.remoteAddr;
  const proxies = c.var.services.env.TRUSTED_PROXIES;
  const entry = proxies > 0 ? forwarded.at(-proxies) ?? "" : "";
  if (remote && "hostname" in remote) {
    return networkOf(entry) ?? networkOf(remote.hostname) ?? remote.hostname;
  }
  return networkOf(proxies > 0 ? entry : c.req.header("CF-Connecting-IP") ?? forwarded[0]!);
}

/** `1.2.3.4`, `1.2.3.4:5`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:5`. */
const ENTRY = /^\s*(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|(\S+))\s*$/;

function networkOf(entry: string): string | undefined {
  const [, bracketed, beforePort, bare] = ENTRY.exec(entry) ?? [];
  const text = bracketed ?? beforePort ?? bare ?? "";
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString().split("%")[0]}/64`).toString()
    : address.toString();
}

import { lookup } from "node:dns/promises";
import { EndpointError } from "./endpoint_error.ts";
import { isPublicAddress } from "./is_public_address.ts";

/** All addresses of a host, as the system resolves it. */
export type Resolve = (host: string) => Promise<string[]>;

/**
 * The addresses of a host that a request may go to. The caller must connect to one of these and not to the name: asked
 * again, a name may have another address.
 *
 * @throws {EndpointError} when the name is unknown, or all its addresses are private
 */
export async function findAddresses(
  host: string,
  { allowPrivate, resolve = resolveBySystem }: { allowPrivate: boolean; resolve?: Resolve },
): Promise<string[]> {
  const addresses = await resolve(host).catch((cause) => {
    throw new EndpointError("The endpoint's host name could not be resolved", { cause });
  });
  const allowed = allowPrivate ? addresses : addresses.filter(isPublicAddress);
  if (allowed.length === 0) throw new EndpointError("The endpoint's address is not a public one");
  return allowed;
}

async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

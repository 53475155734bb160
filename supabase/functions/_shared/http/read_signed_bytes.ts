import { AppError } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { clientAddress } from "./client_address.ts";
import { tooManyRefusals } from "./too_many_refusals.ts";
import { readBytes } from "./read_bytes.ts";

/** How a webhook of one platform is signed. */
export interface SignedBody<Signature> {
  /** What the header says; null when it has not the form of a signature, or we have no secret to check it by. */
  signature: Signature | null;
  verify(body: Uint8Array, signature: Signature): Promise<boolean>;
  /** Takes the body whose signature did not match. */
  onMismatch?(body: Uint8Array): void;
}

/**
 * Reads a webhook's body and makes sure that its signature matches. A request that cannot match is refused before its
 * body is read. An address whose signatures do not match has to wait; one whose signature matched within the hour has not.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, and what `readBytes` throws.
 */
export async function readSignedBytes<Signature>(
  c: AppContext,
  maxBytes: number,
  { signature, verify, onMismatch }: SignedBody<Signature>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { refusedAddresses } = c.var.services;
  const address = clientAddress(c);
  if (signature === null) {
    throw new AppError("unauthorized", "The signature header is missing, malformed or too old");
  }
  c.set("isKnown", refusedAddresses.isTrusted(address));
  const waitS = c.var.isKnown ? 0 : refusedAddresses.waitS(address);
  if (waitS > 0) throw tooManyRefusals(c, waitS);
  const bytes = await readBytes(c, maxBytes);
  if (!await verify(bytes, signature)) {
    refusedAddresses.count(address, bytes.byteLength);
    onMismatch?.(bytes);
    throw new AppError("unauthorized", "The signature does not match the body");
  }
  refusedAddresses.trust(address);
  return bytes;
}

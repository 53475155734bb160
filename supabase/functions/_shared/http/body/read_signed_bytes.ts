import { AppError } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import { clientAddress } from "../app/request_context.ts";
import { tooManyRefusals } from "../guards/limits.ts";
import { readBytes } from "./read_body.ts";

/** How a webhook of one platform is signed. */
export interface SignedBody<Signature> {
  /** The signature in the header; null when it is missing or malformed, or when no secret is set to check it by. */
  signature: Signature | null;
  verify(body: Uint8Array, signature: Signature): Promise<boolean>;
  /** Receives the body when its signature does not match. */
  onMismatch?(body: Uint8Array): void;
}

/**
 * Reads a webhook's body and makes sure that its signature matches. A request that cannot match is refused before its
 * body is read. An address whose signatures do not match has to wait, unless one matched within the hour.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, and what `readBytes` throws.
 */
export async function readSignedBytes<Signature>(
  c: AppContext,
  maxBytes: number,
  { signature, verify, onMismatch }: SignedBody<Signature>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { refusedAddresses } = c.get("services");
  const address = clientAddress(c);
  if (signature === null) {
    throw new AppError("unauthorized", "The signature header is missing, malformed or too old");
  }
  c.set("isKnown", refusedAddresses.isTrusted(address));
  const waitS = c.get("isKnown") ? 0 : refusedAddresses.waitS(address);
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

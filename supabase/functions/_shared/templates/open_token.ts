import type { Sealer } from "../crypto/seal.ts";
import { senderTokenOf } from "../crypto/secret_owner.ts";
import { AppError } from "../errors.ts";

/** A token that opens a business account, and the sender it is of; nulls when none of its senders has one. */
export interface SealedToken {
  companyId: string;
  senderId: string | null;
  tokenSealed: string | null;
}

/**
 * The token of a business account in the clear. Throws `validation_failed` when there is none, or it cannot be opened.
 */
export async function openToken(
  sealer: Sealer,
  { companyId, senderId, tokenSealed }: SealedToken,
): Promise<string> {
  if (senderId === null || tokenSealed === null) {
    throw new AppError("validation_failed", "None of its senders has a token");
  }
  return await sealer.open(tokenSealed, senderTokenOf(companyId, senderId)).catch((cause) => {
    const message = `The token of sender ${senderId} cannot be opened: ${cause.message}`;
    throw new AppError("validation_failed", message, { cause });
  });
}

import type { Sealer } from "../crypto/seal.ts";
import { openToken } from "../crypto/sender_token.ts";
import { AppError } from "../errors.ts";

/** The sealed token with which a business account opens, and its sender; nulls when none of its senders has one. */
export interface AccountToken {
  companyId: string;
  senderId: string | null;
  tokenSealed: string | null;
}

/** Returns the token of a business account. Throws `validation_failed` when it has none, or it cannot be opened. */
export async function accountToken(
  sealer: Sealer,
  { companyId, senderId, tokenSealed }: AccountToken,
): Promise<string> {
  if (senderId === null) throw noToken();
  const opened = await openToken(sealer, { companyId, senderId, tokenSealed });
  switch (opened.kind) {
    case "opened":
      return opened.token;
    case "missing":
      throw noToken();
    case "unreadable":
      throw new AppError(
        "validation_failed",
        `The token of sender ${senderId} cannot be opened: ${opened.reason}`,
      );
  }
}

function noToken(): AppError {
  return new AppError("validation_failed", "None of its senders has a token");
}

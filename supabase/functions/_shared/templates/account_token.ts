import type { Sealer } from "../crypto/seal.ts";
import { openToken } from "../crypto/sender_token.ts";
import { AppError } from "../errors.ts";

/** The sealed token with which a business account opens, and its sender; nulls when none of its senders has one. */
export interface AccountToken {
  company_id: string;
  sender_id: string | null;
  token_sealed: string | null;
}

/** Returns the token of a business account. Throws `validation_failed` when it has none, or it cannot be opened. */
export async function accountToken(
  sealer: Sealer,
  account: AccountToken,
): Promise<string> {
  const { sender_id } = account;
  if (sender_id === null) throw noToken();
  const opened = await openToken(sealer, { ...account, sender_id });
  switch (opened.kind) {
    case "opened":
      return opened.token;
    case "missing":
      throw noToken();
    case "unreadable":
      throw new AppError(
        "validation_failed",
        `The token of sender ${sender_id} cannot be opened: ${opened.reason}`,
      );
  }
}

function noToken(): AppError {
  return new AppError("validation_failed", "None of its senders has a token");
}

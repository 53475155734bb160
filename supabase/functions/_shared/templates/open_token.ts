import type { Sealer } from "../crypto/seal.ts";
import { AppError } from "../errors.ts";

/**
 * The token of a business account in the clear. Throws `validation_failed` when there is none, or it cannot be opened.
 */
export async function openToken(sealer: Sealer, sealed: string | null): Promise<string> {
  if (sealed === null) throw new AppError("validation_failed", "None of its senders has a token");
  return await sealer.open(sealed).catch((cause) => {
    throw new AppError("validation_failed", "SECRETS_KEY is not the one its token was sealed with", {
      cause,
    });
  });
}

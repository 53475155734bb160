import { UnsealError } from "../crypto/seal.ts";
import type { ErasedCounts } from "../db/contact_erasure.ts";
import { AppError, notSetUp } from "../errors.ts";
import { eraseContact, type EraseRequest } from "./erasure.ts";

/**
 * Erases a person and returns how much was erased. Throws `message_on_its_way` while something is being sent to the person,
 * and `service_unavailable` when SECRETS_KEY lacks the key of the hashes.
 */
export async function requireErased(
  services: Parameters<typeof eraseContact>[0],
  request: EraseRequest,
): Promise<ErasedCounts> {
  const erased = await eraseContact(services, request).catch((error) => {
    if (!(error instanceof UnsealError)) throw error;
    throw notSetUp(
      "secrets",
      "The key of erased contacts cannot be read; the operator of this service has to restore it",
      error,
    );
  });
  if (erased.kind === "erased") return erased.counts;
  throw new AppError(
    "message_on_its_way",
    `A message to this person is on its way, or a call is going on: retry in ${erased.retryAfterS} s`,
    { retryAfterS: erased.retryAfterS },
  );
}

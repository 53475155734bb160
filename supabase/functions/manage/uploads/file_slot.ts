import { AppError, rateLimitExceeded } from "../../_shared/errors.ts";
import type { AppContext } from "../../_shared/http/app/context.ts";
import { UPLOADS } from "../../_shared/services.ts";

/** The most that a file of people may have. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** How soon another file of the company, or of this process, may be over. */
const BUSY_WAIT_S = 10;

/** Lets a few files be read at once. Returns what ends the use of the slot. Throws `rate_limit_exceeded`. */
export function takeFileSlot(c: AppContext, companyId: string): () => void {
  const { uploads, now } = c.get("services");
  const slot = uploads.take(companyId);
  if (typeof slot === "function") return slot;
  const message = slot === "key"
    ? `At most ${UPLOADS.perKey} files of a company are read at once`
    : "This server is reading as many files as it can; retry in a moment";
  const limit = slot === "key" ? UPLOADS.perKey : UPLOADS.total;
  throw AppError.from(
    rateLimitExceeded(message, { limit, windowS: BUSY_WAIT_S, waitS: BUSY_WAIT_S, now: now() }),
  );
}

import type { PostOutcome } from "../_shared/db/widgets/conversations.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { visitorQuotaExceeded } from "../_shared/http/guards/limits.ts";

/**
 * Responds with a message that was posted, now or before. Throws `not_found` where there is no such conversation,
 * `conversation_closed` and `quota_exceeded`.
 */
export function respondPosted(c: AppContext, posted: PostOutcome | undefined): Response {
  const { conversations, now } = c.get("services");
  if (!posted) throw new AppError("not_found", "This company has no conversation with this id");
  if (posted.outcome === "closed") {
    throw new AppError("conversation_closed", "This conversation is closed; open a new one");
  }
  if (posted.outcome === "quota") throw visitorQuotaExceeded(posted, now());
  conversations.wake();
  return c.json({ message: posted.message });
}

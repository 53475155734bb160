import { z } from "@hono/zod-openapi";
import type { Actor } from "../_shared/db/access/audit.ts";
import type { MemberIds } from "../_shared/db/access/members.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { requireUser } from "../_shared/http/guards/require_user.ts";

/** The parameters in the path of an invitation. */
export const companyParams = z.object({ company_id: z.guid() });

/** The invitation that a request is about, which may not exist, and the user for the audit. */
export interface RequestedInvitation {
  invitation: MemberIds;
  by: Actor;
}

/**
 * Reads whose invitation to which company a request is about. The auth server is asked each time: a stranger who registered
 * the invited address before must not accept with a session that the invitation has just ended.
 *
 * Throws what {@link requireUser} throws, and `not_found`.
 */
export async function requestedInvitation(c: AppContext): Promise<RequestedInvitation> {
  const userId = await requireUser(c);
  const companyId = companyParams.safeParse(c.req.param()).data?.company_id.toLowerCase();
  if (companyId === undefined) throw notInvited();
  return {
    invitation: { userId, companyId },
    by: { actor: `user:${userId}`, requestId: c.get("requestId") },
  };
}

/** Returns the error for a user whom the company has not invited, or who is a member already. */
export function notInvited(): AppError {
  return new AppError("not_found", "Invitation not found");
}

import type { MemberIds } from "../../_shared/db/access/members.ts";
import type { CompanyCaller } from "../../_shared/http/guards/company_caller.ts";

/** Returns the member whose own things a request is about. Keys have none: these routes are not theirs. */
export function memberOf({ companyId, member }: CompanyCaller): MemberIds {
  return { companyId, userId: member!.userId };
}

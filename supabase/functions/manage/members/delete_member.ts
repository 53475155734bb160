import { z } from "@hono/zod-openapi";
import { deleteMembers } from "../../_shared/db/access/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberExample, memberParams, requireMembership } from "./member.ts";

/** `DELETE …/members/{user_id}` removes a member. */
export function registerDeleteMember(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/members/{user_id}",
    operationId: "removeMember",
    summary: "Remove a member",
    description:
      "They keep their account. They may have copied the company's key: rotate it. An invitation that was not accepted " +
      "ends. The last owner stays (409 `last_owner`).",
    effect: "stops",
    params: memberParams,
    response: {
      schema: z.object({ user_id: z.guid(), removed: z.literal(true) }).openapi("RemovedMember"),
      example: { user_id: memberExample.user_id, removed: true },
    },
    refusals: [409],
  }, async (c, { caller: { companyId, by }, params: { user_id: userId } }) => {
    const removal = { companyIds: [companyId], mayLeaveNone: false };
    await requireMembership(deleteMembers(c.get("services").sql, userId, removal, by));
    return { user_id: userId, removed: true as const };
  });
}

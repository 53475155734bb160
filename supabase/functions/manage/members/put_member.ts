import { z } from "@hono/zod-openapi";
import { updateRoles } from "../../_shared/db/access/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberExample, memberParams, requireMembership, roleSchema } from "./member.ts";

/** `PUT …/members/{user_id}` changes a member's role. */
export function registerPutMember(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/members/{user_id}",
    operationId: "changeMember",
    summary: "Change a member's role",
    description: "The last owner stays one (409 `last_owner`).",
    params: memberParams,
    body: {
      schema: z.strictObject({ role: roleSchema }).openapi("MemberChanges"),
      example: { role: "viewer" },
    },
    response: {
      schema: z.object({ user_id: z.guid(), role: roleSchema }).openapi("ChangedMember"),
      example: { user_id: memberExample.user_id, role: "viewer" },
    },
    refusals: [409],
  }, async (c, { caller: { companyId, by }, params: { user_id: userId }, body: { role } }) => {
    const change = { companyIds: [companyId], role, mayLeaveNone: false };
    await requireMembership(updateRoles(c.get("services").sql, userId, change, by));
    return { user_id: userId, role };
  });
}

import { z } from "@hono/zod-openapi";
import { deleteMembers } from "../../_shared/db/access/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { requireMembership } from "./member.ts";

/** `POST …/leave` ends the own membership. */
export function registerPostLeave(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/leave",
    operationId: "leaveCompany",
    summary: "Leave the company",
    description: "You keep your account. The last owner stays (409 `last_owner`).",
    effect: "stops",
    response: {
      schema: z.object({ company_id: z.guid(), left: z.literal(true) }).openapi("LeftCompany"),
      example: { company_id: "0192f8a4-5b1c-7c3d-8e2f-1a2b3c4d5e6f", left: true },
    },
    refusals: [409],
  }, async (c, { caller: { companyId, member, by } }) => {
    const removal = { companyIds: [companyId], mayLeaveNone: false };
    await requireMembership(deleteMembers(c.get("services").sql, member!.userId, removal, by));
    return { company_id: companyId, left: true as const };
  });
}

import { z } from "@hono/zod-openapi";
import { deleteMembers, updateRoles } from "../../_shared/db/access/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addMemberRoute } from "../member_route.ts";
import { requireMembership, roleSchema } from "./member.ts";

const params = z.object({ user_id: z.guid() });
const USER_ID = "0192f8b0-2222-4222-8333-444455556666";

/** `PUT …/members/{user_id}` changes a role, `DELETE …/members/{user_id}` removes a member, and `POST …/leave` oneself. */
export function registerChangeMember(app: App): void {
  addMemberRoute(app, {
    method: "put",
    path: "/members/{user_id}",
    operationId: "changeMember",
    summary: "Change a member's role",
    description: "The last owner stays one (409 `last_owner`).",
    role: "owner",
    params,
    body: {
      schema: z.strictObject({ role: roleSchema }).openapi("MemberChanges"),
      example: { role: "viewer" },
    },
    response: {
      schema: z.object({ user_id: z.guid(), role: roleSchema }).openapi("ChangedMember"),
      example: { user_id: USER_ID, role: "viewer" },
    },
    refusals: [409],
  }, async (c, { member: { companyId, by }, params: { user_id: userId }, body: { role } }) => {
    const change = { companyIds: [companyId], role, mayLeaveNone: false };
    await requireMembership(updateRoles(c.get("services").sql, userId, change, by));
    return { user_id: userId, role };
  });

  addMemberRoute(app, {
    method: "delete",
    path: "/members/{user_id}",
    operationId: "removeMember",
    summary: "Remove a member",
    description:
      "They keep their account. They may have copied the company's key: rotate it. An invitation that was not accepted " +
      "ends. The last owner stays (409 `last_owner`).",
    role: "owner",
    effect: "stops",
    params,
    response: {
      schema: z.object({ user_id: z.guid(), removed: z.literal(true) }).openapi("RemovedMember"),
      example: { user_id: USER_ID, removed: true },
    },
    refusals: [409],
  }, async (c, { member: { companyId, by }, params: { user_id: userId } }) => {
    const removal = { companyIds: [companyId], mayLeaveNone: false };
    await requireMembership(deleteMembers(c.get("services").sql, userId, removal, by));
    return { user_id: userId, removed: true as const };
  });

  addMemberRoute(app, {
    method: "post",
    path: "/leave",
    operationId: "leaveCompany",
    summary: "Leave the company",
    description: "You keep your account. The last owner stays (409 `last_owner`).",
    role: "viewer",
    effect: "stops",
    response: {
      schema: z.object({ company_id: z.guid(), left: z.literal(true) }).openapi("LeftCompany"),
      example: { company_id: "0192f8a4-5b1c-7c3d-8e2f-1a2b3c4d5e6f", left: true },
    },
    refusals: [409],
  }, async (c, { member: { companyId, userId, by } }) => {
    const removal = { companyIds: [companyId], mayLeaveNone: false };
    await requireMembership(deleteMembers(c.get("services").sql, userId, removal, by));
    return { company_id: companyId, left: true as const };
  });
}

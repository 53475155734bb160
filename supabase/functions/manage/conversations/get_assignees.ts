import { z } from "@hono/zod-openapi";
import { askAuthServer, type AuthAdmin, findUsers } from "../../_shared/access/auth_admin.ts";
import { nameOfUser } from "../../_shared/access/account.ts";
import { readMemberPage } from "../../_shared/db/access/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFieldsUpTo } from "../../_shared/http/app/list_page.ts";
import { pictureUrlSchema, withPictureUrls } from "../../_shared/http/company/picture_url.ts";
import { limitMembers } from "../../_shared/http/guards/limits.ts";
import { addCompanyRoute } from "../company_route.ts";
import { findAuthAdmin, roleSchema } from "../members/member.ts";

/** Each costs a request to the auth server. */
const MAX_MEMBERS = 100;
/** Per minute, of a company: a loop of a member's must not use up the auth server. */
const MAX_READS = 300;

const assigneeSchema = z.object({
  user_id: z.guid(),
  name: z.string().nullable().openapi({
    description:
      "Without a name, the first part of the e-mail; null for a user who is gone, and for all members where this " +
      "server has no SUPABASE_SECRET_KEY",
  }),
  role: roleSchema,
  picture_url: pictureUrlSchema,
}).openapi("Assignee");

/** `GET …/conversations/assignees` lists the members by name, for all who read the inbox. */
export function registerGetAssignees(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/conversations/assignees",
    operationId: "listAssignees",
    summary: "List who may take care of conversations",
    description: "The members by name, the newest first. Their addresses are for owners only.",
    query: z.object(pageFieldsUpTo(MAX_MEMBERS)),
    response: {
      schema: z.object({ members: z.array(assigneeSchema), ...listFields }).openapi("Assignees"),
      example: {
        members: [{
          user_id: "0192f8b0-2222-4222-8333-444455556666",
          name: "Ana",
          role: "operator",
          picture_url: null,
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, query }) => {
    limitMembers(c, { what: "assignees", companyId, perMinute: MAX_READS });
    const { sql, env } = c.get("services");
    const rows = await readMemberPage(sql, { ...query, companyId });
    const names = await readNames(findAuthAdmin(env), rows.map(({ user_id }) => user_id));
    return {
      members: withPictureUrls(c, companyId, rows)
        .map(({ user_id, role, picture_url }) => ({
          user_id,
          name: names.get(user_id) ?? null,
          role,
          picture_url,
        })),
      next: nextOf(rows, query.limit, "user_id"),
    };
  });
}

/** Members can be assigned to without names, so a server that may not read them responds all the same. */
async function readNames(
  admin: AuthAdmin | undefined,
  userIds: string[],
): Promise<Map<string, string | null>> {
  if (admin === undefined) return new Map();
  const users = await askAuthServer(findUsers(admin, userIds));
  return new Map(userIds.map((id) => [id, nameOfUser(users.get(id))]));
}

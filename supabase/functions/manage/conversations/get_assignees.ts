import { z } from "@hono/zod-openapi";
import { askAuthServer } from "../../_shared/access/auth_server.ts";
import { describeAccount, findUsers } from "../../_shared/access/auth_admin.ts";
import { readMemberPage } from "../../_shared/db/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextSchema, pageFieldsUpTo } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import { openAuthAdmin, roleSchema } from "../members/member.ts";

/** Each costs a request to the auth server. */
const MAX_MEMBERS = 100;

const assigneeSchema = z.object({
  user_id: z.guid(),
  name: z.string().openapi({ description: "Without a name, the first part of the e-mail" }),
  role: roleSchema,
}).openapi("Assignee");

/** `GET …/conversations/assignees` lists the members by name, for all who read the inbox. */
export function registerGetAssignees(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/conversations/assignees",
    operationId: "listAssignees",
    summary: "List who may take care of conversations",
    description: "The members by name, the newest first. Their addresses are for owners only.",
    role: "viewer",
    query: z.object(pageFieldsUpTo(MAX_MEMBERS)),
    response: {
      schema: z.object({ members: z.array(assigneeSchema), next: nextSchema }).openapi("Assignees"),
      example: {
        members: [{ user_id: "0192f8b0-2222-4222-8333-444455556666", name: "Ana", role: "operator" }],
        next: null,
      },
    },
  }, async (c, { member: { companyId }, query }) => {
    const { sql, env } = c.get("services");
    const rows = await readMemberPage(sql, { ...query, companyId });
    const users = await askAuthServer(findUsers(openAuthAdmin(env), rows.map(({ userId }) => userId)));
    return {
      members: rows.map(({ userId, role }) => {
        const { name, email } = describeAccount(users.get(userId));
        return { user_id: userId, name: name ?? email?.split("@")[0] ?? "?", role };
      }),
      next: rows.length < query.limit ? null : rows.at(-1)!.userId,
    };
  });
}

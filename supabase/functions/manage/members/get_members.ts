import { z } from "@hono/zod-openapi";
import { describeAccount } from "../../_shared/access/account.ts";
import { askAuthServer, findUsers } from "../../_shared/access/auth_admin.ts";
import { readMemberPage } from "../../_shared/db/access/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFieldsUpTo } from "../../_shared/http/app/list_page.ts";
import { withPictureUrls } from "../../_shared/http/company/picture_url.ts";
import { limitMembers } from "../../_shared/http/guards/limits.ts";
import { addCompanyRoute } from "../company_route.ts";
import { memberExample, memberSchema, openAuthAdmin, showMember } from "./member.ts";

/** Each costs a request to the auth server. */
const MAX_MEMBERS = 100;
/** Per minute, of a company: a loop of a member's must not use up the auth server. */
const MAX_READS = 60;

/** `GET …/members` lists the members of a company and the invited, the newest first. */
export function registerGetMembers(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/members",
    operationId: "listMembers",
    summary: "List members",
    description: "Those who were invited as well, until they accept or decline.",
    query: z.object(pageFieldsUpTo(MAX_MEMBERS)),
    response: {
      schema: z.object({ members: z.array(memberSchema), ...listFields }).openapi("Members"),
      example: { members: [memberExample], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    limitMembers(c, { what: "members", companyId, perMinute: MAX_READS });
    const { sql, env } = c.get("services");
    const rows = await readMemberPage(sql, { ...query, companyId, withPending: true });
    const accepted = rows.filter(({ invited_email }) => invited_email === null);
    const users = await askAuthServer(
      findUsers(openAuthAdmin(env), accepted.map(({ user_id }) => user_id)),
    );
    return {
      members: withPictureUrls(c, companyId, rows)
        .map((row) => showMember(row, describeAccount(users.get(row.user_id)))),
      next: nextOf(rows, query.limit, "user_id"),
    };
  });
}

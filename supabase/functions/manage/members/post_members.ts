import { z } from "@hono/zod-openapi";
import {
  askAuthServer,
  closeUnconfirmed,
  findOrCreateUser,
  sendInvitation,
} from "../../_shared/access/auth_admin.ts";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../../_shared/values/control_characters.ts";
import { describeError } from "../../_shared/log.ts";
import { insertInvitation } from "../../_shared/db/access/invitations.ts";
import { readMemberRights } from "../../_shared/db/access/members.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { tooManyPerMinute } from "../../_shared/http/guards/limits.ts";
import { addCompanyRoute } from "../company_route.ts";
import { openAuthAdmin, roleSchema } from "./member.ts";

/** Of one company per minute: invitations are e-mails to strangers. */
const MAX_INVITATIONS = 20;

const bodySchema = z.strictObject({
  email: z.email({ error: "an e-mail address" }).max(255, "at most 255 characters"),
  role: roleSchema,
  name: z.string().min(1).max(200, "at most 200 characters").refine(
    isOneLine,
    `one line of ${WITHOUT_CONTROLS}`,
  )
    .optional().openapi({ description: "Of a person who has no account yet", pattern: ONE_LINE }),
}).openapi("MemberRequest");

const responseSchema = z.object({
  user_id: z.guid(),
  added: z.boolean().openapi({
    description: "False for a person who is a member or was invited already: the role stays",
  }),
  invited: z.boolean().openapi({
    description:
      "False for a person who is a member already; else the login service was asked to send the e-mail",
  }),
}).openapi("AddedMember");

/**
 * `POST …/members` invites a person by e-mail. They are a member once they accept; until then the response, as all that
 * their company sees of them, is the same whether they have an account or not.
 */
export function registerPostMembers(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/members",
    operationId: "addMember",
    summary: "Invite a member",
    description:
      "They are a member once they have followed the link in the e-mail and accepted. Repeat it to send the " +
      "e-mail again.",
    body: { schema: bodySchema, example: { email: "ana@acme.example", role: "operator", name: "Ana" } },
    response: {
      schema: responseSchema,
      example: { user_id: "0192f8b0-2222-4222-8333-444455556666", added: true, invited: true },
    },
  }, async (c, { caller: { companyId, by }, body: { email, role, name } }) => {
    const { sql, env, log, perMinute } = c.get("services");
    const waitS = perMinute.count(`invitations:${companyId}`, MAX_INVITATIONS);
    if (waitS > 0) throw tooManyPerMinute(c, "Too many invitations", { limit: MAX_INVITATIONS, waitS });
    const admin = openAuthAdmin(env);
    const user = await askAuthServer(findOrCreateUser(admin, { email, name }), email);
    if (await readMemberRights(sql, { userId: user.id, companyId }) !== null) {
      return { user_id: user.id, added: false, invited: false };
    }
    // A stranger who is logged in when the invitation is stored could accept it.
    await askAuthServer(closeUnconfirmed(admin, user), email);
    const added = await insertInvitation(sql, user.id, { companyId, role, email }, by);
    const refusal = await askAuthServer(sendInvitation(admin, user, env.OUTBOUND_CONSOLE_URL), email);
    if (refusal) {
      const fields = { request_id: c.get("requestId"), user_id: user.id, ...describeError(refusal) };
      log.warn("the login service sent no invitation", fields);
    }
    return { user_id: user.id, added, invited: true };
  });
}

import { acceptInvitation } from "../_shared/db/access/invitations.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { companyExample, companySchema } from "./get_companies.ts";
import { companyParams, notInvited, requestedInvitation } from "./invitation.ts";

const route: ApiRoute = {
  method: "post",
  path: "/manage/invitations/{company_id}/accept",
  operationId: "acceptInvitation",
  summary: "Accept an invitation",
  description: "Makes you a member of the company.",
  tags: ["Management"],
  security: USER,
  request: { params: companyParams },
  responses: {
    200: { description: "You are a member", ...json(companySchema, companyExample) },
    ...errorResponses([401, 404, 429, 502]),
  },
};

/**
 * `POST /manage/invitations/{company_id}/accept` makes a pending membership of the user one. No user becomes a member
 * over HTTP in another way.
 */
export function registerAcceptInvitation(app: App): void {
  addRoute(app, route, async (c) => {
    const { invitation, by } = await requestedInvitation(c);
    const { sql, memberRights } = c.var.services;
    const accepted = await acceptInvitation(sql, invitation, by);
    if (accepted === undefined) throw notInvited();
    // This process may remember that the user was none.
    await memberRights.refresh(invitation);
    return c.json({
      company_id: accepted.company_id,
      name: accepted.company_name,
      role: accepted.role,
      test: false,
    });
  });
}

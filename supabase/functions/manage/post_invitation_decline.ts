import { z } from "@hono/zod-openapi";
import { declineInvitation } from "../_shared/db/access/invitations.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { companyExample } from "./get_companies.ts";
import { companyParams, notInvited, requestedInvitation } from "./invitation.ts";

const responseSchema = z.object({ company_id: z.guid(), declined: z.literal(true) }).openapi(
  "DeclinedInvitation",
);

const route: ApiRoute = {
  method: "post",
  path: "/manage/invitations/{company_id}/decline",
  operationId: "declineInvitation",
  summary: "Decline an invitation",
  tags: ["Management"],
  security: USER,
  request: { params: companyParams },
  responses: {
    200: {
      description: "The invitation is gone",
      ...json(responseSchema, { company_id: companyExample.company_id, declined: true }),
    },
    ...errorResponses([401, 404, 429, 502]),
  },
};

/** `POST /manage/invitations/{company_id}/decline` ends a pending membership of the user. */
export function registerDeclineInvitation(app: App): void {
  addRoute(app, route, async (c) => {
    const { invitation, by } = await requestedInvitation(c);
    if (!await declineInvitation(c.var.services.sql, invitation, by)) throw notInvited();
    return c.json({ company_id: invitation.companyId, declined: true });
  });
}

import { z } from "@hono/zod-openapi";
import { readInvitations } from "../_shared/db/access/invitations.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { showRow } from "../_shared/http/app/show_row.ts";
import { askAllCells } from "../_shared/http/app/request_cell.ts";
import { USER } from "../_shared/http/app/security.ts";
import { requireSignedIn } from "../_shared/http/guards/require_signed_in.ts";
import { companyExample, companyFields } from "./get_companies.ts";

const invitationSchema = z.object({ ...companyFields, invited_at: z.iso.datetime() }).openapi("Invitation");

const { test: _, ...invitedTo } = companyExample;

const route: ApiRoute = {
  method: "get",
  path: "/manage/invitations",
  operationId: "listInvitations",
  summary: "List your invitations",
  description: "The companies that invited you, until you accept or decline.",
  tags: ["Management"],
  security: USER,
  responses: {
    200: {
      description: "By name",
      ...json(z.object({ invitations: z.array(invitationSchema) }).openapi("Invitations"), {
        invitations: [{ ...invitedTo, invited_at: "2026-12-01T09:00:00Z" }],
      }),
    },
    ...errorResponses([401, 429, 502]),
  },
};

/** `GET /manage/invitations` lists the pending memberships of the user. */
export function registerGetInvitations(app: App): void {
  addRoute(app, route, async (c) => {
    const userId = await requireSignedIn(c);
    const rows = await askAllCells(c, ({ sql }) => readInvitations(sql, userId), ({ name }) => name);
    return c.json({ invitations: rows.map((row) => showRow(invitationSchema, row)) });
  });
}

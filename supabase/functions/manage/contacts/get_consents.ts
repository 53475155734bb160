import { z } from "@hono/zod-openapi";
import { readConsents } from "../../_shared/db/contacts/contact_ledger.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema } from "../../_shared/http/app/list_page.ts";
import { consentSchema, showConsent } from "../../_shared/http/contacts/ledger_schemas.ts";
import { addMemberRoute } from "../member_route.ts";
import { memberQuery } from "./ledger.ts";

/** `GET …/contacts/consents` lists who agreed to be written to. */
export function registerGetConsents(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/contacts/consents",
    operationId: "listManagedConsents",
    summary: "List who agreed to be written to, and who took it back",
    role: "viewer",
    query: memberQuery.extend({
      status: z.enum(["granted", "withdrawn"], { error: "granted or withdrawn" }).optional(),
    }),
    response: {
      schema: z.object({ consents: z.array(consentSchema), next: nextSchema }).openapi("ConsentPage"),
      example: { consents: [], next: null },
    },
  }, async (c, { member: { companyId }, query }) => {
    const rows = await readConsents(c.get("services").sql, { ...query, companyId });
    return { consents: rows.map(showConsent), next: nextOf(rows, query.limit) };
  });
}

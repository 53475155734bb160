import { z } from "@hono/zod-openapi";
import { readConsents } from "../../_shared/db/contacts/contact_ledger.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf } from "../../_shared/http/app/list_page.ts";
import { consentSchema, showConsent } from "./ledger_schemas.ts";
import { addCompanyRoute } from "../company_route.ts";
import { ledgerQuery } from "./person_query.ts";

/** `GET …/contacts/consents` lists who agreed to be written to. */
export function registerGetConsents(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/consents",
    operationId: "listConsents",
    summary: "List who agreed to be written to, and who took it back",
    description: "The newest first. A person with several addresses has one entry, under the first.",
    query: ledgerQuery.extend({
      status: z.enum(["granted", "withdrawn"], { error: "granted or withdrawn" }).optional(),
    }),
    response: {
      schema: z.object({ consents: z.array(consentSchema), ...listFields }).openapi("Consents"),
      example: {
        consents: [{
          id: "0192f8b0-2222-4333-8444-555566667777",
          number: "34600111222",
          channel: "whatsapp",
          category: "marketing",
          status: "granted",
          method: "website",
          detail: "Form on acme.test/news, version 3",
          consented_at: "2026-12-01T09:00:00Z",
          source: "api",
          created_at: "2026-12-01T09:00:01Z",
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readConsents(c.get("services").sql, { ...query, companyId });
    return { consents: rows.map(showConsent), next: nextOf(rows, query.limit) };
  });
}

import { z } from "@hono/zod-openapi";
import { readConsents } from "../_shared/db/contacts/contact_ledger.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { callerWithQuery } from "./contacts_caller.ts";
import { nextOf, nextSchema } from "../_shared/http/app/list_page.ts";
import { consentSchema, showConsent } from "../_shared/http/contacts/ledger_schemas.ts";
import { listQuery } from "../_shared/http/contacts/list_query.ts";

const querySchema = listQuery.extend({
  status: z.enum(["granted", "withdrawn"], { error: "granted or withdrawn" }).optional(),
});

const responseSchema = z.object({
  success: z.literal(true),
  consents: z.array(consentSchema),
  next: nextSchema,
}).openapi("Consents");

const route: ApiRoute = {
  method: "get",
  path: "/contacts/consents",
  operationId: "listConsents",
  summary: "List who agreed to be written to, and who took it back",
  description: "The newest first. A person with a number and a user id has an entry under each.",
  tags: ["Contacts"],
  security: COMPANY_KEY,
  request: { query: querySchema },
  responses: {
    200: {
      description: "One page",
      ...json(responseSchema, {
        success: true,
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
      }),
    },
    ...errorResponses([400, 401, 429], [403]),
  },
};

/**
 * `GET /contacts/consents` lists a company's consents page by page. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 has the short form.
 */
export function registerGetConsents(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, query } = await callerWithQuery(c, querySchema);
    const rows = await readConsents(c.var.services.sql, { ...query, companyId });
    return c.json({ success: true, consents: rows.map(showConsent), next: nextOf(rows, query.limit) });
  });
}

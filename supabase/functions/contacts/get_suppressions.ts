import { z } from "@hono/zod-openapi";
import { readSuppressions } from "../_shared/db/contacts/contact_ledger.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { callerWithQuery } from "./contacts_caller.ts";
import { nextOf, nextSchema } from "../_shared/http/app/list_page.ts";
import { showSuppression, sourceSchema, suppressionSchema } from "../_shared/http/contacts/ledger_schemas.ts";
import { listQuery } from "../_shared/http/contacts/list_query.ts";

const querySchema = listQuery.extend({
  source: sourceSchema.optional(),
  lifted: z.enum(["true", "false"], { error: "true or false" }).optional().openapi({
    description: "`true` lists those too that were lifted",
  }),
});

const responseSchema = z.object({
  success: z.literal(true),
  suppressions: z.array(suppressionSchema),
  next: nextSchema,
}).openapi("Suppressions");

const route: ApiRoute = {
  method: "get",
  path: "/contacts/suppressions",
  operationId: "listSuppressions",
  summary: "List who does not want to be written to",
  description: "The newest first. A person with a number and a user id has an entry under each.",
  tags: ["Contacts"],
  security: COMPANY_KEY,
  request: { query: querySchema },
  responses: {
    200: {
      description: "One page",
      ...json(responseSchema, {
        success: true,
        suppressions: [{
          id: "0192f8b0-1111-4222-8333-444455556666",
          number: "34600111222",
          channel: "whatsapp",
          category: "marketing",
          source: "keyword",
          at: "2026-12-01T09:00:00Z",
          evidence: { text: "BAJA" },
          created_at: "2026-12-01T09:00:01Z",
          lifted_at: null,
          lifted_by: null,
          lifted_evidence: null,
        }],
        next: null,
      }),
    },
    ...errorResponses([400, 401, 429], [403]),
  },
};

/**
 * `GET /contacts/suppressions` lists a company's suppressions page by page. Fails with `unauthorized`,
 * `validation_failed` or `rate_limit_exceeded`; 403 has the short form.
 */
export function registerGetSuppressions(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, query } = await callerWithQuery(c, querySchema);
    const rows = await readSuppressions(c.var.services.sql, {
      ...query,
      companyId,
      lifted: query.lifted === "true",
    });
    return c.json({
      success: true,
      suppressions: rows.map(showSuppression),
      next: nextOf(rows, query.limit),
    });
  });
}

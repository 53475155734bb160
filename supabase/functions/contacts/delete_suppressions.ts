import { z } from "@hono/zod-openapi";
import { liftSchema, readLift } from "../_shared/contacts/ledger_entries.ts";
import { requireLifted } from "../_shared/contacts/unsuppress.ts";
import { unsuppressContact } from "../_shared/db/contacts/contact_ledger.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { callerWithBody } from "./contacts_caller.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";
import { sourceSchema } from "../_shared/http/contacts/ledger_schemas.ts";

const responseSchema = z.object({
  success: z.literal(true),
  lifted: z.number().int().min(1),
  still_suppressed_by: z.array(sourceSchema).openapi({
    description: "The sources by which the person is still suppressed",
  }),
}).openapi("LiftedSuppressions");

const route: ApiRoute = {
  method: "delete",
  path: "/contacts/suppressions",
  operationId: "liftSuppressions",
  summary: "Lift a person's suppressions of a channel and category",
  description:
    "`any` and `all` contain the others. The person's own opt-out is lifted only with evidence of a later " +
    "consent: `method` and `consented_at`. What the platform reported stays.",
  tags: ["Contacts"],
  security: COMPANY_KEY,
  request: {
    query: z.object({ access_key: accessKeyParam }),
    body: jsonBody(liftSchema, {
      number: "34600111222",
      channel: "any",
      category: "marketing",
      method: "website",
      detail: "Form on acme.test/news, version 3",
      consented_at: "2026-11-02T09:00:00Z",
    }),
  },
  responses: {
    200: {
      description: "Lifted; the entries stay as evidence",
      ...json(responseSchema, { success: true, lifted: 1, still_suppressed_by: [] }),
    },
    ...errorResponses([400, 401, 404, 409, 413, 429], [403]),
  },
};

/**
 * `DELETE /contacts/suppressions` lifts a person's suppressions. Fails with `not_found` when there is none of the channel
 * and category, `suppression_kept` when the caller may lift none of them, and `validation_failed` when the person's own
 * opt-out needs evidence; also with `unauthorized`, `payload_too_large` or `rate_limit_exceeded`. 403 has the short form.
 */
export function registerDeleteSuppressions(app: App): void {
  addRoute(app, route, async (c) => {
    const { sql, now } = c.var.services;
    const { companyId, actor, body } = await callerWithBody(c, (value) => readLift(value, now()));
    const result = await unsuppressContact(sql, companyId, {
      ...body,
      sources: ["api", "import"],
      by: "api",
    }, { actor, requestId: c.get("requestId") });
    const { lifted, kept } = requireLifted(result);
    return c.json({ success: true, lifted, still_suppressed_by: kept });
  });
}

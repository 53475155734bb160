import { z } from "@hono/zod-openapi";
import { readPerson } from "../_shared/contacts/ledger_entries.ts";
import { numberSchema, userIdSchema } from "../_shared/contacts/address.ts";
import { exportContact } from "../_shared/contacts/export_contact.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { EXPORT_EXAMPLE, exportSchema } from "../_shared/http/contacts/person_schemas.ts";
import { streamText } from "../_shared/http/app/stream_text.ts";
import { callerWithQuery } from "./contacts_caller.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";

const querySchema = z.object({
  access_key: accessKeyParam,
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
});

const route: ApiRoute = {
  method: "get",
  path: "/contacts/export",
  operationId: "exportContact",
  summary: "Read everything that is known about a person",
  description: "Give `number` or `user_id`. The response is streamed, whatever its size.",
  tags: ["Contacts"],
  "x-effect": "acts",
  security: COMPANY_KEY,
  request: { query: querySchema },
  responses: {
    200: {
      description: "Under every known address of the person; empty lists for a person that nobody knows",
      ...json(exportSchema, EXPORT_EXAMPLE),
    },
    ...errorResponses([400, 401, 429], [403]),
  },
};

/**
 * `GET /contacts/export` returns everything about a person. Fails with `unauthorized`, `validation_failed` or
 * `rate_limit_exceeded`; 403 has the short form.
 */
export function registerGetExport(app: App): void {
  addRoute(app, route, async (c) => {
    const { companyId, actor, query } = await callerWithQuery(c, querySchema);
    const { access_key: _, ...person } = query;
    c.header("Content-Type", "application/json");
    const request = { ...readPerson(person), companyId, actor, requestId: c.get("requestId") };
    return await streamText(c, exportContact(c.var.services.sql, request));
  });
}

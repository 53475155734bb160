import { z } from "@hono/zod-openapi";
import { readEntries, readSuppression, suppressionSchema } from "../_shared/contacts/ledger_entries.ts";
import { suppressContacts } from "../_shared/db/contacts/contacts.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { callerWithBody } from "./contacts_caller.ts";
import { countsOf, countsSchema, entriesSchema, listIn } from "../_shared/http/contacts/entry_lists.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";

const route: ApiRoute = {
  method: "post",
  path: "/contacts/suppressions",
  operationId: "addSuppressions",
  summary: "Record up to 1,000 people who do not want to be written to",
  description:
    "Repeating a request is harmless. Entries that do not fit are returned; the others are recorded.",
  tags: ["Contacts"],
  "x-effect": "stops",
  security: COMPANY_KEY,
  request: {
    query: z.object({ access_key: accessKeyParam }),
    body: jsonBody(
      z.strictObject({ suppressions: entriesSchema(suppressionSchema) }).openapi("AddSuppressions"),
      {
        suppressions: [{
          number: "34600111222",
          channel: "any",
          category: "marketing",
          detail: "Asked by phone",
        }],
      },
    ),
  },
  responses: {
    200: {
      description: "Recorded; counts from now on, also for messages that wait",
      ...json(countsSchema.openapi("AddedSuppressions"), {
        success: true,
        added: 1,
        already: 0,
        invalid: 0,
        errors: [],
      }),
    },
    ...errorResponses([400, 401, 413, 429], [403]),
  },
};

/**
 * `POST /contacts/suppressions` records people who do not want to be written to. Fails with `unauthorized`,
 * `validation_failed`, `payload_too_large` or `rate_limit_exceeded`; 403 has the short form.
 */
export function registerPostSuppressions(app: App): void {
  addRoute(app, route, async (c) => {
    const { sql, now } = c.var.services;
    const recording = { source: "api" as const, now: now() };
    const { companyId, actor, body: { entries, errors } } = await callerWithBody(
      c,
      (body) => readEntries(listIn(body, "suppressions"), (entry) => readSuppression(entry, recording)),
    );
    const by = { actor, requestId: c.get("requestId") };
    const added = entries.length === 0 ? [] : await suppressContacts(sql, companyId, entries, by);
    return c.json(countsOf(added, errors));
  });
}

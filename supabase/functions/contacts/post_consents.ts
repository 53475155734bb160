import { z } from "@hono/zod-openapi";
import { erasedHashesOf } from "../_shared/contacts/erasure.ts";
import { consentSchema, readConsent, readEntries } from "../_shared/contacts/ledger_entries.ts";
import { recordConsents } from "../_shared/db/contacts/contacts.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { callerWithBody } from "./contacts_caller.ts";
import { countsOf, countsSchema, entriesSchema, listIn } from "../_shared/http/contacts/entry_lists.ts";
import { accessKeyParam } from "../_shared/http/guards/access_key.ts";
import { sourceSchema } from "../_shared/http/contacts/ledger_schemas.ts";

const responseSchema = countsSchema.extend({
  still_suppressed: z.array(z.object({
    index: z.number().int().min(0),
    sources: z.array(sourceSchema),
  })).openapi({ description: "Those whose consent was recorded, and who are still suppressed by others" }),
}).openapi("AddedConsents");

const route: ApiRoute = {
  method: "post",
  path: "/contacts/consents",
  operationId: "addConsents",
  summary: "Record up to 1,000 consents, or that they were taken back",
  description:
    "A consent lifts what the person, the API or an import suppressed before it was given. A withdrawal " +
    "suppresses. Repeating a request is harmless. Entries that do not fit are returned; the others are recorded.",
  tags: ["Contacts"],
  security: COMPANY_KEY,
  request: {
    query: z.object({ access_key: accessKeyParam }),
    body: jsonBody(z.strictObject({ consents: entriesSchema(consentSchema) }).openapi("AddConsents"), {
      consents: [{
        number: "34600111222",
        channel: "whatsapp",
        category: "marketing",
        status: "granted",
        method: "website",
        detail: "Form on acme.test/news, version 3",
        consented_at: "2026-11-01T09:00:00Z",
      }],
    }),
  },
  responses: {
    200: {
      description: "Recorded",
      ...json(responseSchema, {
        success: true,
        added: 1,
        already: 0,
        invalid: 0,
        errors: [],
        still_suppressed: [],
      }),
    },
    ...errorResponses([400, 401, 413, 429], [403]),
  },
};

/**
 * `POST /contacts/consents` records consents with their evidence. Fails with `unauthorized`, `validation_failed`,
 * `payload_too_large` or `rate_limit_exceeded`; 403 has the short form.
 */
export function registerPostConsents(app: App): void {
  addRoute(app, route, async (c) => {
    const { sql, sealer, now } = c.var.services;
    const recording = { source: "api" as const, now: now() };
    const { companyId, actor, body: { entries, places, errors } } = await callerWithBody(
      c,
      (body) => readEntries(listIn(body, "consents"), (entry) => readConsent(entry, recording)),
    );
    const hashesOf = await erasedHashesOf({ sql, sealer }, companyId);
    const consents = entries.map((consent) => ({ ...consent, hashes: hashesOf(consent) }));
    const by = { actor, requestId: c.get("requestId") };
    const recorded = consents.length === 0 ? [] : await recordConsents(sql, companyId, consents, by);
    const still_suppressed = recorded.flatMap(({ kept }, place) =>
      kept.length === 0 ? [] : [{ index: places[place]!, sources: kept }]
    );
    return c.json({ ...countsOf(recorded.map(({ added }) => added), errors), still_suppressed });
  });
}

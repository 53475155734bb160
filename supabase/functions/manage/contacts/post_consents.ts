import { z } from "@hono/zod-openapi";
import { erasedHashesOf } from "../../_shared/contacts/erasure.ts";
import {
  consentSchema as newConsentSchema,
  readConsent,
  readEntries,
} from "../../_shared/contacts/ledger_entries.ts";
import { recordConsents } from "../../_shared/db/contacts/contacts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  COUNTS_EXAMPLE,
  countsOf,
  countsSchema,
  entriesSchema,
  listSchema,
  MAX_BODY_BYTES,
  SOURCE,
} from "./entry_lists.ts";
import { sourceSchema } from "../../_shared/http/app/shared_schemas.ts";

const addedSchema = countsSchema.extend({
  still_suppressed: z.array(z.object({
    index: z.number().int().min(0),
    sources: z.array(sourceSchema),
  })).openapi({ description: "Those whose consent was recorded, and who are still suppressed by others" }),
}).openapi("AddedConsents");

/** `POST …/contacts/consents` records consents. */
export function registerPostConsents(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/contacts/consents",
    operationId: "addConsents",
    summary: "Record up to 1,000 consents, or that they were taken back",
    description:
      "A consent lifts what the person, the API or an import suppressed before it was given. A withdrawal suppresses. Each " +
      "entry is checked by itself: `errors` names those that do not fit. A repeated request changes nothing.",
    body: {
      schema: z.strictObject({ consents: entriesSchema(newConsentSchema) }).openapi("AddConsents"),
      check: listSchema("consents"),
      example: {
        consents: [{
          number: "34600111222",
          channel: "whatsapp",
          category: "marketing",
          status: "granted",
          method: "website",
          detail: "Form on acme.test/news, version 3",
          consented_at: "2026-11-01T09:00:00Z",
        }],
      },
      maxBytes: MAX_BODY_BYTES,
    },
    response: { schema: addedSchema, example: { ...COUNTS_EXAMPLE, still_suppressed: [] } },
  }, async (c, { caller: { companyId, by }, body }) => {
    const { sql, sealer, now } = c.get("services");
    const recording = { source: SOURCE, now: now() } as const;
    const { entries, indexes, errors } = readEntries(body.consents, (entry) => readConsent(entry, recording));
    const hashesOf = await erasedHashesOf({ sql, sealer }, companyId);
    const consents = entries.map((consent) => ({ ...consent, hashes: hashesOf(consent) }));
    const recorded = consents.length === 0 ? [] : await recordConsents(sql, companyId, consents, by);
    const still_suppressed = recorded.flatMap(({ kept }, position) =>
      kept.length === 0 ? [] : [{ index: indexes[position]!, sources: kept }]
    );
    return { ...countsOf(recorded.map(({ added }) => added), errors), still_suppressed };
  });
}

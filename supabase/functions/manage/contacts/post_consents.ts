import { z } from "@hono/zod-openapi";
import { erasedHashesOf } from "../../_shared/contacts/erasure.ts";
import {
  consentSchema as newConsentSchema,
  readConsent,
  readEntries,
} from "../../_shared/contacts/ledger_entries.ts";
import { recordConsents } from "../../_shared/db/contacts/contacts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { countsOf, entriesSchema, listSchema } from "../../_shared/http/contacts/entry_lists.ts";
import { addMemberRoute } from "../member_route.ts";
import { MAX_BODY_BYTES, RECORDED, recordedSchema, SOURCE } from "./ledger.ts";

/** `POST …/contacts/consents` records consents. */
export function registerPostConsents(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/contacts/consents",
    operationId: "recordPeopleConsents",
    summary: "Record up to 1,000 consents, or that they were taken back",
    description:
      "Each entry is checked by itself: `errors` names those that do not fit. A repeated request changes nothing. A " +
      "consent lifts the opt-outs before it.",
    role: "owner",
    body: {
      schema: z.strictObject({ consents: entriesSchema(newConsentSchema) }).openapi("RecordConsents"),
      check: listSchema("consents"),
      example: {
        consents: [{
          number: "34600111222",
          channel: "whatsapp",
          status: "granted",
          method: "phone",
          consented_at: "2026-11-01T09:00:00Z",
        }],
      },
      maxBytes: MAX_BODY_BYTES,
    },
    response: { schema: recordedSchema.openapi("RecordedConsents"), example: RECORDED },
  }, async (c, { member: { companyId, by }, body }) => {
    const { sql, sealer, now } = c.get("services");
    const recording = { source: SOURCE, now: now() } as const;
    const { entries, errors } = readEntries(body.consents, (entry) => readConsent(entry, recording));
    const hashesOf = await erasedHashesOf({ sql, sealer }, companyId);
    const consents = entries.map((consent) => ({ ...consent, hashes: hashesOf(consent) }));
    const recorded = consents.length === 0 ? [] : await recordConsents(sql, companyId, consents, by);
    const { success: _, ...counts } = countsOf(recorded.map(({ added }) => added), errors);
    return counts;
  });
}

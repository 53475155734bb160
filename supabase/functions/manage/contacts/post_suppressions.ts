import { z } from "@hono/zod-openapi";
import {
  readEntries,
  readSuppression,
  suppressionSchema as newSuppressionSchema,
} from "../../_shared/contacts/ledger_entries.ts";
import { suppressContacts } from "../../_shared/db/contacts/contacts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { countsOf, entriesSchema, listSchema } from "../../_shared/http/contacts/entry_lists.ts";
import { addMemberRoute } from "../member_route.ts";
import { MAX_BODY_BYTES, RECORDED, recordedSchema, SOURCE } from "./ledger.ts";

/** `POST …/contacts/suppressions` records people who do not want to be written to. */
export function registerPostSuppressions(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/contacts/suppressions",
    operationId: "suppressPeople",
    summary: "Record up to 1,000 people who do not want to be written to",
    description:
      "Each entry is checked by itself: `errors` names those that do not fit. A repeated request changes nothing.",
    role: "operator",
    effect: "stops",
    body: {
      schema: z.strictObject({ suppressions: entriesSchema(newSuppressionSchema) }).openapi("SuppressPeople"),
      check: listSchema("suppressions"),
      example: { suppressions: [{ number: "34600111222", detail: "Asked by phone" }] },
      maxBytes: MAX_BODY_BYTES,
    },
    response: { schema: recordedSchema.openapi("SuppressedPeople"), example: RECORDED },
  }, async (c, { member: { companyId, by }, body: { suppressions } }) => {
    const { sql, now } = c.get("services");
    const recording = { source: SOURCE, now: now() } as const;
    const { entries, errors } = readEntries(suppressions, (entry) => readSuppression(entry, recording));
    const added = entries.length === 0 ? [] : await suppressContacts(sql, companyId, entries, by);
    const { success: _, ...counts } = countsOf(added, errors);
    return counts;
  });
}

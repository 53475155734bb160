import { z } from "@hono/zod-openapi";
import {
  readEntries,
  readSuppression,
  suppressionSchema as newSuppressionSchema,
} from "../../_shared/contacts/ledger_entries.ts";
import { suppressContacts } from "../../_shared/db/contacts/contacts.ts";
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

/** `POST …/contacts/suppressions` records people who do not want to be written to. */
export function registerPostSuppressions(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/contacts/suppressions",
    operationId: "addSuppressions",
    summary: "Record up to 1,000 people who do not want to be written to",
    description:
      "Counts from now on, also for messages that wait. Each entry is checked by itself: `errors` names those that do " +
      "not fit. A repeated request changes nothing.",
    effect: "stops",
    body: {
      schema: z.strictObject({ suppressions: entriesSchema(newSuppressionSchema) }).openapi(
        "AddSuppressions",
      ),
      check: listSchema("suppressions"),
      example: {
        suppressions: [{
          number: "34600111222",
          channel: "any",
          category: "marketing",
          detail: "Asked by phone",
        }],
      },
      maxBytes: MAX_BODY_BYTES,
    },
    response: { schema: countsSchema.openapi("AddedSuppressions"), example: COUNTS_EXAMPLE },
  }, async (c, { caller: { companyId, by }, body: { suppressions } }) => {
    const { sql, now } = c.get("services");
    const recording = { source: SOURCE, now: now() } as const;
    const { entries, errors } = readEntries(suppressions, (entry) => readSuppression(entry, recording));
    const added = entries.length === 0 ? [] : await suppressContacts(sql, companyId, entries, by);
    return countsOf(added, errors);
  });
}

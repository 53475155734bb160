import { z } from "@hono/zod-openapi";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { readPersonFacts } from "../../_shared/db/contacts/contact_export.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { exportSchema } from "./person_schemas.ts";
import { addCompanyRoute } from "../company_route.ts";
import { personQuery } from "./person_query.ts";

const factsSchema = exportSchema.omit({
  marketing_sends: true,
  notifications: true,
  messages: true,
}).openapi("Person");

/** `GET …/contacts` finds a person. */
export function registerGetContacts(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts",
    operationId: "findPerson",
    summary: "Find a person",
    description:
      "By `number` or `user_id`: every known address, suppressions and consents, lifted ones included.",
    query: personQuery,
    response: {
      schema: factsSchema,
      example: {
        addresses: ["34600111222"],
        user_ids: [],
        suppressions: [{ address: "34600111222", category: "marketing", source: "keyword" }],
        consents: [],
        marketing_cooldowns: [],
      },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const { marketing_sends: _, ...facts } = await readPersonFacts(
      c.get("services").sql,
      companyId,
      readPerson(query),
    );
    return facts as z.input<typeof factsSchema>;
  });
}

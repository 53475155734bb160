import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../../_shared/contacts/address.ts";
import { exportContact } from "../../_shared/contacts/export_contact.ts";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { readPersonFacts } from "../../_shared/db/contacts/contact_export.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { streamText } from "../../_shared/http/app/stream_text.ts";
import { EXPORT_EXAMPLE, exportSchema } from "../../_shared/http/contacts/person_schemas.ts";
import { addMemberRoute } from "../member_route.ts";

const personQuery = z.object({ number: numberSchema.optional(), user_id: userIdSchema.optional() });

const factsSchema = exportSchema.omit({
  success: true,
  marketing_sends: true,
  notifications: true,
  messages: true,
}).openapi("Person");

/** `GET …/contacts` finds a person, and `GET …/contacts/export` returns everything about one. */
export function registerGetPerson(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/contacts",
    operationId: "findPerson",
    summary: "Find a person",
    description:
      "By `number` or `user_id`: every known address, suppressions and consents, lifted ones included.",
    role: "viewer",
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
  }, async (c, { member: { companyId }, query }) => {
    const { marketing_sends: _, ...facts } = await readPersonFacts(
      c.get("services").sql,
      companyId,
      readPerson(query),
    );
    return facts as z.input<typeof factsSchema>;
  });

  addMemberRoute(app, {
    method: "get",
    path: "/contacts/export",
    operationId: "exportPerson",
    summary: "Read everything that is known about a person",
    description: "The response is streamed, whatever its size. It is in the audit.",
    role: "operator",
    effect: "acts",
    query: personQuery,
    response: { schema: exportSchema, example: EXPORT_EXAMPLE },
  }, async (c, { member: { companyId, by: { actor } }, query }) => {
    c.header("Content-Type", "application/json");
    const request = { ...readPerson(query), companyId, actor, requestId: c.get("requestId") };
    return await streamText(c, exportContact(c.get("services").sql, request));
  });
}

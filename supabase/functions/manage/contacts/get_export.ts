import { exportContact } from "../../_shared/contacts/export_contact.ts";
import { readPersonKey } from "../../_shared/contacts/ledger_entries.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { streamText } from "../../_shared/http/app/stream_text.ts";
import { EXPORT_EXAMPLE, exportSchema } from "../../_shared/http/company/person.ts";
import { addCompanyRoute } from "../company_route.ts";
import { personKeyQuery } from "./person_query.ts";

/** `GET …/contacts/export` returns everything about a person. */
export function registerGetExport(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/export",
    operationId: "exportPerson",
    summary: "Read everything that is known about a person",
    description: "The response is streamed, whatever its size. It is in the audit.",
    effect: "acts",
    query: personKeyQuery,
    response: { schema: exportSchema, example: EXPORT_EXAMPLE },
  }, async (c, { caller: { companyId, by: { actor } }, query }) => {
    c.header("Content-Type", "application/json");
    const request = { ...readPersonKey(query), companyId, actor, requestId: c.get("requestId") };
    return await streamText(c, exportContact(c.get("services"), request));
  });
}

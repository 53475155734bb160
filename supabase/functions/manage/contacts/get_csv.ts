import { z } from "@hono/zod-openapi";
import { writeAudit } from "../../_shared/db/access/audit.ts";
import { readAttributes } from "../../_shared/db/people/attributes.ts";
import { readAllContacts } from "../../_shared/db/people/contact_list.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { streamText } from "../../_shared/http/app/stream_text.ts";
import { contactFilters, readContactFilters } from "../../_shared/http/company/contacts.ts";
import { contactsFile } from "../../_shared/people/contacts_csv.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/contacts/csv` responds with a file of the contacts that the filters leave. */
export function registerGetContactsCsv(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/csv",
    operationId: "exportContacts",
    summary: "Read all contacts as a file",
    description:
      "The newest first, with a column for each attribute. The response is streamed, whatever its size. It is in the audit.",
    effect: "acts",
    query: z.object(contactFilters),
    response: {
      files: {
        "text/csv": {
          schema: z.string().openapi({ description: "RFC 4180, with a header line; times are UTC" }),
        },
      },
    },
  }, async (c, { caller: { companyId, by }, query }) => {
    const services = c.get("services");
    const filter = await readContactFilters(services, companyId, query);
    const attributes = await readAttributes(services.sql, companyId);
    await writeAudit(services.sql, companyId, { ...by, action: "contacts.exported" });
    c.header("Content-Type", "text/csv; charset=utf-8; header=present");
    c.header("Content-Disposition", 'attachment; filename="contacts.csv"');
    return await streamText(c, contactsFile(attributes, readAllContacts(services.sql, filter)));
  });
}

import { z } from "@hono/zod-openapi";
import { countryOfSenders } from "../../_shared/contacts/import_ledger.ts";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { CONTACT_EXAMPLE } from "../../_shared/http/company/contacts.ts";
import { findPerson, personFactsSchema } from "../../_shared/http/company/person.ts";
import { isPhoneCountry, NUMBER_FAULTS, readPhoneCell } from "../../_shared/rows/phone_cell.ts";
import { addCompanyRoute } from "../company_route.ts";
import { personQuery } from "./person_query.ts";

/** `GET …/contacts/person` finds a person. */
export function registerGetPerson(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/contacts/person",
      operationId: "findPerson",
      summary: "Find a person",
      description:
        "By `number` or `user_id`: the contact, every known address, suppressions and consents, lifted ones included. " +
        "By `phone`: a number in any spelling, a national one too; `read_number` says how it was read.",
      query: personQuery.extend({
        phone: z.string().max(60, "at most 60 characters").optional().openapi({
          description: "A number as people write it, in place of `number`",
          example: "600 111 222",
        }),
        country: z.string().refine(isPhoneCountry, "a country's two letters, such as ES").optional().openapi({
          description:
            "Of a `phone` without a country code; that of the company's senders if left out and they share one",
          example: "ES",
        }),
      }),
      response: {
        schema: personFactsSchema,
        example: {
          contact: CONTACT_EXAMPLE,
          addresses: ["34600111222"],
          user_ids: [],
          suppressions: [{ address: "34600111222", category: "marketing", source: "keyword" }],
          consents: [],
          marketing_cooldowns: [],
          read_number: { number: "34600111222", country: "ES" },
        },
      },
    },
    async (c, { caller: { companyId }, query: { phone, country, ...person } }) => {
      const { sql } = c.get("services");
      const named = phone === undefined
        ? person
        : { number: readPhone(phone, country ?? await countryOfSenders(sql, companyId)) };
      return await findPerson(sql, companyId, readPerson(named));
    },
  );
}

function readPhone(phone: string, country: string | null): string {
  const read = readPhoneCell(phone, country);
  if ("number" in read) return read.number;
  const reason = NUMBER_FAULTS[read.fault];
  throw new AppError("validation_failed", `'phone': ${reason}`, {
    details: { field: "phone", reason, code: read.fault },
  });
}

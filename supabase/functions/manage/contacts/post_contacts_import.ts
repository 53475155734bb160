import { z } from "@hono/zod-openapi";
import { countryOfSenders } from "../../_shared/contacts/import_ledger.ts";
import { readMapping, rememberMapping } from "../../_shared/db/people/contact_mappings.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { fieldOf, readColumns } from "../../_shared/people/contact_columns.ts";
import { readContactFile } from "../../_shared/people/contact_file.ts";
import { importContacts } from "../../_shared/people/import_contacts.ts";
import { isPhoneCountry } from "../../_shared/rows/phone_cell.ts";
import { addCompanyRoute } from "../company_route.ts";
import { takeFileSlot } from "../uploads/file_slot.ts";
import { openRows } from "../uploads/open_rows.ts";
import { importErrorSchema } from "./import_people.ts";

const count = z.number().int().min(0);

const importedSchema = z.object({
  dry_run: z.boolean(),
  valid: count.openapi({ description: "Lines that fit" }),
  invalid: count,
  created: count.nullable().openapi({ description: "New contacts; null in a dry run" }),
  changed: count.nullable().openapi({ description: "Contacts that got something new; null in a dry run" }),
  errors: z.array(importErrorSchema).openapi({ description: "The first thousand lines that do not fit" }),
  columns: z.record(z.string(), z.string().nullable()).openapi({
    description: "What became of each column; null: nothing",
  }),
  country: z.string().nullable().openapi({
    description: "Of numbers without a country code; null: there is none",
  }),
}).openapi("ImportedContacts");

const COLUMNS_EXAMPLE = { Phone: "number", Name: "name", City: "attribute.city" };

/** `POST …/contacts/import` makes contacts of the people of a file. */
export function registerPostContactsImport(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/contacts/import",
    operationId: "importContacts",
    summary: "Make contacts of the people of a file",
    description:
      "A CSV file whose first line names the columns, or one JSON object per line. The file is read to its end first; " +
      "one that cannot be read whole is refused whole. Lines that do not fit keep no other line out. A person is found " +
      "by number, user id or e-mail address. Importing a file twice changes nothing.",
    query: z.object({
      dry_run: z.enum(["true", "false"], { error: "true or false" }).default("false").openapi({
        description: "`true`: checks every line, and records nothing",
      }),
      columns: z.string().max(20_000, "at most 20,000 characters").optional().openapi({
        description:
          "A JSON object that says which column is which field: number, user_id, email, name, language, timezone, " +
          "country, tags, attribute.<name>, or null for none. Columns that it leaves out are what they were in the " +
          "company's file before, or what their name says",
        example: JSON.stringify(COLUMNS_EXAMPLE),
      }),
      overwrite: z.enum(["true", "false"], { error: "true or false" }).default("true").openapi({
        description: "`false`: the file only fills what contacts lack",
      }),
      country: z.string().refine(isPhoneCountry, "a country's two letters, such as ES").optional().openapi({
        description:
          "Of numbers without a country code; that of the company's senders if left out and they share one",
        example: "ES",
      }),
    }),
    file: {
      "text/csv": { schema: z.string(), example: "Phone,Name,City\r\n34600111222,Ana Ruiz,Madrid\r\n" },
      "application/x-ndjson": {
        schema: z.string(),
        example: '{"Phone":"34600111222","Name":"Ana Ruiz","City":"Madrid"}\n',
      },
    },
    response: {
      schema: importedSchema,
      example: {
        ...{ dry_run: false, valid: 1, invalid: 0, created: 1, changed: 0, errors: [] },
        ...{ columns: COLUMNS_EXAMPLE, country: "ES" },
      },
    },
  }, async (c, { caller: { companyId, by }, query }) => {
    const { sql } = c.get("services");
    const given = readColumns(query.columns);
    const isDry = query.dry_run === "true";
    const remembered = await readMapping(sql, companyId);
    const country = query.country ?? await countryOfSenders(sql, companyId);
    const release = takeFileSlot(c, companyId);
    try {
      const file = await readContactFile(openRows(c), {
        fieldOf: (column) => fieldOf(column, { given, remembered }),
        country,
        overwrite: query.overwrite === "true",
      });
      const counts = await importContacts(sql, companyId, { file, isDry }, by);
      const used = Object.fromEntries(file.columns);
      // Without a line of names, the first person's facts are the names of columns that fill no field.
      const meant = Object.entries(used).filter(([name, field]) =>
        field !== null || Object.hasOwn(given, name)
      );
      if (!isDry && meant.length > 0) await rememberMapping(sql, companyId, Object.fromEntries(meant));
      return {
        ...{ dry_run: isDry, valid: file.rows.length, invalid: file.invalid },
        ...{ created: counts?.created ?? null, changed: counts?.changed ?? null },
        ...{ errors: file.errors, columns: used, country },
      };
    } finally {
      release();
    }
  });
}

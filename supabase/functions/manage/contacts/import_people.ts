import { z } from "@hono/zod-openapi";
import {
  countryOfSenders,
  type ImportKind,
  readLedgerFile,
  recordLedgerFile,
} from "../../_shared/contacts/import_ledger.ts";
import type { Effect } from "../../_shared/access/effects.ts";
import { MAX_ROWS } from "../../_shared/campaigns/uploads/row_batches.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { streamBody } from "../../_shared/http/body/stream_body.ts";
import { isPhoneCountry } from "../../_shared/rows/phone_cell.ts";
import { addCompanyRoute } from "../company_route.ts";
import { MAX_FILE_BYTES, takeFileSlot } from "../uploads/file_slot.ts";

const count = z.number().int().min(0);

/** A line of a file that does not fit. */
export const importErrorSchema = z.object({
  line: count.openapi({ description: "The line of the file in which the row ends" }),
  field: z.string().openapi({ description: "Empty where it is not a single field" }),
  code: z.string(),
  reason: z.string(),
}).openapi("ImportError");

const importedSchema = z.object({
  dry_run: z.boolean(),
  valid: count.openapi({ description: "Lines that fit" }),
  invalid: count,
  added: count.nullable().openapi({ description: "New ones; null in a dry run" }),
  already: count.nullable().openapi({
    description: "Recorded before, or twice in the file; null in a dry run",
  }),
  errors: z.array(importErrorSchema).openapi({ description: "The first thousand lines that do not fit" }),
  unused_columns: z.array(z.string()),
  country: z.string().nullable().openapi({
    description: "Of numbers without a country code; null: there is none",
  }),
}).openapi("ImportedPeople");

/** Adds the route that records the people of a file, `POST …/contacts/suppressions/import` or `…/consents/import`. */
export function addImport(
  app: App,
  kind: ImportKind,
  route: { operationId: string; summary: string; effect?: Effect },
): void {
  addCompanyRoute(app, {
    ...route,
    method: "post",
    path: `/contacts/${kind}/import`,
    description:
      "The first line names the columns: those of the entries of the same path without `/import`. The file is " +
      "read to its end first; one that cannot be read whole is refused whole. Lines that do not fit keep no other line " +
      "out. Importing a file twice is harmless.",
    query: z.object({
      dry_run: z.enum(["true", "false"], { error: "true or false" }).default("false").openapi({
        description: "`true`: checks every line, and records nothing",
      }),
      country: z.string().refine(isPhoneCountry, "a country's two letters, such as ES").optional().openapi({
        description:
          "Of numbers without a country code; that of the company's senders if left out and they share one",
        example: "ES",
      }),
    }),
    file: {
      "text/csv": {
        schema: z.string(),
        example: "number,channel,detail\r\n34600111222,any,Asked by phone\r\n",
      },
    },
    response: {
      schema: importedSchema,
      example: {
        ...{ dry_run: false, valid: 1, invalid: 0, added: 1, already: 0, errors: [], unused_columns: [] },
        country: "ES",
      },
    },
  }, async (c, { caller: { companyId, by }, query }) => {
    const { sql, sealer, now } = c.get("services");
    const country = query.country ?? await countryOfSenders(sql, companyId);
    const release = takeFileSlot(c, companyId);
    try {
      const options = { kind, country, now: now(), maxRows: MAX_ROWS };
      const file = await readLedgerFile(streamBody(c, MAX_FILE_BYTES), options);
      const isDry = query.dry_run === "true";
      const recorded = isDry
        ? { added: null, already: null }
        : await recordLedgerFile({ sql, sealer: () => sealer }, companyId, file, by);
      const { entries, invalid, errors, unusedColumns } = file;
      return {
        ...{ dry_run: isDry, valid: entries.length, invalid, ...recorded, errors, country },
        unused_columns: unusedColumns,
      };
    } finally {
      release();
    }
  });
}

import { type Command, Option } from "commander";
import { openCsv } from "../terminal/csv_file.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Column, renderTable } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { phoneCountry, uuid } from "../terminal/values.ts";
import { IMPORT_KINDS, type ImportKind } from "../../supabase/functions/_shared/contacts/import_ledger.ts";
import type { LineError } from "../../supabase/functions/_shared/rows/line_errors.ts";
import { importContacts, type Imported } from "./import_csv.ts";

const ERRORS: Column<LineError>[] = [
  ["LINE", (row) => row.line],
  ["FIELD", (row) => row.field],
  ["REASON", (row) => row.reason],
];

/** How many errors a person reads; --json has up to a thousand. */
const MAX_SHOWN_ERRORS = 20;

interface ImportOptions {
  company: string;
  kind: ImportKind;
  country?: string;
  dryRun?: boolean;
}

/** Adds `contact import`. */
export function addImport(contact: Command, run: Run): void {
  contact.command("import").description("import suppressions or consents from a CSV file")
    .argument("<file>", "a CSV file whose first line names the columns; - reads standard input")
    .requiredOption("--company <id>", "the company", uuid)
    .addOption(
      new Option("--kind <kind>", "what the lines are").choices(IMPORT_KINDS).default("suppressions"),
    )
    .option(
      "--country <code>",
      "of numbers without a country code, such as ES; the senders' country by default",
      phoneCountry,
    )
    .option("--dry-run", "only check the lines")
    .action((file: string, { company: companyId, kind, country, dryRun = false }: ImportOptions) =>
      run(async ({ sql, sealer }) => {
        const { csv, bytes } = await openCsv(file);
        const progress = startProgress();
        const onProgress = (read: number) => progress.update(read, Math.max(bytes, read), "bytes");
        const request = { companyId, kind, csv, country, dryRun, onProgress };
        const imported = await importContacts({ sql, sealer }, request).finally(progress.stop);
        return {
          json: { dry_run: dryRun, ...imported },
          text: describe(imported),
          problem: problemOf(imported),
        };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin contact import opt-outs.csv --company "$COMPANY" --dry-run
  deno task admin contact import consents.csv --company "$COMPANY" --kind consents`,
    );
}

function describe({ added, already, valid, invalid, errors, unused_columns, country }: Imported): string {
  const counts =
    (added === null
      ? `Checked, nothing recorded: ${valid} valid, ${invalid} invalid`
      : `Imported: ${added} added, ${already} already there, ${invalid} invalid`) +
    `\nNumbers without a country code: ${country ?? "refused, there is no default country"}` +
    (unused_columns.length > 0 ? `\nColumns not used: ${unused_columns.join(", ")}` : "");
  if (errors.length === 0) return counts;
  const more = invalid > MAX_SHOWN_ERRORS ? `\n… and ${invalid - MAX_SHOWN_ERRORS} more` : "";
  return `${counts}\n\n${renderTable(ERRORS, errors.slice(0, MAX_SHOWN_ERRORS), "")}${more}`;
}

function problemOf({ invalid }: Imported): string | undefined {
  return invalid === 0 ? undefined : `${invalid} lines do not fit: correct them and import the file again`;
}

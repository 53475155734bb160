import { type Command, Option } from "commander";
import { openCsv } from "../csv_file.ts";
import { startProgress } from "../progress.ts";
import { type Column, renderTable } from "../render.ts";
import type { Run } from "../session.ts";
import { uuid } from "../values.ts";
import {
  IMPORT_KINDS,
  importContacts,
  type Imported,
  type ImportKind,
  type LineError,
} from "./import_csv.ts";

const ERRORS: Column<LineError>[] = [
  ["LINE", (row) => row.line],
  ["FIELD", (row) => row.field],
  ["REASON", (row) => row.reason],
];

/** How many errors a person reads; --json has up to a thousand. */
const MAX_SHOWN_ERRORS = 20;

/** Adds `contact import`. */
export function addImport(contact: Command, run: Run): void {
  contact.command("import").description("import suppressions or consents from a CSV file")
    .argument("<file>", "a CSV file whose first line names the columns; - reads standard input")
    .requiredOption("--company <id>", "the company", uuid)
    .addOption(
      new Option("--kind <kind>", "what the lines are").choices(IMPORT_KINDS).default("suppressions"),
    )
    .option("--dry-run", "only check the lines")
    .action((
      file: string,
      { company: companyId, kind, dryRun = false }: { company: string; kind: ImportKind; dryRun?: boolean },
    ) =>
      run(async ({ sql, sealer }) => {
        const { csv, bytes } = await openCsv(file);
        const progress = startProgress();
        const onProgress = (read: number) => progress.update(read, Math.max(bytes, read), "bytes");
        const imported = await importContacts({ sql, sealer }, { companyId, kind, csv, dryRun, onProgress })
          .finally(progress.stop);
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

function describe({ added, already, valid, invalid, errors }: Imported): string {
  const counts = added === null
    ? `Checked, nothing recorded: ${valid} valid, ${invalid} invalid`
    : `Imported: ${added} added, ${already} already there, ${invalid} invalid`;
  if (errors.length === 0) return counts;
  const more = invalid > MAX_SHOWN_ERRORS ? `\n… and ${invalid - MAX_SHOWN_ERRORS} more` : "";
  return `${counts}\n\n${renderTable(ERRORS, errors.slice(0, MAX_SHOWN_ERRORS), "")}${more}`;
}

function problemOf({ invalid }: Imported): string | undefined {
  return invalid === 0 ? undefined : `${invalid} lines do not fit: correct them and import the file again`;
}

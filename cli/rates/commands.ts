import type { Command } from "commander";
import {
  type Rate,
  readRates,
  removeRates,
  storeRates,
} from "../../supabase/functions/_shared/db/campaigns/rates.ts";
import { openCsv } from "../terminal/csv_file.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Column, renderTable } from "../terminal/render.ts";
import type { Run, Session } from "../session.ts";
import { currency, day } from "../terminal/values.ts";
import { type ImportedRates, importRates, type RateError } from "./import_rates.ts";

const RATES: Column<Rate>[] = [
  ["MARKET", (row) => row.market],
  ["CATEGORY", (row) => row.category],
  ["CURRENCY", (row) => row.currency],
  ["RATE", (row) => row.rate],
  ["FROM", (row) => row.effective_from],
];

const ERRORS: Column<RateError>[] = [
  ["LINE", (row) => row.line],
  ["FIELD", (row) => row.field],
  ["REASON", (row) => row.reason],
];

const MAX_SHOWN_ERRORS = 20;

/** `rates import | list | remove`. */
export function addRatesCommands(program: Command, run: Run): void {
  const rates = program.command("rates").description("the rate card that costs are estimated with");
  addImport(rates, run);
  addList(rates, run);
  addRemove(rates, run);
}

function addImport(rates: Command, run: Run): void {
  rates.command("import").description("import a rate card; it replaces rates of the same market and day")
    .argument(
      "<file>",
      "a CSV file with the columns market, category, currency, rate, effective_from; - reads standard input",
    )
    .action((path: string) =>
      run(async (session) => {
        const { csv, bytes } = await openCsv(path);
        const progress = startProgress();
        const imported = await importRates(
          csv,
          (rates) => countInFirst(session, ({ sql }) => storeRates(sql, rates)),
          (read) => progress.update(read, Math.max(bytes, read), "bytes"),
        ).finally(progress.stop);
        return {
          json: { ...imported },
          text: describe(imported),
          problem: imported.invalid === 0
            ? undefined
            : `${imported.invalid} lines do not fit: correct them and import the file again`,
        };
      })
    )
    .addHelpText(
      "after",
      `
A market is a country (ISO 3166-1) or * for the rest of the world.

Example:
  deno task admin rates import rates.csv`,
    );
}

/** Changes the rates of every cell, or the one that is chosen; returns the count of the first. */
async function countInFirst(
  { inEachCell }: Session,
  change: (session: Session) => Promise<number>,
): Promise<number> {
  const [count] = (await inEachCell(change)).values();
  return count!;
}

function describe({ added, replaced, errors, invalid }: ImportedRates): string {
  if (invalid === 0) return `Imported: ${added} new rates, ${replaced} replaced`;
  const more = invalid > MAX_SHOWN_ERRORS ? `\n… and ${invalid - MAX_SHOWN_ERRORS} more` : "";
  return `Nothing imported\n\n${renderTable(ERRORS, errors.slice(0, MAX_SHOWN_ERRORS), "")}${more}`;
}

function addList(rates: Command, run: Run): void {
  rates.command("list").description("show the rates that are in effect today")
    .option("--currency <code>", "only this currency", currency)
    .option("--all", "earlier and future rates too")
    .action(({ currency, all }: { currency?: string; all?: true }) =>
      run(async ({ sql }) => {
        const on = all ? undefined : new Date().toISOString().slice(0, 10);
        const rows = await readRates(sql, { currency, on });
        return { json: { rates: rows }, text: renderTable(RATES, rows, 'No rates yet: use "rates import"') };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin rates list --currency USD");
}

function addRemove(rates: Command, run: Run): void {
  rates.command("remove").description("take back rates that were imported by mistake")
    .requiredOption("--currency <code>", "the currency of the rates", currency)
    .requiredOption("--from <day>", "the day from which they are in effect", day)
    .action((rates: { currency: string; from: string }) =>
      run(async (session) => {
        const removed = await countInFirst(session, ({ sql }) => removeRates(sql, rates));
        return { json: { removed }, text: `Removed ${removed} rates` };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin rates remove --currency EUR --from 2026-10-01");
}

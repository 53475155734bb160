import { z } from "zod";
import { checkFields } from "../../supabase/functions/_shared/check_fields.ts";
import type { Rate } from "../../supabase/functions/_shared/db/campaigns/rates.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { filledCells, readCsv } from "../terminal/csv_file.ts";
import { CommandError } from "../errors/command_error.ts";

const COLUMNS = ["market", "category", "currency", "rate", "effective_from"];

const upper = (value: unknown) => typeof value === "string" ? value.toUpperCase() : value;
const lower = (value: unknown) => typeof value === "string" ? value.toLowerCase() : value;

const rateSchema = z.object({
  market: z.preprocess(upper, z.string().regex(/^([A-Z]{2}|\*)$/, "a country such as ES, or * for the rest")),
  category: z.preprocess(lower, z.string().regex(/^[a-z_]{1,40}$/, "a category such as marketing")),
  currency: z.preprocess(upper, z.string().regex(/^[A-Z]{3}$/, "a currency such as USD")),
  rate: z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, "a decimal number such as 0.0125, of at most six decimals"),
  effective_from: z.iso.date("a day such as 2026-10-01"),
});

/** A line that does not fit. */
export interface RateError {
  line: number;
  field: string;
  reason: string;
}

export interface ImportedRates {
  /** Rates that the card did not have, and those that replaced one. Both 0 if any line does not fit. */
  added: number;
  replaced: number;
  /** The first hundred. */
  errors: RateError[];
  invalid: number;
}

const MAX_ERRORS = 100;
const LINES_PER_UPDATE = 1000;

/**
 * Imports a rate card from a CSV file: all of it, or nothing if a line does not fit.
 *
 * @param store stores all rates, and returns how many did not replace one
 * @throws {CommandError} `bad_value` when the file is no CSV, has other columns or no rates
 */
export async function importRates(
  csv: ReadableStream<Uint8Array>,
  store: (rates: Rate[]) => Promise<number>,
  onProgress: (bytes: number) => void = () => {},
): Promise<ImportedRates> {
  const rates = new Map<string, Rate>();
  const result: ImportedRates = { added: 0, replaced: 0, errors: [], invalid: 0 };
  for await (const { record, info } of readCsv(csv, checkHeader)) {
    try {
      const rate = checkFields(rateSchema, filledCells(record));
      const id = [rate.market, rate.category, rate.currency, rate.effective_from].join();
      if (rates.has(id)) throw repeated(rate);
      rates.set(id, rate);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      result.invalid++;
      if (result.errors.length < MAX_ERRORS) result.errors.push({ line: info.lines, ...problemOf(error) });
    }
    if (info.lines % LINES_PER_UPDATE === 0) onProgress(info.bytes);
  }
  if (result.invalid > 0) return result;
  if (rates.size === 0) throw new CommandError("bad_value", "The file has no rates");
  result.added = await store([...rates.values()]);
  result.replaced = rates.size - result.added;
  return result;
}

function repeated({ market }: Rate): AppError {
  return new AppError("validation_failed", "", {
    details: {
      field: "market",
      provided: market,
      expected_format: "one line per market, category, currency and day",
    },
  });
}

function problemOf({ details = {} }: AppError): { field: string; reason: string } {
  const { field, provided, expected_format: expected } = details;
  const reason = expected === undefined ? "missing" : `expected ${expected}, got '${provided}'`;
  return { field: String(field), reason };
}

function checkHeader(given: string[]): string[] {
  const header = given.map((name) => name.toLowerCase());
  const missing = COLUMNS.find((name) => !header.includes(name));
  if (missing === undefined) return header;
  throw new CommandError(
    "bad_value",
    `The first line must name the columns ${COLUMNS.join(", ")}: '${missing}' is missing`,
  );
}

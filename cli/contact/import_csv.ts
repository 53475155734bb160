import {
  countryOfSenders,
  type ImportKind,
  readLedgerFile,
  recordLedgerFile,
} from "../../supabase/functions/_shared/contacts/import_ledger.ts";
import type { LineError } from "../../supabase/functions/_shared/rows/line_errors.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { requireCompanies } from "../errors/refusals.ts";
import { asCommand } from "./refusals.ts";

export interface Imported {
  /** Null in a dry run. */
  added: number | null;
  already: number | null;
  valid: number;
  invalid: number;
  /** The first thousand. */
  errors: LineError[];
  /** The columns that are ignored. */
  unused_columns: string[];
  /** Of numbers without a country code. */
  country: string | null;
}

export interface ImportRequest {
  companyId: string;
  kind: ImportKind;
  csv: ReadableStream<Uint8Array>;
  /** Of numbers without a country code; that of the company's senders if left out and they share one. */
  country?: string | undefined;
  /** Only checks the lines. */
  dryRun: boolean;
  onProgress?(bytes: number): void;
}

/**
 * Imports people from a CSV file, as the console does. Lines that do not fit are returned; the others are recorded.
 * Importing a file twice is harmless.
 *
 * @throws {CommandError} `bad_value` when the file cannot be read whole or names no person; `not_found`
 */
export async function importContacts(
  context: { sql: Sql; sealer(): Sealer },
  { companyId, kind, csv, dryRun, onProgress, ...request }: ImportRequest,
): Promise<Imported> {
  const { sql } = context;
  await requireCompanies(sql, companyId);
  const country = request.country ?? await countryOfSenders(sql, companyId);
  return await asCommand(async () => {
    const file = await readLedgerFile(csv, { kind, country, now: new Date(), onProgress });
    const { entries, invalid, errors, unusedColumns } = file;
    const recorded = dryRun
      ? { added: null, already: null }
      : await recordLedgerFile(context, companyId, file, CLI);
    return { ...recorded, valid: entries.length, invalid, errors, unused_columns: unusedColumns, country };
  });
}

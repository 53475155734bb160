import { type Consent, recordConsents, suppressContacts, type Suppression } from "../db/contacts/contacts.ts";
import type { Actor } from "../db/access/audit.ts";
import type { Sql } from "../db/driver/connect.ts";
import { readSenders } from "../db/queue/senders.ts";
import type { Sealer } from "../crypto/seal.ts";
import { AppError } from "../errors.ts";
import { readCsvRows } from "../rows/csv_rows.ts";
import { decodeParts, faultyFile, type FileRow, refusingFaults } from "../rows/file_row.ts";
import { addLineError, type LineError, type RefusedLines } from "../rows/line_errors.ts";
import { NUMBER_FAULTS, phoneCountryOf, readPhoneCell } from "../rows/phone_cell.ts";
import { erasedHashesOf } from "./erasure.ts";
import { fieldProblem, readConsent, readSuppression, type Recording } from "./ledger_entries.ts";

export type ImportKind = "suppressions" | "consents";

/** The columns of each kind of file. */
const COLUMNS: Record<ImportKind, string[]> = {
  suppressions: ["number", "user_id", "channel", "category", "at", "detail"],
  consents: ["number", "user_id", "channel", "category", "status", "method", "detail", "consented_at"],
};

const ROWS_PER_BATCH = 1000;

/** A file of people that was read to its end. */
export interface LedgerFile extends RefusedLines {
  kind: ImportKind;
  entries: (Suppression | Consent)[];
  /** The columns that are ignored. */
  unusedColumns: string[];
}

export interface LedgerFileOptions {
  kind: ImportKind;
  /** Of numbers without a country code. */
  country: string | null;
  now: Date;
  /** Above, the file is refused. */
  maxRows: number;
}

/**
 * Reads a CSV file of people who do not want to be written to, or who agreed. Reads it to its end before anything is
 * recorded, so a file that cannot be read whole loses no person.
 *
 * Throws `validation_failed` for such a file and for one without a column of people, and `payload_too_large`.
 */
export async function readLedgerFile(
  file: AsyncIterable<Uint8Array>,
  { kind, country, now, maxRows }: LedgerFileOptions,
): Promise<LedgerFile> {
  const recording: Recording = { source: "import", now };
  const result: LedgerFile = { kind, entries: [], invalid: 0, errors: [], unusedColumns: [] };
  const rows = readCsvRows(decodeParts(file), (header) => {
    const names = header.map((name) => name.toLowerCase());
    requirePerson(names, COLUMNS[kind]);
    result.unusedColumns = names.filter((name) => !COLUMNS[kind].includes(name));
    return names;
  });
  for await (const row of refusingFaults(rows)) {
    if (row.row > maxRows) throw tooManyRows(maxRows);
    const read = readRow(row, { kind, country, recording });
    if ("entry" in read) result.entries.push(read.entry);
    else addLineError(result, { line: row.line, ...read.error });
  }
  if (result.entries.length + result.invalid === 0) throw faultyFile("no_rows", "The file has no rows");
  return result;
}

function requirePerson(header: string[], known: string[]): void {
  if (header.includes("number") || header.includes("user_id")) return;
  const reason = `The first line must name the columns, out of ${
    known.join(", ")
  }: found neither number nor user_id`;
  throw faultyFile("no_person", reason);
}

function readRow(
  { cells, problem }: FileRow,
  { kind, country, recording }: { kind: ImportKind; country: string | null; recording: Recording },
): { entry: Suppression | Consent } | { error: Omit<LineError, "line"> } {
  if (problem !== null) return { error: { field: "", code: "row_length", reason: problem } };
  // An empty cell counts as left out.
  const values = Object.fromEntries(
    COLUMNS[kind].filter((name) => cells[name]).map((name) => [name, cells[name]]),
  );
  if (typeof values.number === "string") {
    const read = readPhoneCell(values.number, country);
    if ("fault" in read) {
      return { error: { field: "number", code: read.fault, reason: NUMBER_FAULTS[read.fault] } };
    }
    values.number = read.number;
  }
  if (values.number === undefined && values.user_id === undefined) {
    return { error: { field: "number", code: "number_is_missing", reason: "The row names no person" } };
  }
  try {
    return {
      entry: kind === "suppressions" ? readSuppression(values, recording) : readConsent(values, recording),
    };
  } catch (error) {
    return { error: { code: "validation_failed", ...fieldProblem(error) } };
  }
}

function tooManyRows(maxRows: number): AppError {
  return new AppError(
    "payload_too_large",
    `The file has more than ${maxRows} rows: import the others as another file`,
    {
      details: { limit_rows: maxRows },
    },
  );
}

/** Records what a file says, a thousand people at a time. What was there before is not added twice. */
export async function recordLedgerFile(
  { sql, sealer }: { sql: Sql; sealer: () => Sealer },
  companyId: string,
  { kind, entries }: LedgerFile,
  by: Actor,
): Promise<{ added: number; already: number }> {
  const hashesOf = kind === "consents" && entries.length > 0
    ? await erasedHashesOf({ sql, sealer: sealer() }, companyId)
    : undefined;
  let added = 0;
  for (let from = 0; from < entries.length; from += ROWS_PER_BATCH) {
    const batch = entries.slice(from, from + ROWS_PER_BATCH);
    const recorded = hashesOf === undefined
      ? await suppressContacts(sql, companyId, batch as Suppression[], by)
      : await recordConsents(
        sql,
        companyId,
        (batch as Consent[]).map((consent) => ({ ...consent, hashes: hashesOf(consent) })),
        by,
      ).then((rows) => rows.map((row) => row.added));
    added += recorded.filter(Boolean).length;
  }
  return { added, already: entries.length - added };
}

/** Returns the country of a company's senders, of which numbers in its files are likely; null where they differ. */
export async function countryOfSenders(sql: Sql, companyId: string): Promise<string | null> {
  const senders = await readSenders(sql, { companyId });
  const countries = new Set(senders.flatMap(({ number }) => (number && phoneCountryOf(number)) ?? []));
  return countries.size === 1 ? [...countries][0]! : null;
}

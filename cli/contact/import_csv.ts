import { erasedHashesOf } from "../../supabase/functions/_shared/contacts/erasure.ts";
import {
  fieldProblem,
  readConsent,
  readSuppression,
  type Recording,
} from "../../supabase/functions/_shared/contacts/ledger_entries.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import {
  type Consent,
  recordConsents,
  suppressContacts,
  type Suppression,
} from "../../supabase/functions/_shared/db/contacts.ts";
import { filledCells, readCsv } from "../csv_file.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies } from "../errors/refusals.ts";
import { asCommand } from "./refusals.ts";

export const IMPORT_KINDS = ["suppressions", "consents"] as const;
export type ImportKind = typeof IMPORT_KINDS[number];

/** The columns of each kind of file. */
const COLUMNS: Record<ImportKind, string[]> = {
  suppressions: ["number", "user_id", "channel", "category", "at", "detail"],
  consents: [
    "number",
    "user_id",
    "channel",
    "category",
    "status",
    "method",
    "detail",
    "consented_at",
  ],
};

const ROWS_PER_BATCH = 1000;
/** Of a file whose every line is wrong, the rest says nothing new. */
const MAX_ERRORS = 1000;

/** A line that was not imported. */
export interface LineError {
  line: number;
  field: string;
  reason: string;
}

export interface Imported {
  /** Null in a dry run. */
  added: number | null;
  already: number | null;
  valid: number;
  invalid: number;
  /** The first thousand. */
  errors: LineError[];
}

export interface ImportRequest {
  companyId: string;
  kind: ImportKind;
  csv: ReadableStream<Uint8Array>;
  /** Only checks the lines. */
  dryRun: boolean;
  onProgress?(bytes: number): void;
}

/**
 * Imports people from a CSV file, a thousand lines at a time. Lines that do not fit are returned; the others are
 * recorded. Importing a file twice is harmless.
 *
 * @throws {CommandError} `bad_value` when the file is no CSV or has other columns; `not_found`
 */
export async function importContacts(
  context: { sql: Sql; sealer(): Sealer },
  { companyId, kind, csv, dryRun, onProgress }: ImportRequest,
): Promise<Imported> {
  await requireCompanies(context.sql, companyId);
  const importer = kind === "suppressions" ? suppressionsOf(context) : consentsOf(context);
  const recording: Recording = { source: "import", now: new Date() };
  const result: Imported = { added: null, already: null, valid: 0, invalid: 0, errors: [] };
  let batch: unknown[] = [];
  const columns = (header: string[]) => checkHeader(header.map((name) => name.toLowerCase()), COLUMNS[kind]);

  async function record(): Promise<void> {
    if (dryRun || batch.length === 0) return;
    const added = (await importer.record(companyId, batch as never[])).filter(Boolean).length;
    result.added = (result.added ?? 0) + added;
    result.already = (result.already ?? 0) + batch.length - added;
  }

  for await (const { record: row, info } of readCsv(csv, columns)) {
    try {
      batch.push(importer.read(valuesOf(row), recording));
      result.valid++;
    } catch (error) {
      result.invalid++;
      if (result.errors.length < MAX_ERRORS) {
        result.errors.push({ line: info.lines, ...fieldProblem(error) });
      }
    }
    if (batch.length < ROWS_PER_BATCH) continue;
    await record();
    batch = [];
    onProgress?.(info.bytes);
  }
  await record();
  return dryRun ? result : { ...result, added: result.added ?? 0, already: result.already ?? 0 };
}

/** How lines of one kind are read and recorded. */
interface Importer<Entry> {
  read(value: unknown, recording: Recording): Entry;
  /** Returns for each whether it is new. */
  record(companyId: string, entries: Entry[]): Promise<boolean[]>;
}

function suppressionsOf({ sql }: { sql: Sql }): Importer<Suppression> {
  return {
    read: readSuppression,
    record: (companyId, entries) => suppressContacts(sql, companyId, entries, CLI),
  };
}

function consentsOf({ sql, sealer }: { sql: Sql; sealer(): Sealer }): Importer<Consent> {
  return {
    read: readConsent,
    async record(companyId, entries) {
      const hashesOf = await asCommand(() => erasedHashesOf({ sql, sealer: sealer() }, companyId));
      const consents = entries.map((consent) => ({ ...consent, hashes: hashesOf(consent) }));
      return (await recordConsents(sql, companyId, consents, CLI)).map(({ added }) => added);
    },
  };
}

function checkHeader(header: string[], known: string[]): string[] {
  const unknown = header.filter((name) => !known.includes(name));
  if (unknown.length > 0 || !(header.includes("number") || header.includes("user_id"))) {
    const found = unknown.length > 0 ? `found '${unknown[0]}'` : "found neither number nor user_id";
    throw new CommandError(
      "bad_value",
      `The first line must name the columns, out of ${known.join(", ")}: ${found}`,
    );
  }
  return header;
}

/** An empty cell counts as left out. People write numbers with a plus sign and separators. */
function valuesOf(row: Record<string, string>): Record<string, string> {
  const values = filledCells(row);
  return values.number === undefined
    ? values
    : { ...values, number: values.number.replace(/[\s().-]/g, "").replace(/^\+/, "") };
}

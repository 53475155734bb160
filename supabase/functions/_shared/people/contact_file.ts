import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import { userIdSchema } from "../contacts/address.ts";
import { fieldProblem } from "../contacts/ledger_entries.ts";
import { MAX_ROWS, tooManyRows } from "../campaigns/uploads/row_batches.ts";
import { faultyFile, type FileRow, refusingFaults } from "../rows/file_row.ts";
import { NUMBER_FAULTS, readPhoneCell } from "../rows/phone_cell.ts";
import { attributeValueSchema } from "./attributes.ts";
import { addLineError, type LineError, type RefusedLines } from "../rows/line_errors.ts";
import { attributeOf, type ContactField } from "./contact_columns.ts";
import {
  countrySchema,
  emailSchema,
  languageSchema,
  nameSchema,
  type Person,
  tagsSchema,
  timezoneSchema,
} from "./person.ts";

/** A person, and the line that names them. */
export interface PersonRow {
  line: number;
  person: Person;
}

/** A file of people that was read to its end. */
export interface ContactFile extends RefusedLines {
  rows: PersonRow[];
  /** The columns of the file, each with its field. */
  columns: Map<string, ContactField | null>;
}

const MAX_COLUMNS = 500;

const rowSchema = z.object({
  user_id: userIdSchema.optional(),
  email: emailSchema.optional(),
  name: nameSchema.optional(),
  language: languageSchema.optional(),
  timezone: timezoneSchema.optional(),
  country: countrySchema.optional(),
  tags: tagsSchema.optional(),
  attributes: z.record(z.string(), attributeValueSchema),
});

/**
 * Reads the people of a file to its end, before anything is recorded. Throws `validation_failed` for one that cannot be
 * read whole, and `payload_too_large`.
 *
 * @param options `country`: of numbers without a country code
 */
export async function readContactFile(
  rows: AsyncIterable<FileRow>,
  { fieldOf, country, overwrite }: {
    fieldOf: (column: string) => ContactField | null;
    country: string | null;
    overwrite: boolean;
  },
): Promise<ContactFile> {
  const file: ContactFile = { rows: [], invalid: 0, errors: [], columns: new Map() };
  for await (const row of refusingFaults(rows)) {
    if (row.row > MAX_ROWS) throw tooManyRows();
    for (const column of Object.keys(row.cells)) {
      if (!file.columns.has(column) && file.columns.size < MAX_COLUMNS) {
        file.columns.set(column, fieldOf(column));
      }
    }
    const read = readRow(row, { columns: file.columns, country, overwrite });
    if ("person" in read) file.rows.push({ line: row.line, person: read.person });
    else addLineError(file, { line: row.line, ...read.error });
  }
  if (file.rows.length + file.invalid === 0) throw faultyFile("no_rows", "The file has no rows");
  return file;
}

function readRow(
  { cells, problem }: FileRow,
  { columns, country, overwrite }: {
    columns: Map<string, ContactField | null>;
    country: string | null;
    overwrite: boolean;
  },
): { person: Person } | { error: Omit<LineError, "line"> } {
  if (problem !== null) return { error: { field: "", code: "row_length", reason: problem } };
  const { number: cell, ...values } = valuesOf(cells, columns);
  const addresses: Person["addresses"] = [];
  if (cell !== undefined) {
    const read = readPhoneCell(String(cell), country);
    if ("fault" in read) {
      return { error: { field: "number", code: read.fault, reason: NUMBER_FAULTS[read.fault] } };
    }
    addresses.push({ kind: "number", address: read.number });
  }
  try {
    const { user_id: userId, email, ...fields } = checkFields(rowSchema, values);
    if (userId !== undefined) addresses.push({ kind: "user_id", address: userId });
    if (email !== undefined) addresses.push({ kind: "email", address: email });
    if (addresses.length > 0) return { person: { addresses, ...fields, overwrite } };
  } catch (error) {
    return { error: { code: "validation_failed", ...fieldProblem(error) } };
  }
  return { error: { field: "number", code: "number_is_missing", reason: "The row names no person" } };
}

/** An empty cell counts as left out. Cells of CSV are text; tags are separated by commas or semicolons. */
function valuesOf(
  cells: Record<string, unknown>,
  columns: Map<string, ContactField | null>,
): Record<string, unknown> & { attributes: Record<string, unknown> } {
  const values: Record<string, unknown> & { attributes: Record<string, unknown> } = { attributes: {} };
  for (const [column, value] of Object.entries(cells)) {
    const field = columns.get(column) ?? null;
    if (field === null || value === "" || value === null) continue;
    const attribute = attributeOf(field);
    if (attribute !== null) values.attributes[attribute] = value;
    else values[field] = field === "tags" && typeof value === "string" ? tagsIn(value) : value;
  }
  return values;
}

function tagsIn(text: string): string[] {
  return text.split(/[,;]/).map((tag) => tag.trim()).filter((tag) => tag !== "");
}

import { sha256Hex } from "../../crypto/digests.ts";
import { AppError } from "../../errors.ts";
import { faultyFile, type FileRow, refusingFaults } from "../../rows/file_row.ts";
import { contactOf, type RowProblem } from "./row_contact.ts";
import type { UploadPlan } from "./upload_plan.ts";

export const ROWS_PER_BATCH = 100;
export const MAX_ROWS = 100_000;

/** A row that may be sent to. */
export interface RowContact extends Pick<FileRow, "row" | "line"> {
  contact: Record<string, unknown>;
}

/** A hundred rows of a file, the last batch fewer. The same file gives the same batches. */
export interface RowBatch {
  /** From 1. */
  position: number;
  /** Of all rows up to here. */
  fingerprint: string;
  rows: number;
  contacts: RowContact[];
  /** The rows that are refused before the batch is stored. */
  problems: RowProblem[];
  /** The recipients of refused rows as the file has them, by row. */
  recipients: Map<number, string>;
}

/** A batch that is recorded: the rows behind it are read next. */
export type RecordedBatch = Pick<RowBatch, "position" | "fingerprint">;

/** Before the first batch. */
export const NO_BATCH: RecordedBatch = { position: 0, fingerprint: "" };

/**
 * Groups the rows of a file into batches. A row whose recipient an earlier row has is refused, unless the plan accepts
 * it: the first one counts, whatever becomes of it, so that a file that is sent again is read in the same way.
 *
 * Throws `validation_failed` when the file is faulty, and `payload_too_large` when it has too many rows.
 *
 * @param after the batch before the first one of `rows`
 */
export async function* batchesOf(
  rows: AsyncIterable<FileRow>,
  plan: UploadPlan,
  after: RecordedBatch = NO_BATCH,
): AsyncGenerator<RowBatch> {
  const firstRows = new Map<string | number, number>();
  let batch = nextBatch(after);
  for await (const row of refusingFaults(rows)) {
    if (row.row > MAX_ROWS) throw tooManyRows();
    batch.sources.push(row.source);
    const problem = addRow(batch, row, plan, firstRows);
    if (problem !== null) {
      batch.problems.push(problem);
      batch.recipients.set(row.row, recipientIn(row, plan));
    }
    if (batch.sources.length < ROWS_PER_BATCH) continue;
    const full = finished(batch);
    yield full;
    batch = nextBatch(full);
  }
  if (batch.sources.length > 0) yield finished(batch);
}

interface OpenBatch extends Pick<RowBatch, "position" | "contacts" | "problems" | "recipients"> {
  before: string;
  sources: string[];
}

function nextBatch({ position, fingerprint: before }: RecordedBatch): OpenBatch {
  return { position: position + 1, before, sources: [], contacts: [], problems: [], recipients: new Map() };
}

function finished({ before, sources, ...batch }: OpenBatch): RowBatch {
  return { ...batch, rows: sources.length, fingerprint: sha256Hex([before, ...sources].join("\n")) };
}

function addRow(
  batch: OpenBatch,
  row: FileRow,
  plan: UploadPlan,
  firstRows: Map<string | number, number>,
): RowProblem | null {
  const read = contactOf(row, plan);
  if ("problem" in read) return read.problem;
  // A member of an audience is a person, and no two people have the same address.
  const asksFirst = plan.duplicates === "refuse" && plan.audience === null;
  const first = asksFirst ? repeatedRow(read.contact, row.row, firstRows) : undefined;
  if (first === undefined) {
    batch.contacts.push({ row: row.row, line: row.line, contact: read.contact });
    return null;
  }
  return {
    row: row.row,
    line: row.line,
    column: plan.columns.number ?? plan.columns.user_id ?? null,
    code: "duplicate_recipient",
    reason: `The same recipient as in row ${first}`,
  };
}

/** No number and no user id is longer. */
const MAX_SHOWN = 60;

function recipientIn({ cells }: FileRow, { columns }: UploadPlan): string {
  const column = columns.number ?? columns.user_id!;
  const cell = Object.hasOwn(cells, column) ? cells[column] : null;
  return String(cell ?? "").slice(0, MAX_SHOWN).toWellFormed().replaceAll("\0", "");
}

/** Returns the earlier row of the recipient, if there is one. Numbers are kept as numbers: a third of the memory. */
function repeatedRow(
  { number, user_id: userId }: Record<string, unknown>,
  row: number,
  firstRows: Map<string | number, number>,
): number | undefined {
  const address = number ?? userId;
  if (address === undefined) return undefined;
  const text = String(address);
  const key = /^[1-9]\d{6,14}$/.test(text) ? Number(text) : text;
  const first = firstRows.get(key);
  if (first === undefined) firstRows.set(key, row);
  return first;
}

/** Returns the error for a file with more rows than one may have. */
export function tooManyRows(): AppError {
  return new AppError(
    "payload_too_large",
    `The file has more than ${MAX_ROWS} rows: send the others as another file`,
    { details: { limit_rows: MAX_ROWS } },
  );
}

/** Returns the error for a file without rows. */
export function emptyFile(): AppError {
  return faultyFile("no_rows", "The file has no rows");
}

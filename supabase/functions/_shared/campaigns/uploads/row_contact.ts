import type { FileRow } from "../../rows/file_row.ts";
import { setField } from "../../values/objects.ts";
import { NUMBER_FAULTS, readPhoneCell } from "../../rows/phone_cell.ts";
import { isStorable } from "../../values/storable_text.ts";
import { isReference, referredField } from "../placeholders.ts";
import type { UploadPlan } from "./upload_plan.ts";

/** A row of an upload that was refused, or needs a look. Without the row's values. */
export interface RowProblem {
  row: number;
  line: number;
  /** The column at fault; null where it is not a single column. */
  column: string | null;
  code: string;
  reason: string;
}

const METADATA = "metadata.";

/** The part of a plan that makes contacts of rows. */
export type RowPlan = Pick<UploadPlan, "channel" | "columns" | "country" | "audience">;

/** Returns the contact that a row describes, or why it describes none. A cell that is empty counts as left out. */
export function contactOf(
  row: FileRow,
  { channel, columns, country, audience }: RowPlan,
): { contact: Record<string, unknown> } | { problem: RowProblem } {
  const problem = (column: string | null, code: string, reason: string) => ({
    problem: { row: row.row, line: row.line, column, code, reason },
  });
  if (row.problem !== null) return problem(null, row.code ?? "row_length", row.problem);
  const contact: Record<string, unknown> = {};
  const metadata: Record<string, unknown> = {};
  for (const [field, column] of Object.entries(columns)) {
    const cell = Object.hasOwn(row.cells, column) ? row.cells[column] : undefined;
    if (cell === undefined || cell === null || cell === "") continue;
    const reason = faultOf(cell);
    if (reason !== null) return problem(column, "cell_is_invalid", reason);
    if (field === "number" && audience === null) {
      const read = readPhoneCell(String(cell), country);
      if ("fault" in read) return problem(column, read.fault, NUMBER_FAULTS[read.fault]);
      contact.number = read.number;
    } else if (field.startsWith(METADATA)) setField(metadata, field.slice(METADATA.length), lineOf(cell));
    // Agents take numbers and true/false, templates only text.
    else setField(contact, field, channel === "voice" ? cell : String(cell));
  }
  if (contact.number === undefined && contact.user_id === undefined) {
    return problem(
      columns.number ?? columns.user_id ?? null,
      "number_is_missing",
      "The row names no recipient",
    );
  }
  return { contact: Object.keys(metadata).length === 0 ? contact : { ...contact, metadata } };
}

/** Metadata has no line breaks, the cells of a file may. */
function lineOf(cell: unknown): unknown {
  return typeof cell === "string" ? cell.replaceAll(/\p{Cc}+/gu, " ") : cell;
}

function faultOf(cell: unknown): string | null {
  if (typeof cell === "object") return "The cell is neither text nor a number nor true/false";
  if (typeof cell !== "string") return null;
  return isStorable(cell) ? null : "The cell holds text that is not valid Unicode, or a NUL";
}

/** Describes the refusal of a contact as one of its row. */
export function refusedRow(
  { row, line, contact }: Pick<FileRow, "row" | "line"> & { contact: Record<string, unknown> },
  { field, code, reason }: { field: string | null; code: string; reason: string },
  plan: UploadPlan,
): RowProblem {
  const column = columnOf(field, plan);
  const filled = Object.entries(plan.columns).find(([, each]) => each === column)?.[0];
  const isEmpty = code === "validation_failed" && filled !== undefined && !Object.hasOwn(contact, filled);
  return { row, line, column, ...(isEmpty ? EMPTY_CELL : { code, reason }) };
}

const EMPTY_CELL = { code: "cell_is_empty", reason: "The cell is empty, and the message needs it" };

/** Returns the column that fills a field, as a refusal of a contact names it; null where none does. */
function columnOf(field: string | null, { columns, fields }: UploadPlan): string | null {
  if (field === null) return null;
  const [, root, name = ""] = /^(contact|components_push)\.(.*)$/.exec(field) ?? [];
  const columnFor = (name: string) => Object.hasOwn(columns, name) ? columns[name]! : null;
  if (root === "contact") return columnFor(name);
  if (root !== "components_push") return null;
  const value = (fields.components_push as Record<string, string> | undefined)?.[name];
  const source = isReference(value) ? referredField(field, value!) : undefined;
  return source === undefined ? null : columnFor(source);
}

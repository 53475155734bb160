import type { FileRow } from "../../rows/file_row.ts";
import { setField } from "../../objects.ts";
import { isStorable } from "../../storable_text.ts";
import { isReference, referredField } from "../placeholders.ts";
import type { UploadPlan } from "./upload_plan.ts";

/** A row of an upload that was refused, or needs a look. Without the row's values. */
export interface RowProblem {
  row: number;
  line: number;
  /** The column at fault; null where no one column is. */
  column: string | null;
  code: string;
  reason: string;
}

const METADATA = "metadata.";

/** Returns the contact that a row describes, or why it describes none. A cell that is empty counts as left out. */
export function contactOf(
  row: FileRow,
  { channel, columns }: UploadPlan,
): { contact: Record<string, unknown> } | { problem: RowProblem } {
  if (row.problem !== null) return { problem: problemOf(row, null, row.problem) };
  const contact: Record<string, unknown> = {};
  const metadata: Record<string, unknown> = {};
  for (const [field, column] of Object.entries(columns)) {
    const cell = Object.hasOwn(row.cells, column) ? row.cells[column] : undefined;
    if (cell === undefined || cell === null || cell === "") continue;
    const reason = faultOf(cell);
    if (reason !== null) return { problem: problemOf(row, column, reason) };
    if (field.startsWith(METADATA)) setField(metadata, field.slice(METADATA.length), cell);
    else setField(contact, field, valueOf(field, cell, channel));
  }
  return { contact: Object.keys(metadata).length === 0 ? contact : { ...contact, metadata } };
}

function problemOf({ row, line }: FileRow, column: string | null, reason: string): RowProblem {
  return { row, line, column, code: "validation_failed", reason };
}

function faultOf(cell: unknown): string | null {
  if (typeof cell === "object") return "The cell is neither text nor a number nor true/false";
  if (typeof cell !== "string") return null;
  return isStorable(cell) ? null : "The cell holds text that is not valid Unicode, or a NUL";
}

/** People write numbers with a plus sign and separators. Agents take numbers and true/false, templates only text. */
function valueOf(field: string, cell: unknown, channel: UploadPlan["channel"]): unknown {
  if (field === "number") return String(cell).replace(/[\s().-]/g, "").replace(/^\+/, "");
  return channel === "voice" ? cell : String(cell);
}

/** Returns the column that fills a field, as a refusal of a contact names it; null where none does. */
export function columnOf(field: string | null, { columns, fields }: UploadPlan): string | null {
  if (field === null) return null;
  const [, root, name = ""] = /^(contact|components_push)\.(.*)$/.exec(field) ?? [];
  if (root === "contact") return Object.hasOwn(columns, name) ? columns[name]! : null;
  if (root !== "components_push") return null;
  const value = (fields.components_push as Record<string, string> | undefined)?.[name];
  const source = isReference(value) ? referredField(field, value!) : undefined;
  return source === undefined ? null : columns[source] ?? null;
}

import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { Problem } from "../../../data/problem.ts";
import { previewUploadFile } from "../../../data/sdk.ts";
import { type FileFault, fileFaultOf } from "../../../i18n/codes.ts";
import { type ContactFile, TYPED_NAME } from "./contact_file.ts";

/** Enough for the first rows, and read in an instant. */
const HEAD_BYTES = 256 * 1024;

/** The API takes no more. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Lets the API read the beginning of a file: its columns and its first rows. A workbook becomes CSV before.
 *
 * @throws {Problem} when the API cannot be asked
 */
export async function readContactFile(file: File): Promise<ContactFile | FileFault> {
  if (file.size > MAX_BYTES) return "large";
  const begin = await beginOf(file);
  if (begin.startsWith("PK") && !/\.(ods|numbers)$/i.test(file.name)) return await readWorkbook(file);
  if (begin.startsWith("PK") || /\.(xlsx?|ods|numbers)$/i.test(file.name)) return "spreadsheet";
  if (begin.startsWith("[")) return "json";
  return await read(file, file, begin.startsWith("{") ? "application/x-ndjson" : "text/csv");
}

/** The reader of workbooks is loaded for the first of them. */
async function readWorkbook(file: File): Promise<ContactFile | FileFault> {
  const { xlsxToCsv } = await loaded(import("../../../data/spreadsheet/xlsx_to_csv.ts"));
  let csv: Blob;
  try {
    csv = await xlsxToCsv(file);
  } catch {
    return "spreadsheet";
  }
  if (csv.size === 0) return "no_rows";
  return csv.size > MAX_BYTES ? "large" : await read(file, csv, "text/csv");
}

async function loaded<Module>(module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch {
    throw new Problem("page_error", "");
  }
}

async function read(file: File, body: Blob, type: ContactFile["type"]): Promise<ContactFile | FileFault> {
  const named = { name: file.name, ...(file.name === TYPED_NAME && { typed: file }) };
  try {
    const seen = await preview(body, type);
    if (seen.header === null) return { ...seen.file, ...named, isHeadless: false };
    const { file: headed } = await preview(new Blob([seen.header, "\r\n", body]), type);
    return { ...headed, ...named, isHeadless: true };
  } catch (error) {
    const fault = error instanceof Problem ? fileFaultOf(error) : undefined;
    if (fault === undefined) throw error;
    return fault;
  }
}

async function beginOf(file: File): Promise<string> {
  return new TextDecoder().decode(await file.slice(0, 100).arrayBuffer()).trimStart();
}

/** Returns the file as far as it was read, and the line of names that it lacks. */
async function preview(body: Blob, type: ContactFile["type"]) {
  const isExact = body.size <= HEAD_BYTES;
  const { columns, rows, count, bytes, missing_header: header } = await ask(previewUploadFile({
    client: api(),
    path: { company_id: companyId() },
    query: { partial: isExact ? "false" : "true" },
    // The document describes the file as text, whose form a Blob takes as well.
    body: body.slice(0, HEAD_BYTES) as unknown as string,
    headers: { "Content-Type": type },
  }));
  const all = isExact ? count : Math.round(count * body.size / bytes);
  return { file: { body, type, columns, rows, count: all, isExact }, header };
}

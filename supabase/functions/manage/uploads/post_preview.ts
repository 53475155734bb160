import { z } from "@hono/zod-openapi";
import { emptyFile } from "../../_shared/campaigns/uploads/row_batches.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { faultyFile, FileFault, type FileRow } from "../../_shared/rows/file_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { openRows } from "./open_rows.ts";

/** The beginning of a file is enough for its first rows. */
const MAX_BYTES = 512 * 1024;
const SHOWN_ROWS = 20;

/** `POST …/files/preview` shows how a file is read. */
export function registerPostPreview(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/files/preview",
    operationId: "previewUploadFile",
    summary: "Show the columns and the first rows of a file",
    description:
      "Reads the file, or its beginning of at most 512 KiB, as PUT …/uploads/{upload_id}/contacts does. Stores nothing.",
    effect: "reads",
    query: z.object({
      partial: z.enum(["true", "false"], { error: "true or false" }).default("false").openapi({
        description: "`true`: the file goes on, so the last row may be cut and is left out",
      }),
    }),
    file: {
      "text/csv": { schema: z.string(), example: "Phone,First name\r\n34600111222,Ana\r\n" },
      "application/x-ndjson": { schema: z.string(), example: '{"Phone":"34600111222"}\n' },
    },
    response: {
      schema: z.object({
        columns: z.array(z.string()),
        rows: z.array(z.record(z.string(), z.string())).openapi({ description: `The first ${SHOWN_ROWS}` }),
        count: z.number().int().min(0).openapi({ description: "How many rows were read" }),
        bytes: z.number().int().min(0).openapi({ description: "Where the last of them ends, in UTF-8" }),
        missing_header: z.string().nullable().openapi({
          description:
            "A line of names to put before the file where its first line is a person's; nothing else is read then",
        }),
      }).openapi("FilePreview"),
      example: {
        columns: ["Phone", "First name"],
        rows: [{ "Phone": "34600111222", "First name": "Ana" }],
        count: 1,
        bytes: 36,
        missing_header: null,
      },
    },
  }, async (c, { query }) => {
    let columns: string[] = [];
    const opened = openRows(c, (header) => columns = header, MAX_BYTES);
    const rows = await readBeginning(opened, query.partial === "true");
    if (typeof rows === "string") return { columns, rows: [], count: 0, bytes: 0, missing_header: rows };
    if (rows.length === 0) throw emptyFile();
    const shown = rows.slice(0, SHOWN_ROWS).map(({ cells }) => textsOf(cells));
    if (columns.length === 0) columns = [...new Set(shown.flatMap((row) => Object.keys(row)))];
    return { columns, rows: shown, count: rows.length, bytes: rows.at(-1)!.bytes, missing_header: null };
  });
}

/**
 * Returns the rows, or the line of names that the file lacks. Where the file goes on behind the beginning, what ends it
 * is no fault of the file.
 */
async function readBeginning(
  opened: AsyncIterable<FileRow>,
  isPartial: boolean,
): Promise<FileRow[] | string> {
  const rows: FileRow[] = [];
  try {
    for await (const row of opened) rows.push(row);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    if (error.header !== undefined) return error.header;
    if (!isPartial || rows.length === 0) throw faultyFile(error.code, error.message);
  }
  return isPartial && rows.length > 1 ? rows.slice(0, -1) : rows;
}

function textsOf(cells: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, value]) => [name, typeof value === "object" ? "" : String(value)]),
  );
}

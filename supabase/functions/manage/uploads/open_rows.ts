import { readAhead } from "../../_shared/concurrency/read_ahead.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { AppContext } from "../../_shared/http/app/context.ts";
import { bodyType } from "../../_shared/http/body/read_body.ts";
import { streamBody } from "../../_shared/http/body/stream_body.ts";
import { readCsvRows } from "../../_shared/rows/csv_rows.ts";
import { decodeParts, type FileRow } from "../../_shared/rows/file_row.ts";
import { readNdjsonRows } from "../../_shared/rows/ndjson_rows.ts";
import { MAX_FILE_BYTES } from "./file_slot.ts";

/** A file of 100,000 rows with two short columns: its sender need not stay until the last of them is stored. */
const READ_AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * Opens the file in a request by its media type. Reads nothing yet.
 *
 * @param checkHeader checks the names of a CSV file's first line, and returns those to use
 */
export function openRows(
  c: AppContext,
  checkHeader?: (header: string[]) => string[],
  maxBytes: number = MAX_FILE_BYTES,
): AsyncGenerator<FileRow> {
  const type = bodyType(c);
  const text = () => decodeParts(readAhead(streamBody(c, maxBytes), READ_AHEAD_BYTES));
  if (type === "text/csv") return readCsvRows(text(), checkHeader);
  if (type === "application/x-ndjson") return readNdjsonRows(text());
  throw badFormat("Content-Type", type, "text/csv or application/x-ndjson");
}

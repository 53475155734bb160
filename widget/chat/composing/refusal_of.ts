import { kindOfFile } from "../../shared/file_types.ts";
import type { FileRefusal } from "../texts.ts";

/** The API's limit. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Returns why a file cannot be sent; undefined for one that can. */
export function refusalOf(file: Pick<File, "type" | "size">): FileRefusal | undefined {
  if (kindOfFile(file) === undefined) return "file_type";
  if (file.size === 0) return "file_refused";
  return file.size > MAX_BYTES ? "file_too_large" : undefined;
}

/** A row of a file of contacts, whatever the file's format is. */
export interface FileRow {
  /** Its place among the rows, from 1. The first line of a CSV file names the columns and is none. */
  row: number;
  /** The line in which it ends, from 1. */
  line: number;
  /** Bytes of the file up to here. */
  bytes: number;
  /** By column; those of CSV are text without the spaces around it. */
  cells: Record<string, unknown>;
  /** Everything that the row holds, for fingerprints; of the first one the names of the columns too. */
  source: string;
  /** Why it cannot be used, in words for people; null where it can. */
  problem: string | null;
}

/** Rows are read no further than such a fault: nobody knows where the next one begins. */
export class FileFault extends Error {
  override readonly name = "FileFault";
}

/** The most characters that one row may have. */
export const MAX_ROW_LENGTH = 64 * 1024;

/**
 * Decodes the parts of a file, without its byte order mark.
 *
 * @throws {FileFault} when it is not UTF-8
 */
export async function* decodeParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const part of parts) {
    const text = decode(decoder, part);
    if (text !== "") yield text;
  }
  const rest = decode(decoder);
  if (rest !== "") yield rest;
}

function decode(decoder: TextDecoder, part?: Uint8Array): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true });
  } catch (cause) {
    throw new FileFault("The file is not UTF-8: save it as CSV UTF-8", { cause });
  }
}

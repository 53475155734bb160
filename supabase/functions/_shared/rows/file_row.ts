import { AppError } from "../errors.ts";

/** A row of a file of contacts, whatever the file's format is, or a member of an audience. */
export interface FileRow {
  /** Its position among the rows, from 1. The first line of a CSV file names the columns and is none. */
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
  /** The code of the problem. @default "row_length" */
  code?: string;
}

/** Why a file cannot be read, by a code for programs. */
export type FileFaultCode =
  | "no_rows"
  | "no_header"
  | "no_person"
  | "quote_not_closed"
  | "row_too_long"
  | "mixed_encoding"
  | "not_csv"
  | "row_length";

/** Rows are read no further than such a fault: it is not known where the next one begins. */
export class FileFault extends Error {
  override readonly name = "FileFault";
  readonly code: FileFaultCode;
  /** The line of names that the file lacks. */
  readonly header: string | undefined;

  constructor(
    code: FileFaultCode,
    message: string,
    { header, ...options }: ErrorOptions & { header?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.header = header;
  }
}

/** Passes on the rows of a file. Throws `validation_failed` where the file cannot be read on. */
export async function* refusingFaults(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow> {
  try {
    yield* rows;
  } catch (error) {
    throw error instanceof FileFault ? faultyFile(error.code, error.message) : error;
  }
}

/** Returns the refusal of a file that cannot be read. */
export function faultyFile(fault: FileFaultCode, reason: string): AppError {
  return new AppError("validation_failed", reason, { details: { field: "file", fault, reason } });
}

/** The most characters that one row may have. */
export const MAX_ROW_LENGTH = 64 * 1024;

/**
 * Decodes the parts of a file, without its byte order mark. The first letter beyond ASCII shows the encoding: UTF-8, or
 * Windows-1252, in which spreadsheets of Western Europe save CSV. A file with the mark of UTF-16 is that.
 *
 * @throws {FileFault} when it begins as one encoding and goes on as another
 */
export async function* decodeParts(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let kept = new Uint8Array();
  let isBegin = true;
  for await (const part of parts) {
    let bytes = joined(kept, part);
    kept = new Uint8Array();
    if (decoder === undefined) {
      const firstNonAscii = bytes.findIndex((byte) => byte >= 0x80);
      const ascii = firstNonAscii === -1 ? bytes : bytes.subarray(0, firstNonAscii);
      if (ascii.length > 0) yield new TextDecoder().decode(ascii);
      isBegin &&= ascii.length === 0;
      if (firstNonAscii === -1) continue;
      bytes = bytes.slice(firstNonAscii);
      decoder = decoderFor(bytes, { isBegin, isEnd: false });
    }
    if (decoder === undefined) kept = bytes;
    else yield* decode(decoder, bytes);
  }
  if (kept.length > 0) decoder = decoderFor(kept, { isBegin, isEnd: true })!;
  if (decoder !== undefined) yield* decode(decoder, kept, { stream: false });
}

function joined(before: Uint8Array<ArrayBuffer>, part: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(before.length + part.length);
  bytes.set(before);
  bytes.set(part, before.length);
  return bytes;
}

/** Returns undefined where the letter that decides has not arrived as a whole. */
function decoderFor(
  bytes: Uint8Array,
  { isBegin, isEnd }: { isBegin: boolean; isEnd: boolean },
): TextDecoder | undefined {
  const [lead = 0, next] = bytes;
  if (isBegin && lead === 0xff && next === 0xfe) return new TextDecoder("utf-16le", { fatal: true });
  if (isBegin && lead === 0xfe && next === 0xff) return new TextDecoder("utf-16be", { fatal: true });
  if (isBegin && lead >= 0xfe && next === undefined && !isEnd) return undefined;
  const length = [[0xf5, 0], [0xf0, 4], [0xe0, 3], [0xc2, 2]].find(([from]) => lead >= from!)?.[1] ?? 0;
  const letter = bytes.subarray(0, length);
  const isUtf8 = length > 0 && letter.subarray(1).every((byte) => byte >> 6 === 0b10);
  if (isUtf8 && letter.length < length && !isEnd) return undefined;
  return new TextDecoder(isUtf8 && letter.length === length ? "utf-8" : "windows-1252", { fatal: true });
}

function* decode(
  decoder: TextDecoder,
  bytes: Uint8Array<ArrayBuffer>,
  options: TextDecodeOptions = { stream: true },
): Generator<string> {
  try {
    const text = decoder.decode(bytes, options);
    if (text !== "") yield text;
  } catch (cause) {
    const message =
      `The file begins as ${decoder.encoding.toUpperCase()} and does not stay so: save it as CSV UTF-8`;
    throw new FileFault("mixed_encoding", message, { cause });
  }
}

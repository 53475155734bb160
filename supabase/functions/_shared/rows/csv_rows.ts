import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { CsvError, type Info, parse } from "csv-parse";
import { FileFault, type FileRow, MAX_ROW_LENGTH } from "./file_row.ts";

/** The separators of spreadsheets: the comma, the semicolon of many countries, the tab. */
const SEPARATORS = [",", ";", "\t"] as const;

/**
 * Reads the rows of a CSV file, each as soon as it has arrived. The first line names the columns; its most frequent
 * separator counts. Empty rows are left out. A row with more or fewer cells than the first line has a problem.
 *
 * @param columns checks the names of the first line, and returns those to use
 * @throws {FileFault} when a quote is not closed, a row is too long, or the first line is a person's
 */
export async function* readCsvRows(
  text: AsyncIterable<string>,
  columns: (header: string[]) => string[] = (header) => header,
): AsyncGenerator<FileRow> {
  const parts = text[Symbol.asyncIterator]();
  try {
    let names: string[] | undefined;
    let row = 0;
    const head = await readHead(parts);
    const separator = separatorOf(head);
    for await (const { record, info } of parseCsv(head, parts, separator)) {
      if (names === undefined) names = columns(requireNames(record, separator));
      else yield describe(names, record, { row: ++row, line: info.lines, bytes: info.bytes });
    }
  } finally {
    // Not awaited: a read of the next part may be under way.
    void parts.return?.().catch(() => {});
  }
}

function describe(
  names: string[],
  cells: string[],
  position: Pick<FileRow, "row" | "line" | "bytes">,
): FileRow {
  const named = Object.fromEntries(cells.slice(0, names.length).map((cell, index) => [names[index]!, cell]));
  return {
    ...position,
    cells: named,
    source: JSON.stringify(position.row === 1 ? [names, cells] : cells),
    problem: cells.length === names.length
      ? null
      : `The row has ${cells.length} cells, and the first line names ${names.length} columns`,
  };
}

/** Without a line of names, the first person of the file would be taken for one. */
function requireNames(header: string[], separator: string): string[] {
  const number = header.findIndex((cell) => PHONE_NUMBER.test(cell));
  if (number === -1) return header;
  throw new FileFault(
    "no_header",
    "The first line holds a phone number and not the names of the columns: put a line of names before it",
    { header: header.map((_, index) => index === number ? "Number" : `Column ${index + 1}`).join(separator) },
  );
}

const PHONE_NUMBER = /^\+?(?:[\s().-]*\d){7,15}$/;

interface Parsed {
  record: string[];
  info: Info;
}

async function* parseCsv(
  head: string,
  rest: AsyncIterator<string>,
  separator: string,
): AsyncGenerator<Parsed> {
  const parser = parse({
    delimiter: separator,
    info: true,
    max_record_size: MAX_ROW_LENGTH,
    // A file may have several kinds, where programs have added to it.
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    // A single quote mark within a cell, as in 5" pipe, is text.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  const broken: { error?: unknown } = {};
  const input = Readable.from(joined(head, rest, broken), { objectMode: true });
  let last: Parsed | undefined;
  try {
    for await (const parsed of input.pipe(parser) as AsyncIterable<Parsed>) {
      if (last !== undefined) yield last;
      last = parsed;
      refuseSwallowed(parsed);
    }
  } catch (error) {
    if ("error" in broken) throw broken.error;
    if (!(error instanceof CsvError)) throw error;
    throw faultOf(error);
  } finally {
    input.destroy();
  }
  // Where the file broke off, its last row may lack an end.
  if ("error" in broken) throw broken.error;
  if (last !== undefined) yield last;
}

function faultOf(error: CsvError & { lines?: number }): FileFault {
  const { code, lines, message } = error;
  if (code === "CSV_MAX_RECORD_SIZE" || code === "CSV_QUOTE_NOT_CLOSED") {
    const text =
      `The row that ends in line ${lines} has no end, or more than ${MAX_ROW_LENGTH} characters: ` +
      "probably a quote is not closed";
    const fault = code === "CSV_QUOTE_NOT_CLOSED" ? "quote_not_closed" : "row_too_long";
    return new FileFault(fault, text, { cause: error });
  }
  if (code === "CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE") {
    const text = `A quote in line ${lines} ends a cell that goes on: probably one before it is not closed`;
    return new FileFault("quote_not_closed", text, { cause: error });
  }
  return new FileFault("not_csv", `The file is not valid CSV: ${message}`, { cause: error });
}

/** Throws where a cell holds a line that begins with a phone number: a quote swallowed the rows between it and the next. */
function refuseSwallowed({ record, info: { lines } }: Parsed): void {
  if (!record.some((cell) => ROW_IN_CELL.test(cell))) return;
  throw new FileFault(
    "quote_not_closed",
    `A cell of the row that ends in line ${lines} holds several rows: probably a quote is not closed`,
  );
}

const ROW_IN_CELL = /[\r\n]"?\+?\d[\d ().-]{5,20}"?[,;\t]/;

/** A failure ends the text here and is kept in `broken`: as an error of the stream, it would discard rows that arrived. */
async function* joined(
  head: string,
  rest: AsyncIterator<string>,
  broken: { error?: unknown },
): AsyncGenerator<string> {
  yield* inTurns(head);
  try {
    for (let part = await rest.next(); !part.done; part = await rest.next()) yield* inTurns(part.value);
  } catch (error) {
    broken.error = error;
  }
}

const PIECE_LENGTH = 4096;

/**
 * Yields a text in pieces, between which other requests have their turn: the parser reads a piece at once, and each row with
 * too few cells costs it as much as twenty others.
 */
async function* inTurns(text: string): AsyncGenerator<string> {
  for (let start = 0, end; start < text.length; start = end) {
    end = start + PIECE_LENGTH;
    const endsInsideCharacter = /[\ud800-\udbff]/.test(text.charAt(end - 1));
    if (endsInsideCharacter) end++;
    yield text.slice(start, end);
    await setImmediate();
  }
}

/** Reads on until the first line is there. */
async function readHead(parts: AsyncIterator<string>): Promise<string> {
  let head = "";
  while (!/[\r\n]/.test(head.trimStart()) && head.length < MAX_ROW_LENGTH) {
    const part = await parts.next();
    if (part.done) break;
    head += part.value;
  }
  return head;
}

/** Returns the separator that the first line has most often outside of quotes. */
function separatorOf(head: string): string {
  const line = head.trimStart().replaceAll(/"[^"]*"?/g, "").split(/[\r\n]/, 1)[0]!;
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

import { FileFault, type FileRow, MAX_ROW_LENGTH } from "./file_row.ts";

const encoder = new TextEncoder();

/**
 * Reads the rows of a file of JSON objects, one per line, each as soon as it has arrived. Empty lines are left out. A
 * line that is no object has a problem.
 *
 * @throws {FileFault} when a line is too long
 */
export async function* readNdjsonRows(text: AsyncIterable<string>): AsyncGenerator<FileRow> {
  const position = { row: 0, line: 0, bytes: 0 };
  for await (const source of linesOf(text)) {
    position.line++;
    position.bytes += encoder.encode(source).length + 1;
    if (source.trim() === "") continue;
    position.row++;
    const cells = objectIn(source);
    yield {
      ...position,
      cells: cells ?? {},
      source,
      problem: cells ? null : "The line is not a JSON object",
    };
  }
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const part of text) {
    const lines = (rest + part).split("\n");
    rest = lines.pop()!;
    yield* lines.map(checked);
    checked(rest);
  }
  if (rest !== "") yield rest;
}

function checked(line: string): string {
  if (line.length <= MAX_ROW_LENGTH) return line;
  throw new FileFault("row_too_long", `A line has more than ${MAX_ROW_LENGTH} characters`);
}

function objectIn(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as Record<string, unknown> : null;
  } catch {
    return null;
  }
}

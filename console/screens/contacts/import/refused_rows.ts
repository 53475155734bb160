import type { ImportError } from "../../../data/sdk.ts";
import { rowProblem } from "../../../i18n/codes.ts";
import { words } from "../../../i18n/words.ts";

/** A row of a CSV file as it is written, and the line in which it ends. */
interface WrittenRow {
  text: string;
  endLine: number;
}

/** Returns the refused rows as a CSV file like the one that was read, with what is wrong in a column of its own. */
export function refusedRows(text: string, errors: ImportError[]): string {
  const [header, ...rows] = rowsOf(text);
  if (header === undefined) return "";
  const separator = separatorOf(header.text);
  const problems = Map.groupBy(errors, ({ line }) => line);
  const refused = rows.flatMap((row) => {
    const found = problems.get(row.endLine);
    return found ? [row.text + separator + quoted(found.map(describeError).join("; "))] : [];
  });
  // With a byte-order mark, spreadsheets read the letters right.
  return "\uFEFF" +
    [header.text + separator + quoted(words().importing.problem), ...refused, ""].join("\r\n");
}

/** Says what is wrong with a row. */
export function describeError({ field, code, reason }: ImportError): string {
  const names = words().importing;
  if (field.startsWith("attributes.")) return names.wrongAttribute(field.slice("attributes.".length));
  return names.wrongFields[field] && code === "validation_failed"
    ? names.wrongFields[field]
    : rowProblem(code, reason);
}

/** Divides a file into its rows: a line break in quotes belongs to its cell. */
function rowsOf(text: string): WrittenRow[] {
  const rows: WrittenRow[] = [];
  let [start, line, isQuoted] = [text.startsWith("\uFEFF") ? 1 : 0, 1, false];
  for (let at = start; at <= text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    const isBreak = character === "\n" || character === "\r" && text[at + 1] !== "\n";
    if (at === text.length || isBreak && !isQuoted) {
      const row = text.slice(start, at).replace(/\r$/, "");
      if (row !== "") rows.push({ text: row, endLine: line });
      start = at + 1;
    }
    if (isBreak) line++;
  }
  return rows;
}

function separatorOf(header: string): string {
  const counts = [",", ";", "\t"].map((each) => [header.split(each).length, each] as const);
  return counts.sort(([a], [b]) => b - a)[0]![1];
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Reads the text of a file in UTF-8, or in the letters of older spreadsheets. */
export async function textOf(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

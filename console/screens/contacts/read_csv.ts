/** A row of a file, with its cells by the columns' names. */
export interface CsvRow {
  /** The line of the file in which the row begins, from 1. */
  line: number;
  cells: Record<string, string>;
}

/** Reads a CSV file whose first line names the columns. The separator is the most frequent of comma, semicolon and tab. */
export function readCsv(file: string): CsvRow[] {
  const text = file.replace(/^\uFEFF/, "");
  const [head, ...rows] = readLines(text, separatorOf(text));
  const names = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
  return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== "")).map(({ line, cells }) => ({
    line,
    cells: Object.fromEntries(names.map((name, index) => [name, (cells[index] ?? "").trim()])),
  }));
}

function separatorOf(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const times = (sign: string) => first.split(sign).length;
  return [",", ";", "\t"].reduce((best, sign) => times(sign) > times(best) ? sign : best);
}

interface Line {
  line: number;
  cells: string[];
}

/** Cells in quotes may hold separators, line breaks, and doubled quotes. */
function readLines(text: string, separator: string): Line[] {
  const lines: Line[] = [];
  let number = 1;
  let now: Line = { line: 1, cells: [] };
  let cell = "";
  let isQuoted = false;

  function endLine(): void {
    lines.push({ ...now, cells: [...now.cells, cell.replace(/\r$/, "")] });
    now = { line: number, cells: [] };
    cell = "";
  }

  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "\n") number++;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (sign === '"' && cell.trim() === "") {
      cell = "";
      isQuoted = true;
    } else if (sign === separator) {
      now.cells.push(cell);
      cell = "";
    } else if (sign === "\n") endLine();
    else cell += sign;
  }
  if (cell !== "" || now.cells.length > 0) endLine();
  return lines;
}

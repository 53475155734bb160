/** The separators that the API knows. */
const SEPARATORS = [",", ";", "\t"];

/** Where a row of CSV began, and its cells. Rows whose cells are all empty are left out, as the API does. */
export type CsvRow = string[];

/**
 * Reads the rows of CSV text as it arrives, the line that names the columns first. The first line's most frequent
 * separator counts. The same rules as the API's, so that rows have the same numbers.
 */
export async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const reader = new CsvReader();
  for await (const part of text) yield* reader.read(part);
  yield* reader.end();
}

/** Reads the rows of CSV text that is all there. */
export function parseCsv(text: string): CsvRow[] {
  const reader = new CsvReader();
  return [...reader.read(text), ...reader.end()];
}

class CsvReader {
  #head = "";
  #separator: string | undefined;
  #row: string[] = [];
  #cell = "";
  #state: "start" | "plain" | "quoted" | "closed" = "start";
  /** A quote at the end of a part: whether it closes is said by the next character. */
  #isAtQuote = false;

  *read(part: string): Generator<CsvRow> {
    let text = part;
    if (this.#separator === undefined) {
      this.#head += part;
      if (!/[\r\n]/.test(this.#head.trimStart())) return;
      text = this.#begin();
    }
    yield* this.#rowsOf(text);
  }

  *end(): Generator<CsvRow> {
    if (this.#separator === undefined) yield* this.#rowsOf(this.#begin());
    yield* this.#rowsOf("\n");
  }

  #begin(): string {
    const head = this.#head;
    this.#separator = separatorOf(head);
    this.#head = "";
    return head;
  }

  *#rowsOf(text: string): Generator<CsvRow> {
    for (const character of text) {
      if (this.#isAtQuote) {
        this.#isAtQuote = false;
        if (character === '"') {
          this.#cell += '"';
          continue;
        }
        this.#state = "closed";
      }
      if (this.#state === "quoted") {
        if (character === '"') this.#isAtQuote = true;
        else this.#cell += character;
      } else if (character === this.#separator) this.#endCell();
      else if (character === "\n" || character === "\r") {
        const row = this.#endRow();
        if (row) yield row;
      } else if (this.#state === "start" && character === '"') this.#state = "quoted";
      else if (this.#state === "start" && /\s/.test(character)) continue;
      else if (this.#state !== "closed") {
        this.#cell += character;
        this.#state = "plain";
      }
    }
  }

  #endCell(): void {
    this.#row.push(this.#cell.trim());
    this.#cell = "";
    this.#state = "start";
  }

  #endRow(): CsvRow | undefined {
    this.#endCell();
    const row = this.#row;
    this.#row = [];
    return row.some((cell) => cell !== "") ? row : undefined;
  }
}

function separatorOf(head: string): string {
  const line = head.trimStart().replaceAll(/"[^"]*"?/g, "").split(/[\r\n]/, 1)[0]!;
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

/** Words that Go writes in capitals, and their plurals. */
const INITIALISMS = new Map(
  ["api", "csv", "html", "http", "id", "ip", "json", "mcp", "ok", "otp", "qr", "uri", "url", "utc"].flatMap((
    word,
  ) => [
    [word, word.toUpperCase()],
    [`${word}s`, `${word.toUpperCase()}s`],
  ]),
);

const KEYWORDS = new Set([
  "default",
  "func",
  "import",
  "interface",
  "map",
  "package",
  "range",
  "select",
  "type",
  "var",
]);

const MAX_LINE = 110;

/** Returns a name of the API document as Go exports it: `campaign_id` becomes `CampaignID`. */
export function exportedName(name: string): string {
  return wordsOf(name).map(capitalized).join("");
}

/** Returns a name of the API document as an argument's. */
export function argumentName(name: string): string {
  const [first = "", ...others] = wordsOf(name);
  const argument = first + others.map(capitalized).join("");
  return KEYWORDS.has(argument) ? `${argument}Value` : argument;
}

/** Returns the name of one entry of a list: `recipients` becomes `recipient`. */
export function singular(name: string): string {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  return name.endsWith("sses") ? name.slice(0, -2) : name.replace(/s$/, "");
}

function wordsOf(name: string): string[] {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "").map((word) => word.toLowerCase());
}

function capitalized(word: string): string {
  return INITIALISMS.get(word) ?? word[0]!.toUpperCase() + word.slice(1);
}

/** Writes paragraphs as a comment, each wrapped, with an empty line between them. */
export function comment(paragraphs: (string | undefined)[], indent = ""): string {
  return paragraphs.filter((text) => text !== undefined && text !== "")
    .map((text) => wrap(text!, MAX_LINE - indent.length).map((line) => `${indent}// ${line}\n`).join(""))
    .join(`${indent}//\n`);
}

function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + word.length + 4 <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A line of a struct, or of a list of constants: columns that gofmt aligns. */
export interface Line {
  about?: string | undefined;
  columns: string[];
}

/** Writes lines as gofmt does: columns are aligned between comments. */
export function alignedLines(lines: Line[]): string {
  const sections: Line[][] = [];
  for (const line of lines) {
    if (line.about || sections.length === 0) sections.push([line]);
    else sections.at(-1)!.push(line);
  }
  return sections.map((section) => comment([section[0]!.about], "\t") + alignSection(section)).join("");
}

function alignSection(lines: Line[]): string {
  const widths = lines[0]!.columns.map((_, column) =>
    Math.max(...lines.map(({ columns }) => columns[column]!.length))
  );
  return lines.map(({ columns }) =>
    `\t${
      columns.map((text, column) => column < columns.length - 1 ? text.padEnd(widths[column]!) : text).join(
        " ",
      )
    }\n`
  ).join("");
}

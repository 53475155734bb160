import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of a page. */
export interface Block {
  /** The line of its opening fence, from 1. */
  line: number;
  language: string;
  /** The text after the language: for the tests, the name of the file that the reader saves the block as. */
  file: string;
  lines: string[];
}

/** Returns the text of a page; `page` is relative to the root of the project. */
export async function readPage(page: string): Promise<string> {
  return await Deno.readTextFile(`${ROOT}/${page}`);
}

/** Returns the paths of all pages: README.md and those of docs/. */
export async function listPages(): Promise<string[]> {
  const pages = ["README.md"];
  for await (const { name } of Deno.readDir(`${ROOT}/docs`)) {
    if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  return pages.sort();
}

/** Returns the fenced blocks of a page, without the indentation of the lists they stand in. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: (Block & { indent: string }) | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", language = "", file = ""] = /^( *)```(\S*)(?: (\S+))?$/.exec(line) ?? [];
    const isFence = /^ *```/.test(line);
    if (open === undefined && isFence) open = { line: index + 1, language, file, lines: [], indent };
    else if (open !== undefined && isFence) {
      const { indent: _, ...block } = open;
      blocks.push(block);
      open = undefined;
    } else open?.lines.push(line.slice(open.indent.length));
  }
  return blocks;
}

/** Returns the rows of the tables in a section, cells trimmed, without the head of the first one. */
export function tableBelow(text: string, heading: string): string[][] {
  const [, section = ""] = `\n${text}`.split(`\n${heading}\n`);
  const lines = section.split(/\n#+ /)[0]!.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** Returns what stands between backquotes in a cell of a table. */
export function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
}

import { dirname, join } from "node:path";
import { type Block, blocksOf, readPage } from "../docs/read_page.ts";

/** The page of the recipes. */
export const PAGE = "docs/recipes.md";

/** A section of the page. */
export interface Recipe {
  /** The blocks that have the name of a file. */
  files: Block[];
  /** The lines of its commands. */
  commands: string[];
}

/** Returns what the section with this heading has. */
export async function readRecipe(heading: string): Promise<Recipe> {
  const [, rest = ""] = (await readPage(PAGE)).split(`\n## ${heading}\n`);
  const blocks = blocksOf(rest.split("\n## ")[0]!);
  return {
    files: blocks.filter(({ file }) => file !== ""),
    commands: blocks.filter(({ language }) => language === "bash").flatMap(({ lines }) => lines),
  };
}

/** Saves the files of a recipe in a folder, as a reader does. */
export async function saveFiles(folder: string, { files }: Recipe): Promise<void> {
  for (const { file, lines } of files) {
    await Deno.mkdir(dirname(join(folder, file)), { recursive: true });
    await Deno.writeTextFile(join(folder, file), `${lines.join("\n")}\n`);
  }
}

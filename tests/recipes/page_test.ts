import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { blocksOf, readPage } from "../docs/read_page.ts";
import { PAGE } from "./read_recipe.ts";

Deno.test("each section of docs/recipes.md that has files is run by a test", async () => {
  const sections = (await readPage(PAGE)).split("\n## ").slice(1);
  const withFiles = sections.filter((section) => blocksOf(section).some(({ file }) => file !== ""));
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const tests = await Array.fromAsync(Deno.readDir(folder), ({ name }) => Deno.readTextFile(folder + name));

  const missing = withFiles.map((section) => section.split("\n")[0]!)
    .filter((heading) => !tests.some((text) => text.includes(`"${heading}"`)));

  assert.ok(withFiles.length >= 6);
  assert.deepEqual(missing, []);
});

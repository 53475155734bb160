import assert from "node:assert/strict";
import { functionSlugs } from "../setup/function_folders.ts";

const CONFIG = new URL("../../supabase/config.toml", import.meta.url);

/** The settings of each `[functions.<slug>]` block, as written. */
async function functionBlocks(): Promise<Record<string, string[]>> {
  const [, ...blocks] = (await Deno.readTextFile(CONFIG)).split(/^\[functions\./m);
  return Object.fromEntries(blocks.map((block) => {
    const [slug = "", ...lines] = block.split("\n");
    return [slug.replace(/\]$/, ""), lines.filter((line) => line !== "")];
  }));
}

Deno.test("supabase/config.toml has a block for each function, and none for anything else", async () => {
  const blocks = await functionBlocks();

  assert.deepEqual(Object.keys(blocks).sort(), await functionSlugs());
});

Deno.test("supabase/config.toml gives every function our import map and leaves authentication to it", async () => {
  for (const [slug, lines] of Object.entries(await functionBlocks())) {
    assert.deepEqual(lines, ["verify_jwt = false", 'import_map = "../import_map.json"'], slug);
  }
});

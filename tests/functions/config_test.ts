import assert from "node:assert/strict";
import { readDocuments } from "../../cli/sdk_generate/read_documents.ts";
import { deployedSlugs, functionSlugs } from "../setup/http/function_folders.ts";

const CONFIG = new URL("../../supabase/config.toml", import.meta.url);

/** The settings of each `[functions.<slug>]` block, as written. */
async function functionBlocks(): Promise<Record<string, string[]>> {
  const [, ...blocks] = (await Deno.readTextFile(CONFIG)).split(/^\[functions\./m);
  return Object.fromEntries(blocks.map((block) => {
    const [slug = "", ...lines] = block.split("\n");
    return [slug.replace(/\]$/, ""), lines.filter((line) => line !== "" && !line.startsWith("#"))];
  }));
}

Deno.test("supabase/config.toml has a block for each function, and none for anything else", async () => {
  const blocks = await functionBlocks();

  assert.deepEqual(Object.keys(blocks).sort(), await functionSlugs());
});

Deno.test("supabase/config.toml deploys the bundle of every function and leaves authentication to it", async () => {
  const { main, ...deployed } = await functionBlocks();

  for (const [slug, lines] of Object.entries(deployed)) {
    assert.deepEqual(
      lines,
      ["verify_jwt = false", `entrypoint = "../dist/functions/${slug}/index.js"`],
      slug,
    );
  }
  assert.deepEqual(main, ["enabled = false"]);
});

/** Supabase's gateway looks at the first segment of a path alone, and the function sees it too. */
Deno.test("every path of the API leads to a deployed function, and every deployed function has a path", async () => {
  const onlyOnOurOwnServer = "/openapi.json";
  const { served } = await readDocuments();
  const paths = Object.keys(served.paths ?? {});

  const reached = paths.filter((path) => path !== onlyOnOurOwnServer).map((path) => path.split("/")[1]!);

  assert.ok(paths.includes(onlyOnOurOwnServer));
  assert.deepEqual([...new Set(reached)].sort(), await deployedSlugs());
});

import assert from "node:assert/strict";
import { loadEnv } from "../../supabase/functions/_shared/env.ts";
import { createServices } from "../../supabase/functions/_shared/services.ts";
import { createFunctions } from "../../supabase/functions/main/app.ts";
import { describeApi } from "../../supabase/functions/openapi/api_document.ts";
import { createApp as createOpenapiApp } from "../../supabase/functions/openapi/app.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures.ts";
import { deployedSlugs, functionSlugs } from "../setup/function_folders.ts";

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

Deno.test("supabase/config.toml gives every function our import map and leaves authentication to it", async () => {
  const { main, ...deployed } = await functionBlocks();

  for (const [slug, lines] of Object.entries(deployed)) {
    assert.deepEqual(lines, ["verify_jwt = false", 'import_map = "../import_map.json"'], slug);
  }
  assert.deepEqual(main, ["enabled = false"]);
});

/** The paths of the API, as the service describes them. */
async function documentedPaths(): Promise<string[]> {
  const env = loadEnv({ SECRETS_KEY: TEST_SECRETS_KEY, DATABASE_URL: "postgres://127.0.0.1:1/none" });
  const services = createServices(env);
  const apps = Object.values(createFunctions(services));
  const { paths = {} } = describeApi([createOpenapiApp(services, apps), ...apps]);
  await services.close();
  return Object.keys(paths);
}

/** Supabase's gateway looks at the first segment of a path alone, and the function sees it too. */
Deno.test("every path of the API leads to a deployed function, and every deployed function has a path", async () => {
  const onlyOnOurOwnServer = "/openapi.json";
  const paths = await documentedPaths();

  const reached = paths.filter((path) => path !== onlyOnOurOwnServer).map((path) => path.split("/")[1]!);

  assert.ok(paths.includes(onlyOnOurOwnServer));
  assert.deepEqual([...new Set(reached)].sort(), await deployedSlugs());
});

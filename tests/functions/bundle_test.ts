import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundleFunctions } from "../../cli/functions_build/bundle_functions.ts";
import { functionSlugs } from "../setup/http/function_folders.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { reachableFiles, readImportGraph } from "../tools/import_graph.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Supabase takes 20 MB. The API document, which `main` and `openapi` hold, is 0.7 MB. */
const MAX_BYTES = 7 * 1024 * 1024;

Deno.test("every function bundles into one file of less than 7 MB that imports nothing but Node's modules", () =>
  withTempFolder(async (folder) => {
    for (const [slug, file] of await bundleFunctions(ROOT, await functionSlugs(), folder)) {
      const text = await Deno.readTextFile(file);
      const { length } = new TextEncoder().encode(text);
      const imported = [...text.matchAll(/^(?:import|export) (?:.* from )?"(.+)";$/gm)].map(([, from]) =>
        from!
      );

      assert.ok(length > 0 && length < MAX_BYTES, `${slug}: ${length} bytes`);
      assert.deepEqual(imported.filter((from) => !from.startsWith("node:")), [], slug);
      assert.ok(imported.length > 0, slug);
    }
  }));

Deno.test("no function needs a file from outside supabase/", async () => {
  const graph = await readImportGraph(ROOT, ["supabase"]);

  for (const slug of await functionSlugs()) {
    const files = [...reachableFiles(graph, `supabase/functions/${slug}/index.ts`)];
    const outside = files.filter((file) => !file.startsWith("supabase/") && !/^(npm|node):/.test(file));
    assert.deepEqual(outside, [], slug);
  }
});

Deno.test("no function loads the tools for agents, or their protocol, before an agent sends a message", async () => {
  const graph = await readImportGraph(ROOT, ["supabase"]);
  const atStart = { ...graph, edges: graph.edges.filter(({ isDynamic }) => !isDynamic) };
  const isOfAgents = (file: string) => /modelcontextprotocol|mcp\/(respond_to_message|tools\/)/.test(file);
  const start = (slug: string) => `supabase/functions/${slug}/index.ts`;

  assert.ok([...reachableFiles(graph, start("mcp"))].some(isOfAgents));
  for (const slug of await functionSlugs()) {
    assert.deepEqual([...reachableFiles(atStart, start(slug))].filter(isOfAgents), [], slug);
  }
});

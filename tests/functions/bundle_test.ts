import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundleFunctions } from "../../cli/functions_build/bundle_functions.ts";
import { functionSlugs } from "../setup/http/function_folders.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { reachableFiles, readImportGraph } from "../tools/import_graph.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Supabase takes 20 MB. The API document, which `main` and `openapi` hold, is 1.1 MB. */
const MAX_BYTES = 7 * 1024 * 1024;

Deno.test("every function bundles into one file of less than 7 MB of ASCII that imports nothing but Node's modules", () =>
  withTempFolder(async (folder) => {
    for (const [slug, file] of await bundleFunctions(ROOT, await functionSlugs(), folder)) {
      const text = await Deno.readTextFile(file);
      const { length } = new TextEncoder().encode(text);
      const imported = [...text.matchAll(/^(?:import|export) (?:.* from )?"(.+)";$/gm)].map(([, from]) =>
        from!
      );

      assert.ok(length > 0 && length < MAX_BYTES, `${slug}: ${length} bytes`);
      assert.doesNotMatch(text, /[\u0080-\uffff]/, `${slug} takes two bytes per character in memory`);
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

/** Calls `check` with the slug of each function, and the files that it loads at its start. */
async function withFilesAtStart(check: (slug: string, files: string[]) => void): Promise<void> {
  const { edges, ...graph } = await readImportGraph(ROOT, ["supabase"]);
  const atStart = { ...graph, edges: edges.filter(({ isDynamic }) => !isDynamic) };
  for (const slug of await functionSlugs()) {
    check(slug, [...reachableFiles(atStart, `supabase/functions/${slug}/index.ts`)]);
  }
}

Deno.test("no function loads the tools for agents, or their protocol, before an agent sends a message", async () => {
  const graph = await readImportGraph(ROOT, ["supabase"]);
  const isOfAgents = (file: string) => /modelcontextprotocol|mcp\/(respond_to_message|tools\/)/.test(file);

  assert.ok([...reachableFiles(graph, "supabase/functions/mcp/index.ts")].some(isOfAgents));
  await withFilesAtStart((slug, files) => assert.deepEqual(files.filter(isOfAgents), [], slug));
});

Deno.test("only the functions that manage accounts load their library at the start", () =>
  withFilesAtStart((slug, files) =>
    assert.equal(
      files.some((file) => file.includes("@supabase/auth-js")),
      /^(main|manage)$/.test(slug),
      slug,
    )
  ));

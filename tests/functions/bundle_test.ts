import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { FUNCTIONS, functionSlugs } from "../setup/function_folders.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { reachableFiles, readImportGraph } from "../tools/import_graph.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Supabase takes 20 MB. The calendars of holidays, which a function loads only for rules that need them, are 2.6 MB;
 * the API document, which `main` and `openapi` hold, is 0.7 MB. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Bundles each function with everything it needs, and returns the bundles by slug. */
async function bundle(slugs: string[], folder: string): Promise<Map<string, string>> {
  const entries = slugs.map((slug) => `${FUNCTIONS}/${slug}/index.ts`);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=deno", "--outdir", folder, ...entries],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const read = async (slug: string) =>
    [slug, await Deno.readTextFile(`${folder}/${slug}/index.js`)] as [string, string];
  return new Map(await Promise.all(slugs.map(read)));
}

Deno.test("every function bundles alone to less than 10 MB", () =>
  withTempFolder(async (folder) => {
    for (const [slug, text] of await bundle(await functionSlugs(), folder)) {
      const { length } = new TextEncoder().encode(text);

      assert.ok(length > 0 && length < MAX_BYTES, `${slug}: ${length} bytes`);
      assert.doesNotMatch(text, /^import .* from "\.\.?\//m, `${slug} shares a file with another function`);
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

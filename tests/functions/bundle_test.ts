import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { FUNCTIONS, functionSlugs } from "../setup/function_folders.ts";
import { reachableFiles, readImportGraph } from "../tools/import_graph.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const MOST_BYTES = 5 * 1024 * 1024;

/** Bundles one function with everything it needs and answers the size of the result. */
async function bundleSize(slug: string, folder: string): Promise<number> {
  const output = `${folder}/${slug}.js`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=deno", "-o", output, `${FUNCTIONS}/${slug}/index.ts`],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
  }).output();
  if (!success) throw new Error(`${slug}: ${new TextDecoder().decode(stderr)}`);
  return (await Deno.stat(output)).size;
}

Deno.test("every function bundles alone to less than 5 MB", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const slug of await functionSlugs()) {
      const size = await bundleSize(slug, folder);

      assert.ok(size > 0 && size < MOST_BYTES, `${slug}: ${size} bytes`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("no function needs a file from outside supabase/", async () => {
  const graph = await readImportGraph(ROOT, ["supabase"]);

  for (const slug of await functionSlugs()) {
    const files = [...reachableFiles(graph, `supabase/functions/${slug}/index.ts`)];
    const outside = files.filter((file) => !file.startsWith("supabase/") && !/^(npm|node):/.test(file));
    assert.deepEqual(outside, [], slug);
  }
});

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { cliIsMissing } from "../migrations/supabase_cli.ts";
import { deployedSlugs } from "../setup/function_folders.ts";
import { withBarePostgresDatabase } from "../setup/postgres_database.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { reachableFiles, readImportGraph } from "../tools/import_graph.ts";
import { documentedCommands } from "./documented_commands.ts";
import { type ManagementApi, withManagementApi } from "./management_api.ts";
import { startProjectDatabase } from "./project_database.ts";
import { namesAreFixed, runCommands } from "./run_commands.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The pages that say how to deploy, and the settings they give the functions. */
const PAGES: [page: string, from: string, to: string, secrets: string[]][] = [
  ["docs/operations.md", "## Deploy on Supabase", "## On your own machines", [
    "SECRETS_KEY",
    "WHATSAPP_APP_SECRET",
    "WHATSAPP_VERIFY_TOKEN",
    "DISPATCH_SECRET",
    "DATABASE_URL",
  ]],
];

for (const [page, from, to, secrets] of PAGES) {
  Deno.test(`the commands of ${page} bring migrations, secrets and functions to the linked project`, () =>
    withBarePostgresDatabase(async ({ sql, url }) => {
      const test = `the commands of ${page} with the Supabase CLI`;
      if (await cliIsMissing(test)) return;
      const hindrance = await namesAreFixed();
      if (hindrance !== undefined) return skipped(test, hindrance);
      const script = await documentedCommands(page, from, to);
      const database = startProjectDatabase(url);
      await withManagementApi((api) =>
        withTempFolder(async (folder) => {
          const target = { apiUrl: api.url, databaseAddress: database.address };
          const { code, output } = await runCommands(script, folder, target);

          assert.equal(code, 0, `${output}\n${api.unknown.join("\n")}`);
          assert.deepEqual(api.secrets.sort(), secrets.sort());
          await assertDeployed(api);
        })
      ).finally(database.stop);

      assert.deepEqual(await applyMigrations(sql), { applied: [] });
    }));
}

/** Every function that has a path was deployed whole: with every file it imports, and the import map. */
async function assertDeployed({ functions }: ManagementApi): Promise<void> {
  assert.deepEqual(functions.map(({ slug }) => slug).sort(), await deployedSlugs());
  const graph = await readImportGraph(ROOT, ["supabase"]);
  for (const { slug, verifyJwt, entrypoint, importMap, files } of functions) {
    const index = `supabase/functions/${slug}/index.ts`;
    const needed = [...reachableFiles(graph, index)].filter((file) => file.startsWith("supabase/"));
    const missing = [...needed, "import_map.json"].filter((file) => !files.includes(file));

    assert.deepEqual({ verifyJwt, entrypoint, importMap }, {
      verifyJwt: false,
      entrypoint: index,
      importMap: "import_map.json",
    });
    assert.deepEqual(missing, [], slug);
  }
}

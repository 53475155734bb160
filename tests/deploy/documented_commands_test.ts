import assert from "node:assert/strict";
import { join } from "node:path";
import { applyMigrations } from "../../cli/migrations/apply.ts";
import { cliIsMissing } from "../migrations/supabase_cli.ts";
import { deployedSlugs } from "../setup/http/function_folders.ts";
import { withBarePostgresDatabase } from "../setup/database/postgres_database.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { documentedCommands } from "./documented_commands.ts";
import { type ManagementApi, withManagementApi } from "./management_api.ts";
import { startProjectDatabase } from "./project_database.ts";
import { namesAreFixed, runCommands } from "./run_commands.ts";

/** The pages that say how to deploy, and the settings they give the functions. */
const PAGES: [page: string, from: string, to: string, secrets: string[]][] = [
  ["docs/operations.md", "## Deploy on Supabase", "## On your own machines", [
    "OUTBOUND_SECRETS_KEY",
    "WHATSAPP_APP_SECRET",
    "WHATSAPP_VERIFY_TOKEN",
    "OUTBOUND_DISPATCH_SECRET",
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
          await assertDeployed(api, folder);
        })
      ).finally(database.stop);

      assert.deepEqual(await applyMigrations(sql), { applied: [], later: [] });
    }));
}

/** Every function that has a path was deployed as its bundle, and nothing else. */
async function assertDeployed({ functions }: ManagementApi, folder: string): Promise<void> {
  assert.deepEqual(functions.map(({ slug }) => slug).sort(), await deployedSlugs());
  for (const { slug, verifyJwt, entrypoint, importMap, files } of functions) {
    const bundle = `dist/functions/${slug}/index.js`;

    assert.deepEqual({ verifyJwt, entrypoint, importMap }, {
      verifyJwt: false,
      entrypoint: bundle,
      importMap: "",
    });
    assert.deepEqual([...files.keys()], [bundle], slug);
    assert.ok(
      files.get(bundle) === await Deno.readTextFile(join(folder, "project", bundle)),
      `${slug} differs`,
    );
  }
}

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { callsIn, isUsed } from "../../../cli/schema/released_calls.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { bundleVersion, declaredCatalogue, readCode } from "./record_release.ts";
import { runBeside, startBeside } from "./run_beside.ts";

Deno.test("a release is recorded as one file that does what the version does", () =>
  withTempFolder((folder) =>
    withPostgresDatabase(async ({ url }) => {
      const file = `${folder}/version.js`;
      await Deno.writeTextFile(file, await bundleVersion());
      const beside = await startBeside({ migration: "", load: () => import(pathToFileURL(file).href) }, url);
      try {
        assert.deepEqual(await runBeside(beside, () => Promise.resolve()), []);
        await beside.version.settle(beside.sql, beside.filled, beside.ledger);
      } finally {
        await beside.sql.end({ timeout: 5 });
      }
    })
  ));

Deno.test("a release is recorded with the functions, tables and columns that its code names", async () => {
  const calls = callsIn(await readCode(), await declaredCatalogue());

  for (
    const key of [
      "function claim_deliveries(text, int)",
      // Called by functions of the database only, which may be under way.
      "function endpoint_fails_after()",
      "table webhooks",
      "column webhooks.url",
    ]
  ) {
    assert.ok(isUsed(calls, key), key);
  }
  assert.ok(!isUsed(calls, "function settle_unconfirmed()"), "what nothing calls may be dropped");
});

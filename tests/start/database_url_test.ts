import assert from "node:assert/strict";
import {
  isSecretsKeyRight,
  WRONG_SECRETS_KEY,
} from "../../supabase/functions/_shared/access/secrets_canary.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { withBareDatabase, withTestDatabase } from "../setup/database/database.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { refusedStart, withStart } from "./run_start.ts";

Deno.test("start applies no migration to a database it was given, but says what to do", () =>
  withTempFolder((folder) =>
    withBareDatabase(async ({ url, sql }) => {
      const { code, stderr } = await refusedStart({
        OUTBOUND_HOME: `${folder}/home`,
        PORT: "0",
        DATABASE_URL: url,
        OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
      });

      assert.equal(code, 1);
      assert.match(stderr, /^The database lacks \d+ migrations, .*: run "deno task migrate" first\n$/);
      assert.deepEqual([...await sql`select to_regnamespace('outbound') as found`], [{ found: null }]);
    })
  ));

Deno.test("start does not run with an OUTBOUND_SECRETS_KEY that is not the database's", () =>
  withTempFolder((folder) =>
    withTestDatabase(async ({ url, sql }) => {
      await isSecretsKeyRight({ sql, sealer: createSealer(TEST_SECRETS_KEY) });

      const { code, stderr } = await refusedStart({
        OUTBOUND_HOME: `${folder}/home`,
        PORT: "0",
        DATABASE_URL: url,
        OUTBOUND_SECRETS_KEY: "x".repeat(40),
      });

      assert.deepEqual([code, stderr], [1, `${WRONG_SECRETS_KEY}\n`]);
    })
  ));

Deno.test("start --demo aside, makes no demo data on a database it was given", () =>
  withTempFolder((folder) =>
    withTestDatabase(async ({ url, sql }) => {
      const env = {
        OUTBOUND_HOME: `${folder}/home`,
        DATABASE_URL: url,
        OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
      };
      await withStart(env, async ({ stack, banner }) => {
        assert.equal(stack.demo, undefined);
        assert.equal(stack.database_url, url);
        assert.match(banner, /Database +as set in DATABASE_URL/);
        assert.deepEqual([...await sql`select id from outbound.companies`], []);
        const health = await (await fetch(`${stack.base_url}/health`)).json();
        assert.equal(health.status, "ok");
      });
    })
  ));

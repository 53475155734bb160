import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundleFunctions } from "../../cli/functions_build/bundle_functions.ts";
import { hostedCommand, hostedDeno } from "../deploy/hosted_function.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { functionSlugs } from "../setup/http/function_folders.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import type { FunctionResponse } from "./ask_functions.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SCRIPT = fileURLToPath(new URL("./ask_functions.ts", import.meta.url));

/** Loads every bundle of a folder in one process of the hosted runtime's version, and nothing else. */
async function askFunctions(
  deno: string,
  folder: string,
  slugs: string[],
  databaseUrl: string,
): Promise<FunctionResponse[]> {
  const env = {
    SUPABASE_DB_URL: databaseUrl,
    SUPABASE_URL: "http://127.0.0.1:1",
    SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_test"}',
    SUPABASE_SECRET_KEYS: '{"default":"sb_secret_test"}',
    OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
    WHATSAPP_APP_SECRET: "app-secret",
    WHATSAPP_VERIFY_TOKEN: "verify-token",
    OUTBOUND_LOG_LEVEL: "error",
    DENO_DIR: `${folder}/empty`,
  };
  const { stdout, stderr } = await hostedCommand(deno, [SCRIPT, folder, ...slugs], { env }).output();
  const responses = /^RESPONSES (.*)$/m.exec(new TextDecoder().decode(stdout))?.[1];
  if (responses === undefined) throw new Error(`No responses: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(responses) as FunctionResponse[];
}

Deno.test("every function, bundled, responds in the contract's shape on the hosted runtime's Deno", () =>
  withTestDatabase(({ url }) =>
    withTempFolder(async (folder) => {
      const deno = await hostedDeno();
      if (deno === undefined) {
        return skipped("the functions under Deno 2.1.4", "npx could not get deno@2.1.4");
      }
      const slugs = await functionSlugs();
      await bundleFunctions(ROOT, slugs, folder);

      const responses = await askFunctions(deno, folder, slugs, url);

      assert.deepEqual([...new Set(responses.map(({ slug }) => slug))], slugs);
      for (const { path, status, contentType, text } of responses) {
        const seen = `${path}: ${status} ${contentType} ${text}`;
        assert.match(contentType ?? "", /^application\/json/, seen);
        const body = JSON.parse(text) as Record<string, unknown>;
        if (path.endsWith("/no/such/path")) assert.deepEqual([status, body.error], [404, "not_found"], seen);
        else assert.ok(status < 500 && (status < 400 || typeof body.message === "string"), seen);
      }
    })
  ));

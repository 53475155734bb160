import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { withTestDatabase } from "../setup/database.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures.ts";
import { FUNCTIONS, functionSlugs } from "../setup/function_folders.ts";
import { skipped } from "../setup/skipped.ts";
import type { FunctionResponse } from "./ask_functions.ts";

/** The version of Deno that the hosted runtime is built on. Source: Supabase edge-runtime. */
const HOSTED_DENO = ["-y", "deno@2.1.4"];

/** Permissions of a hosted function: no subprocess, no foreign code, no file outside /tmp. */
const HOSTED_PERMISSIONS = ["--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-sys"];

async function npx(args: string[], env: Record<string, string> = {}): Promise<Deno.CommandOutput> {
  return await new Deno.Command("npx", { args, env: { ...env, NO_COLOR: "1" }, stdin: "null" }).output();
}

/** Loads every function in one process of the hosted runtime's version. */
async function askFunctions(slugs: string[], databaseUrl: string): Promise<FunctionResponse[]> {
  const importMap = fileURLToPath(new URL("../../import_map.json", import.meta.url));
  const script = fileURLToPath(new URL("./ask_functions.ts", import.meta.url));
  const { stdout, stderr } = await npx(
    [
      ...[
        ...HOSTED_DENO,
        "run",
        "--no-config",
        "--no-lock",
        "--import-map",
        importMap,
        ...HOSTED_PERMISSIONS,
      ],
      ...["--allow-write=/tmp", script, FUNCTIONS, ...slugs],
    ],
    {
      SUPABASE_DB_URL: databaseUrl,
      SUPABASE_URL: "http://127.0.0.1:1",
      SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_test"}',
      SUPABASE_SECRET_KEYS: '{"default":"sb_secret_test"}',
      SECRETS_KEY: TEST_SECRETS_KEY,
      WHATSAPP_APP_SECRET: "app-secret",
      WHATSAPP_VERIFY_TOKEN: "verify-token",
      LOG_LEVEL: "error",
    },
  );
  const responses = /^RESPONSES (.*)$/m.exec(new TextDecoder().decode(stdout))?.[1];
  if (responses === undefined) throw new Error(`No responses: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(responses) as FunctionResponse[];
}

async function hostedDenoIsMissing(): Promise<boolean> {
  const found = await npx([...HOSTED_DENO, "--version"]).then(({ success }) => success, () => false);
  if (!found) skipped("the functions under Deno 2.1.4", "npx could not get deno@2.1.4");
  return !found;
}

Deno.test("every function loads and responds in the contract's shape on the hosted runtime's Deno", () =>
  withTestDatabase(async ({ url }) => {
    if (await hostedDenoIsMissing()) return;
    const slugs = await functionSlugs();

    const responses = await askFunctions(slugs, url);

    assert.deepEqual([...new Set(responses.map(({ slug }) => slug))], slugs);
    for (const { path, status, contentType, text } of responses) {
      const seen = `${path}: ${status} ${contentType} ${text}`;
      assert.match(contentType ?? "", /^application\/json/, seen);
      const body = JSON.parse(text) as Record<string, unknown>;
      if (path.endsWith("/no/such/path")) assert.deepEqual([status, body.error], [404, "not_found"], seen);
      else assert.ok(status < 500 && (status < 400 || typeof body.message === "string"), seen);
    }
  }));

import assert from "node:assert/strict";
import { join } from "node:path";
import { findSettings } from "../../cli/admin_settings.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

const STACK_URL = "postgres://postgres:secret@127.0.0.1:54322/postgres";

async function writeStack(home: string): Promise<void> {
  const stack = {
    base_url: "http://127.0.0.1:54321/functions/v1",
    database_url: STACK_URL,
    auth_url: "http://127.0.0.1:54326",
    sandbox_url: "http://127.0.0.1:54324",
  };
  await Deno.writeTextFile(
    join(home, "stack.json"),
    JSON.stringify({ ...stack, pid: 1, demo: { email: "a@b.c" } }),
  );
  const secrets = {
    OUTBOUND_SECRETS_KEY: "from the stack",
    SUPABASE_SECRET_KEY: "sb_secret_stack",
    SANDBOX_VOICE_KEY: "voice key",
    version: 1,
  };
  await Deno.writeTextFile(join(home, "secrets.json"), JSON.stringify(secrets));
}

Deno.test("findSettings() takes everything from the embedded stack when nothing is set", () =>
  withTempFolder(async (home) => {
    await writeStack(home);

    const found = await findSettings({ OUTBOUND_HOME: home });

    assert.deepEqual(found, {
      from: "stack",
      databaseUrl: STACK_URL,
      sandboxUrl: "http://127.0.0.1:54324",
      variables: {
        OUTBOUND_HOME: home,
        DATABASE_URL: STACK_URL,
        SUPABASE_URL: "http://127.0.0.1:54326",
        OUTBOUND_PUBLIC_URL: "http://127.0.0.1:54321/functions/v1",
        OUTBOUND_MEDIA_FOLDER: `${home}/media`,
        WHATSAPP_API_URL: "http://127.0.0.1:54324",
        ELEVENLABS_API_URL: "http://127.0.0.1:54324",
        ELEVENLABS_API_KEY: "voice key",
        OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true",
        OUTBOUND_SECRETS_KEY: "from the stack",
        SANDBOX_VOICE_KEY: "voice key",
        SUPABASE_SECRET_KEY: "sb_secret_stack",
      },
    });
  }));

Deno.test("findSettings() lets the environment win over the stack, but not by an empty variable", () =>
  withTempFolder(async (home) => {
    await writeStack(home);

    const { variables } = await findSettings({
      OUTBOUND_HOME: home,
      DATABASE_URL: "",
      OUTBOUND_SECRETS_KEY: "mine",
      SUPABASE_URL: "",
    });

    assert.equal(variables.OUTBOUND_SECRETS_KEY, "mine");
    assert.equal(variables.SUPABASE_URL, "http://127.0.0.1:54326");
    assert.equal(variables.DATABASE_URL, STACK_URL);
  }));

Deno.test("findSettings() takes nothing from a stack of another database", () =>
  withTempFolder(async (home) => {
    await writeStack(home);
    const environment = { OUTBOUND_HOME: home, DATABASE_URL: "postgres://db.example.test/outbound" };

    const found = await findSettings(environment);

    assert.deepEqual(found, {
      from: "environment",
      databaseUrl: environment.DATABASE_URL,
      variables: environment,
    });
  }));

Deno.test("findSettings() fills in from the stack that runs on the database of DATABASE_URL", () =>
  withTempFolder(async (home) => {
    await writeStack(home);

    const { variables } = await findSettings({ OUTBOUND_HOME: home, DATABASE_URL: STACK_URL });

    assert.equal(variables.SUPABASE_SECRET_KEY, "sb_secret_stack");
  }));

Deno.test("findSettings() says what to do when there is no database, or only a broken stack.json", () =>
  withTempFolder(async (home) => {
    const refused = { code: "not_configured", message: /set DATABASE_URL, or start .* "deno task start"/ };

    await assert.rejects(findSettings({ OUTBOUND_HOME: home }), refused);
    await Deno.writeTextFile(join(home, "stack.json"), "{");
    await assert.rejects(findSettings({ OUTBOUND_HOME: home }), refused);
  }));

Deno.test("findSettings() names no sandbox when WHATSAPP_API_URL is another platform", () =>
  withTempFolder(async (home) => {
    await writeStack(home);

    const { sandboxUrl } = await findSettings({
      OUTBOUND_HOME: home,
      WHATSAPP_API_URL: "https://graph.facebook.com",
    });

    assert.equal(sandboxUrl, undefined);
  }));

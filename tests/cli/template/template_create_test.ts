import assert from "node:assert/strict";
import { listTemplates } from "../../../cli/template/actions.ts";
import { createTemplate } from "../../../cli/template/create.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { closedPort } from "../../_shared/gateways/local_server.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  insertCompany,
  insertSender,
  type SenderFixture,
  TEST_SECRETS_KEY,
} from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { withSandbox } from "../../setup/stack/sandbox.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { runAdmin } from "../run_admin.ts";

interface Setup {
  sql: Sql;
  databaseUrl: string;
  platformUrl: string;
  sender: SenderFixture;
  create(changes?: JsonObject, apiUrl?: string): ReturnType<typeof createTemplate>;
}

async function withSender(fn: (setup: Setup) => Promise<void>): Promise<void> {
  await withSandbox("app-secret", (sandbox) =>
    withTestDatabase(async ({ sql, url }) => {
      const sender = await insertSender(sql, (await insertCompany(sql)).id);
      await sandbox.addAccount(sender);
      const create = (changes: JsonObject = {}, apiUrl = sandbox.url) =>
        createTemplate({
          sql,
          sealer: createSealer(TEST_SECRETS_KEY),
          whatsapp: { apiUrl, apiVersion: "v25.0" },
          timeoutMs: 5000,
          allowPrivate: false,
        }, {
          company_id: sender.company_id,
          waba_id: sender.waba_id,
          name_template: "order_ready",
          language_template: "es",
          category_template: "UTILITY",
          components_template: { BODY: { text: "Hola {1}, ya está listo." } },
          ...changes,
        });
      await fn({ sql, databaseUrl: url, platformUrl: sandbox.url, sender, create });
    }));
}

Deno.test("createTemplate() submits a template as the API does", () =>
  withSender(async ({ sql, sender, create }) => {
    const created = await create();

    assert.deepEqual([created.name, created.status], ["order_ready", "pending"]);
    const [row] = await listTemplates({ sql }, { companyId: sender.company_id });
    assert.deepEqual([row!.template_id, row!.status], [created.templateId, "pending"]);
  }));

Deno.test("createTemplate() names each fault", () =>
  withSender(async ({ create }) => {
    const code = (changes: JsonObject, apiUrl?: string) =>
      create(changes, apiUrl).then(() => "", (error) => error.code);

    assert.equal(await code({ name_template: "Order" }), "bad_value");
    assert.equal(await code({ waba_id: "1" }), "bad_value");
    assert.equal(await code({ company_id: crypto.randomUUID() }), "not_found");
    assert.equal(await code({}, `http://127.0.0.1:${closedPort()}`), "platform_error");
    await create();
    assert.equal(await code({}), "already_exists");
    assert.equal(await code({ name_template: "same_text" }), "platform_error");
  }));

Deno.test("template create takes options, a file, or both", () =>
  withSender(({ sender, databaseUrl, platformUrl }) =>
    withTempFolder(async (folder) => {
      const file = `${folder}/template.json`;
      await Deno.writeTextFile(
        file,
        JSON.stringify({
          name_template: "from_file",
          language_template: "en",
          category_template: "MARKETING",
          components_template: { BODY: { text: "All about the file" }, FOOTER: { text: "Bye" } },
        }),
      );
      const env = { DATABASE_URL: databaseUrl, WHATSAPP_API_URL: platformUrl };
      const create = (...args: string[]) =>
        runAdmin(
          [
            "template",
            "create",
            "--company",
            sender.company_id,
            "--waba-id",
            sender.waba_id!,
            ...args,
            "--json",
          ],
          { env },
        );

      const fromFile = await create("--file", file, "--name", "renamed");
      assert.deepEqual([fromFile.code, fromFile.json.name], [0, "renamed"], fromFile.stderr);
      assert.match(String(fromFile.json.template_id), /^[0-9a-f-]{36}$/);
      const buttons = ["--url-button", "Follow it=https://example.com/a?b={1}", "--quick-reply", "Stop"];
      const texts = ["--header", "News", "--body", "Hello {1}, it is on its way.", "--footer", "Bye"];
      const named = ["--name", "from_options", "--language", "en", "--category", "UTILITY"];
      const fromOptions = await create(...named, ...texts, ...buttons);
      assert.equal(fromOptions.code, 0, fromOptions.stderr);
      const refused = await create("--file", `${folder}/missing.json`);
      assert.deepEqual([refused.code, (refused.json.error as JsonObject).code], [1, "bad_value"]);
    })
  ));

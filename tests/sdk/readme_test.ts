import assert from "node:assert/strict";
import { join } from "node:path";
import { blocksOf, readPage, ROOT } from "../docs/read_page.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { run } from "./packed_client.ts";
import { withClients } from "./with_clients.ts";

/** The output of each example. */
const OUTPUT: Record<string, RegExp> = {
  "send.ts": /^[0-9a-f-]{36}$/,
  "campaign.ts": /sent: 250,\s+failed: 0/,
  "lists.ts": /^The newest: Autumn\n(.*\n)*First steps completed$/,
  "log_in.ts": /^1$/,
  "events.ts": /^$/,
  "settings.ts": /^$/,
  "errors.ts": /^404 not_found Campaign not found req_\w+ undefined$/m,
  "remind_test.ts": /^$/,
  "receive.ts": /^$/,
};

Deno.test("every example of sdk/typescript/README.md fits the types, runs, and prints what it says", () =>
  withClients((t) =>
    withTempFolder(async (folder) => {
      const { baseUrl, key, sender, owner, company } = t;
      const blocks = blocksOf(await readPage("sdk/typescript/README.md")).filter(({ file }) => file !== "");
      const env = {
        OUTBOUND_BASE_URL: baseUrl,
        OUTBOUND_API_KEY: key.key,
        SENDER: sender.number,
        EMAIL: owner.email,
        PASSWORD: owner.password,
        TOKEN: await t.logIn(owner),
        COMPANY: company.id,
      };
      await writeConfig(folder);

      assert.deepEqual(blocks.map(({ file }) => file), Object.keys(OUTPUT));
      await t.whileDispatching(async () => {
        for (const { file, lines } of blocks) {
          await Deno.writeTextFile(join(folder, file), lines.join("\n"));
          const output = await run(Deno.execPath(), ["run", "-A", "--check", file], folder, env);
          assert.match(output.trim(), OUTPUT[file]!, file);
        }
      });
    })
  ));

/** Leads the package's names to the sources, with the project's compiler options. */
async function writeConfig(folder: string): Promise<void> {
  const { compilerOptions } = JSON.parse(await readPage("deno.json"));
  const { imports } = JSON.parse(await readPage("import_map.json"));
  const source = (name: string) => new URL(`file://${ROOT}/sdk/typescript/src/${name}`).href;
  await Deno.writeTextFile(
    join(folder, "deno.json"),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, lib: ["deno.window"] },
      imports: {
        "@outbound/sdk": source("mod.ts"),
        "@outbound/sdk/testing": source("testing.ts"),
        "@outbound/sdk/webhooks": source("webhooks.ts"),
        standardwebhooks: imports.standardwebhooks,
      },
    }),
  );
}

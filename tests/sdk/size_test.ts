import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { withTempFolder } from "../setup/temp_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const [OBJECT, FUNCTIONS] = ["mod.ts", "operations.ts"].map((name) => join(ROOT, "sdk/typescript/src", name));

/** Parts of the client that a page loads, and their limits in bytes, minified and compressed. */
const LIMITS = [
  { title: "every function", code: `export * from "${FUNCTIONS}";`, bytes: 13 * 1024 },
  { title: "the object with every operation", code: `export * from "${OBJECT}";`, bytes: 15 * 1024 },
  {
    title: "the operations of a campaign",
    code:
      `export { createClient, getCampaignStatus, explainFailures, listApiKeys, listCompanies, listTemplates, logIn,
      resendCampaign, sendNotification } from "${FUNCTIONS}";`,
    bytes: 9 * 1024,
  },
];

for (const { title, code, bytes } of LIMITS) {
  Deno.test(`the client weighs at most ${bytes / 1024} KiB: ${title}`, () =>
    withTempFolder(async (folder) => {
      const [entry, output] = [join(folder, "entry.ts"), join(folder, "out.js")];
      await Deno.writeTextFile(entry, code);

      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["bundle", "--quiet", "--platform", "browser", "--minify", "--output", output, entry],
        cwd: ROOT,
        stdin: "null",
        env: { NO_COLOR: "1" },
      }).output();

      assert.ok(success, new TextDecoder().decode(stderr));
      const bundle = await Deno.readFile(output);
      const weight = gzipSync(bundle, { level: 9 }).length;
      assert.ok(weight <= bytes, `${weight} bytes`);
      assert.ok(weight > bytes / 2, `${weight} bytes: lower the limit`);
      assert.doesNotMatch(new TextDecoder().decode(bundle), /standardwebhooks|timingSafeEqual/);
    }));
}

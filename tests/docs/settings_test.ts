import assert from "node:assert/strict";
import { makeSettingsFiles } from "../../cli/settings/settings_files.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test(".env.example, docs/settings.md and the chart are what deno task settings:write writes", async () => {
  for (const [path, text] of await makeSettingsFiles(ROOT)) {
    assert.equal(await Deno.readTextFile(new URL(path, ROOT)), text, `${path}: run deno task settings:write`);
  }
});

import { print } from "../terminal/print.ts";
import { makeSettingsFiles } from "./settings_files.ts";

/** `deno task settings:write` writes the settings into .env.example, docs/settings.md and the schema of the Helm chart. */
if (import.meta.main) {
  const root = new URL("../../", import.meta.url);
  for (const [path, text] of await makeSettingsFiles(root)) {
    await Deno.writeTextFile(new URL(path, root), text);
    print(path);
  }
}

import { join } from "node:path";
import { DOCUMENT, install, makeClient, need, run } from "./make_client.ts";

const PACKAGES = ["@stoplight/spectral-cli@6.16.3", "@redocly/cli@2.77.0"];

Deno.test("Spectral and Redocly find no error in the API document", ({ name }) =>
  makeClient(name, async (folder) => {
    await need("npm");
    const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    await install(folder, ["npm", "install", ...options, ...PACKAGES]);
    const bin = join(folder, "node_modules/.bin");
    const ruleset = join(folder, "ruleset.json");
    await Deno.writeTextFile(ruleset, JSON.stringify({ extends: "spectral:oas" }));

    await run(folder, [join(bin, "spectral"), "lint", DOCUMENT, "--ruleset", ruleset]);
    await run(folder, [join(bin, "redocly"), "lint", DOCUMENT], { REDOCLY_TELEMETRY: "off" });
  }));

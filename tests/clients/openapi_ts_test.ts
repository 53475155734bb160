import { join } from "node:path";
import { DOCUMENT, install, makeClient, need, run, runWithoutWarning } from "./make_client.ts";

const PACKAGES = ["@hey-api/openapi-ts@0.99.0", "typescript@5.9.3"];
const COMPILE = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"]
  .concat("--lib", "es2022,dom,dom.iterable");

Deno.test("openapi-ts makes a client for TypeScript", ({ name }) =>
  makeClient(name, async (folder) => {
    await need("npm");
    const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    await install(folder, ["npm", "install", ...options, ...PACKAGES]);
    const bin = join(folder, "node_modules/.bin");

    await runWithoutWarning(folder, [join(bin, "openapi-ts"), "-i", DOCUMENT, "-o", "client"]);
    await run(folder, [join(bin, "tsc"), ...COMPILE, "client/index.ts"]);
  }));

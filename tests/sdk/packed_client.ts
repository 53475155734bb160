import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packNpm } from "../../cli/release_build/npm_package.ts";
import { buildPackage } from "../../cli/sdk_build/build_package.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the client in a folder, and returns the path of the package there. */
export async function packClient(folder: string): Promise<string> {
  const built = join(folder, "built");
  await buildPackage(ROOT, built);
  return join(folder, await packNpm(built, folder));
}

/** Calls `fn` with a folder outside of the project in which the packed client is installed with npm. */
export async function withPackedClient(fn: (folder: string) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    const fresh = join(folder, "fresh");
    await installPackedClient(await packClient(folder), fresh);
    await fn(fresh);
  });
}

/** Installs a packed client with npm into `folder`, which is made, with other packages beside it. */
export async function installPackedClient(
  packed: string,
  folder: string,
  ...others: string[]
): Promise<void> {
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const quietly = ["--no-audit", "--no-fund", "--silent", "--prefer-offline"];
  await run("npm", ["install", ...quietly, packed, ...others], folder);
}

/** Runs a program and returns its output; fails with its errors. */
export async function run(
  program: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    stdin: "null",
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
  }).output();
  const decoder = new TextDecoder();
  assert.ok(success, `${program} ${args.join(" ")}: ${decoder.decode(stderr)}${decoder.decode(stdout)}`);
  return decoder.decode(stdout);
}

import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { install, makeClient, need, run } from "../clients/make_client.ts";
import { packClient, ROOT } from "../sdk/packed_client.ts";
import { eventually } from "../setup/eventually.ts";
import { machineEnv } from "../setup/machine_env.ts";
import { readRecipe, saveFiles } from "./read_recipe.ts";

/** A recipe in a folder of its own, with its packages. */
export interface InstalledRecipe {
  folder: string;
  /** The last command of the recipe: it starts the server. */
  start: string;
}

/** The server of a recipe while it runs. */
export interface RecipeServer {
  url: string;
  /** All that it has printed. */
  output(): string;
}

/** Fetches packages; all other commands must not fail. */
const INSTALLS = /\b(npm|pip) install\b|-m venv\b/;

/**
 * Calls `fn` with the recipe of a heading, after all its commands but the last one. Without one of `programs` or a
 * registry, `test` counts as skipped.
 */
export async function withInstalledRecipe(
  test: string,
  { heading, programs }: { heading: string; programs: string[] },
  fn: (recipe: InstalledRecipe) => Promise<void>,
): Promise<void> {
  await makeClient(test, async (temp) => {
    await need("bash", ...programs);
    const [checkout, folder] = [join(temp, "checkout"), join(temp, "shop")];
    await Deno.mkdir(checkout);
    await Deno.mkdir(folder);
    await Deno.symlink(join(ROOT, "sdk"), join(checkout, "sdk"));
    if (programs.includes("npm")) await packClient(join(checkout, "dist"));
    const recipe = await readRecipe(heading);
    await saveFiles(folder, recipe);
    const env = { CHECKOUT: checkout, NEXT_TELEMETRY_DISABLED: "1", npm_config_prefer_offline: "true" };
    for (const command of recipe.commands.slice(0, -1)) {
      await (INSTALLS.test(command) ? install : run)(folder, ["bash", "-euc", command], env);
    }
    await fn({ folder, start: recipe.commands.at(-1)! });
  });
}

/** Calls `fn` with the server of a recipe on this port; it has these variables and no other settings. */
export async function withRecipeServer(
  { folder, start }: InstalledRecipe,
  { PORT, ...settings }: { PORT: string } & Record<string, string>,
  fn: (server: RecipeServer) => Promise<void>,
): Promise<void> {
  const child = new Deno.Command("bash", {
    args: ["-c", `exec ${start} 2>&1`],
    cwd: folder,
    clearEnv: true,
    env: {
      ...machineEnv(),
      PATH: [dirname(Deno.execPath()), Deno.env.get("PATH")].join(delimiter),
      NO_COLOR: "1",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT,
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${PORT}`,
      ...settings,
    },
    stdin: "null",
    stdout: "piped",
    // In a group of its own: npx does not pass a signal on to what it has started.
    detached: true,
  }).spawn();
  let text = "";
  const printed = child.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (chunk) => void (text += chunk) }),
  );
  const url = `http://127.0.0.1:${PORT}`;
  try {
    await eventually(async () => {
      const response = await fetch(url).catch(() => assert.fail(`${start} does not listen: ${text}`));
      await response.body?.cancel();
    });
    await fn({ url, output: () => text });
  } finally {
    endGroup(child.pid);
    await child.status;
    await printed;
  }
}

/** A server that has ended by itself must not hide why. */
function endGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGTERM");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Returns a port that is free now. */
export function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}

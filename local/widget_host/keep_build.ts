import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildTarget } from "../../cli/widget/headers.ts";
import { sourceKey } from "./source_key.ts";

/** The built files of the widgets. */
export interface KeptBuild {
  /**
   * The folder they are in; builds them first if need be, once however often it is asked.
   *
   * @throws when they cannot be built, with the reason; the next call tries again
   */
  folder(): Promise<string>;
  /** Ends a build under way. */
  stop(): Promise<void>;
}

export interface KeepOptions {
  /** Where builds are kept. */
  directory: string;
  target: BuildTarget & { apiUrl: string };
}

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");

/**
 * Keeps the built widgets in a folder named after their sources, so that only changed ones are built again. Builds in a
 * process of its own: what a bundler needs in memory is gone with it.
 */
export function keepBuild({ directory, target }: KeepOptions): KeptBuild {
  let building: Promise<string> | undefined;
  let process: Deno.ChildProcess | undefined;
  let isStopped = false;

  async function build(): Promise<string> {
    const folder = join(directory, await sourceKey(ROOT, target));
    if (await exists(folder)) return folder;
    // A start that was killed may have left a build behind that is still writing.
    const unfinished = `${folder}.${crypto.randomUUID()}`;
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    await removeOthers(directory);
    if (isStopped) throw new Error("stopped");
    process = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "cli/widget_build.ts", "--out", resolve(unfinished), "--api-url", target.apiUrl],
        ...target.platformUrls.flatMap((url) => ["--platform-url", url]),
      ],
      cwd: ROOT,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      env: { NO_COLOR: "1" },
    }).spawn();
    const { success, stderr } = await process.output();
    process = undefined;
    if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
    await Deno.rename(unfinished, folder);
    return folder;
  }

  return {
    folder() {
      building ??= build().catch((error) => {
        building = undefined;
        throw error;
      });
      return building;
    },
    async stop() {
      isStopped = true;
      process?.kill();
      await building?.catch(() => {});
    },
  };
}

async function removeOthers(directory: string): Promise<void> {
  for await (const { name } of Deno.readDir(directory)) {
    await Deno.remove(join(directory, name), { recursive: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

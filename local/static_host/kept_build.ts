import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The built files of a site. */
export interface KeptBuild {
  /**
   * Returns their folder; builds them once if needed, for any number of requests.
   *
   * @param options `isFresh`: builds them again if their sources changed, for a page that is reloaded
   * @throws when they cannot be built, with the reason; the next call retries
   */
  folder(options?: { isFresh: boolean }): Promise<string>;
  /** Ends a running build. */
  stop(): Promise<void>;
}

export interface KeepOptions {
  /** The folder of the builds. */
  directory: string;
  /** The build's command and its options; `--out` is added. */
  command: string[];
  /** The files and folders that a build is made from, from the root of the repository. */
  sources: string[];
}

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");

/**
 * Keeps a built site in a folder named after its sources, so that only changed ones are built again. Builds in a process
 * of its own, whose memory is freed at its end.
 */
export function keepBuild({ directory, command, sources }: KeepOptions): KeptBuild {
  let building: Promise<string> | undefined;
  const stopping = new AbortController();

  async function build(): Promise<string> {
    const folder = join(directory, await sourceKey(sources, command));
    if (await exists(folder)) return folder;
    // A killed start may have left a build behind that is still writing.
    const unfinished = `${folder}.${crypto.randomUUID()}`;
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    await removeOthers(directory);
    stopping.signal.throwIfAborted();
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ...command, "--out", resolve(unfinished)],
      cwd: ROOT,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      env: { NO_COLOR: "1" },
      signal: stopping.signal,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr).trim());
    await Deno.rename(unfinished, folder);
    return folder;
  }

  /** One build at a time; a failed one is no reason not to retry. */
  function start(): Promise<string> {
    const before = building ?? Promise.resolve();
    const started: Promise<string> = before.catch(() => {}).then(build);
    started.catch(() => {
      if (building === started) building = undefined;
    });
    return building = started;
  }

  return {
    folder({ isFresh } = { isFresh: false }) {
      return isFresh || building === undefined ? start() : building;
    },
    async stop() {
      stopping.abort();
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

/** Names the build of these sources, by this Deno and this command: an equal name needs no new build. */
async function sourceKey(sources: string[], command: string[]): Promise<string> {
  const files = (await Promise.all(sources.map(filesIn))).flat().sort();
  const parts = [Deno.version.deno, ...command];
  for (const file of files) parts.push(file, await Deno.readTextFile(join(ROOT, file)));
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 24);
}

async function filesIn(name: string): Promise<string[]> {
  const path = join(ROOT, name);
  if (!(await Deno.stat(path)).isDirectory) return [name];
  const entries = await Array.fromAsync(Deno.readDir(path));
  return (await Promise.all(entries.map((entry) => filesIn(`${name}/${entry.name}`)))).flat();
}

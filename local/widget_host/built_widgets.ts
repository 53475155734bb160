import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { within } from "../../cli/service/stopping.ts";
import { type BuildTarget, headersFor, pagePolicy } from "../../cli/widget_build/headers.ts";

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** The paths of built files; the host serves nothing else in or above the folder. */
const BUILT = /^\/(?:assets\/)?[\w-]+\.(css|html|js|json|txt)$/;

/** The longest wait of a request for the first build. */
const BUILD_TIMEOUT_MS = 20_000;

/** Serves one file of the build, as a static host would; undefined for paths that no build has. */
export async function serveBuiltFile(
  build: KeptBuild,
  path: string,
  target: BuildTarget,
): Promise<Response | undefined> {
  const kind = BUILT.exec(path)?.[1];
  if (kind === undefined) return undefined;
  const building = build.folder();
  if (!await within(BUILD_TIMEOUT_MS, building).catch(() => false)) return notBuilt();
  const folder = await building;
  const file = await Deno.open(join(folder, path)).catch(() => undefined);
  if (!file) return undefined;
  const policy = kind === "html" && { "Content-Security-Policy": pagePolicy(path.slice(1), target) };
  return new Response(file.readable, {
    headers: { ...headersFor(path), "Content-Type": TYPES[kind]!, ...policy },
  });
}

function notBuilt(): Response {
  return new Response("The widgets are not built; the log of the start says why if they cannot be.\n", {
    status: 503,
    headers: { "Content-Type": TYPES.txt!, "Retry-After": "5", "Access-Control-Allow-Origin": "*" },
  });
}

/** The built files of the widgets. */
export interface KeptBuild {
  /**
   * Returns their folder; builds them once if needed, for any number of requests.
   *
   * @throws when they cannot be built, with the reason; the next call retries
   */
  folder(): Promise<string>;
  /** Ends a running build. */
  stop(): Promise<void>;
}

export interface KeepOptions {
  /** The folder of the builds. */
  directory: string;
  target: BuildTarget & { apiUrl: string };
}

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");

/**
 * Keeps the built widgets in a folder named after their sources, so that only changed ones are built again. Builds in a
 * process of its own, whose memory is freed at its end.
 */
export function keepBuild({ directory, target }: KeepOptions): KeptBuild {
  let building: Promise<string> | undefined;
  const stopping = new AbortController();

  async function build(): Promise<string> {
    const folder = join(directory, await sourceKey(ROOT, target));
    if (await exists(folder)) return folder;
    // A killed start may have left a build behind that is still writing.
    const unfinished = `${folder}.${crypto.randomUUID()}`;
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    await removeOthers(directory);
    stopping.signal.throwIfAborted();
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "cli/widget_build.ts", "--out", resolve(unfinished), "--api-url", target.apiUrl],
        ...target.platformUrls.flatMap((url) => ["--platform-url", url]),
      ],
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

  return {
    folder() {
      building ??= build().catch((error) => {
        building = undefined;
        throw error;
      });
      return building;
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

/** The sources of the built files, below the root of the repository. */
const SOURCES = ["widget", "cli/widget", "cli/widget_build.ts", "import_map.json", "deno.json"];

/** Names the build of these sources, by this Deno, for this target: an equal name needs no new build. */
async function sourceKey(root: string, { apiUrl, platformUrls }: BuildTarget): Promise<string> {
  const files = (await Promise.all(SOURCES.map((name) => filesIn(root, name)))).flat().sort();
  const parts = [Deno.version.deno, `${apiUrl}`, ...platformUrls];
  for (const file of files) parts.push(file, await Deno.readTextFile(join(root, file)));
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 24);
}

async function filesIn(root: string, name: string): Promise<string[]> {
  if (!(await Deno.stat(join(root, name))).isDirectory) return [name];
  const entries = await Array.fromAsync(Deno.readDir(join(root, name)));
  return (await Promise.all(entries.map((entry) => filesIn(root, `${name}/${entry.name}`)))).flat();
}

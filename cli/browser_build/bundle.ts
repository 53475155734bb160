import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";

/** A file made by `deno bundle` from sources of this repository. */
export interface BundleOptions {
  /** From the root of the repository. */
  entry: string;
  /** `iife` for a script that any page may load, `esm` for a module of ours. */
  format: "iife" | "esm";
  /** `deno` for what runs in Node too. @default {"browser"} */
  platform?: "browser" | "deno";
}

/** Bundles and minifies one file. */
export async function bundleFile(
  root: string,
  { entry, format, platform = "browser" }: BundleOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  return await withTempFolder(async (folder) => {
    const output = join(folder, entry.endsWith(".css") ? "part.css" : "part.js");
    await runDeno(root, ["bundle", ...how(platform), "--format", format, "--output", output, entry]);
    return await Deno.readFile(output);
  });
}

/** The files of a module that loads parts of itself when it needs them. */
export interface SplitBundle {
  entry: Uint8Array<ArrayBuffer>;
  /** By name. A chunk's name has a hash, and the others import it by that name. */
  chunks: Map<string, Uint8Array<ArrayBuffer>>;
}

/** Bundles a module so that what it imports dynamically becomes files of their own. */
export async function bundleSplit(root: string, entry: string): Promise<SplitBundle> {
  return await withTempFolder(async (folder) => {
    await runDeno(root, [
      "bundle",
      ...how("browser"),
      "--format",
      "esm",
      "--code-splitting",
      "--outdir",
      folder,
      entry,
    ]);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    const files = new Map(names.map((name) => [name, Deno.readFileSync(join(folder, name))]));
    const [entryName] = names.filter((name) => !CHUNK.test(name));
    const chunks = new Map([...files].filter(([name]) => name !== entryName));
    return { entry: files.get(entryName!)!, chunks };
  });
}

function how(platform: string): string[] {
  return ["--quiet", "--platform", platform, "--minify"];
}

/** How `deno bundle` names what it splits off. */
const CHUNK = /-[A-Z0-9]{8}\.js$/;

/** Returns the chunks that files need before they run, with what those need. */
export function neededChunks(
  files: Uint8Array<ArrayBuffer>[],
  chunks: SplitBundle["chunks"],
  found = new Set<string>(),
): string[] {
  const texts = files.map((file) => new TextDecoder().decode(file));
  for (const [, name] of texts.join("\n").matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    const chunk = chunks.get(name!);
    if (chunk === undefined || found.has(name!)) continue;
    neededChunks([chunk], chunks, found.add(name!));
  }
  return [...found];
}

async function withTempFolder<T>(fn: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "outbound-bundle-" });
  try {
    return await fn(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Runs this Deno in `root` and returns its output.
 *
 * @throws {CommandError} `build_failed` with its error output
 */
export async function runDeno(root: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    stdin: "null",
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  const output = new TextDecoder().decode(stderr).trim();
  throw new CommandError("build_failed", `deno ${args[0]} failed: ${output}`);
}

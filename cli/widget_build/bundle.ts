import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import type { BundledPart } from "./parts.ts";

/** Bundles and minifies one part for browsers. */
export async function bundlePart(
  root: string,
  { entry, format }: BundledPart,
): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await Deno.makeTempDir({ prefix: "outbound-widget-" });
  try {
    const output = join(folder, entry.endsWith(".css") ? "part.css" : "part.js");
    const how = ["--quiet", "--platform", "browser", "--format", format, "--minify"];
    await runDeno(root, ["bundle", ...how, "--output", output, join("widget", entry)]);
    return await Deno.readFile(output);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Runs this Deno in the repository and returns its output.
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

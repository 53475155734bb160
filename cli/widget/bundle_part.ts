import { join } from "node:path";
import type { BundledPart } from "./parts.ts";
import { runDeno } from "./run_deno.ts";

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

import { join } from "node:path";
import type { BuildTarget } from "../../cli/widget/headers.ts";

/** What the built files depend on, below the root of the repository. */
const SOURCES = ["widget", "cli/widget", "cli/widget_build.ts", "import_map.json", "deno.json"];

/** A name for what a build of these sources, by this Deno, for this target would give: the same again needs no new build. */
export async function sourceKey(root: string, { apiUrl, platformUrls }: BuildTarget): Promise<string> {
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

import { join } from "node:path";
import { archiveFolder, type Sources } from "./sources.ts";

const FOLDER = "sdk/go";

/**
 * Writes the Go module into `out` as a proxy of modules has it, so that `GOPROXY=file://` serves it.
 *
 * @param version with its `v`
 * @returns the paths of the files
 */
export async function writeGoModule(sources: Sources, out: string, version: string): Promise<string[]> {
  const mod = await Deno.readTextFile(join(sources.folder, FOLDER, "go.mod"));
  const name = /^module (\S+)$/m.exec(mod)![1]!;
  const folder = join(name, "@v");
  const info = { Version: version, Time: sources.time.toISOString().replace(".000Z", "Z") };
  await Deno.mkdir(join(out, folder), { recursive: true });
  await Deno.writeTextFile(join(out, folder, "list"), `${version}\n`);
  await Deno.writeTextFile(join(out, folder, `${version}.info`), `${JSON.stringify(info)}\n`);
  await Deno.writeTextFile(join(out, folder, `${version}.mod`), mod);
  const zip = { path: FOLDER, prefix: `${name}@${version}/`, format: "zip" } as const;
  await archiveFolder(sources, { ...zip, out: join(out, folder, `${version}.zip`) });
  return ["list", ...["info", "mod", "zip"].map((kind) => `${version}.${kind}`)]
    .map((file) => join(folder, file));
}

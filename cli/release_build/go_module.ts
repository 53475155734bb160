import { join } from "node:path";
import { zipSync } from "fflate";
import { listFiles, type Sources } from "./sources.ts";

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
  await Deno.writeFile(join(out, folder, `${version}.zip`), await zipModule(sources, `${name}@${version}`));
  return ["list", ...["info", "mod", "zip"].map((kind) => `${version}.${kind}`)]
    .map((file) => join(folder, file));
}

/** Zips the module as Go does: its checksum counts every entry, so there are none for folders. */
async function zipModule(sources: Sources, prefix: string): Promise<Uint8Array<ArrayBuffer>> {
  const files: Record<string, Uint8Array> = {};
  for (const file of await listFiles(sources, FOLDER)) {
    files[`${prefix}/${file}`] = await Deno.readFile(join(sources.folder, FOLDER, file));
  }
  // A zip has local times; this one is the same everywhere.
  return zipSync(files, { mtime: new Date(1980, 0, 1) });
}

import { join } from "node:path";

/** The files that a download leaves behind; Deno works out everything else when programs start. */
const DOWNLOADED = ["npm", "dl"];

/** Makes a `DENO_DIR` like the one after the download: the packages are there, and no compiled or analysed code. */
export async function denoFolderAsDownloaded(folder: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const original = JSON.parse(new TextDecoder().decode(stdout)).denoDir;
  const made = await Deno.makeTempDir({ dir: folder, prefix: "deno-" });
  for await (const { name } of Deno.readDir(original)) {
    if (DOWNLOADED.includes(name)) await Deno.symlink(join(original, name), join(made, name));
  }
  return made;
}

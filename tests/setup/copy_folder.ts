import { join } from "node:path";

/** Copies a folder with everything in it, links left out. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    if (isFile) await Deno.copyFile(join(from, name), join(to, name));
  }
}

import { join } from "node:path";

/** Copies a folder with everything in it; links stay links. */
export async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isDirectory) await copyTree(source, target);
    else if (isSymlink) await Deno.symlink(await Deno.readLink(source), target);
    else await Deno.copyFile(source, target);
  }
}

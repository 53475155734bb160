import { fileURLToPath } from "node:url";

/** The folder of all functions. */
export const FUNCTIONS = fileURLToPath(new URL("../../../supabase/functions", import.meta.url));

/** The folders that hold routes: those of the functions, and those of routes that `notify` mounts. */
export async function routeFolders(): Promise<string[]> {
  const folders: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(FUNCTIONS)) {
    if (isDirectory && /^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) folders.push(name);
  }
  return folders.sort();
}

/** The slugs of all functions: the folders with an `index.ts`, as the Supabase CLI finds them. */
export async function functionSlugs(): Promise<string[]> {
  const hasIndex = (slug: string) => Deno.stat(`${FUNCTIONS}/${slug}/index.ts`).then(() => true, () => false);
  const folders = await routeFolders();
  const found = await Promise.all(folders.map(hasIndex));
  return folders.filter((_, index) => found[index]);
}

/** The slugs that `supabase functions deploy` uploads. `main` is for hosting without Supabase. */
export async function deployedSlugs(): Promise<string[]> {
  return (await functionSlugs()).filter((slug) => slug !== "main");
}

import { fileURLToPath } from "node:url";

/** The folder of all functions. */
export const FUNCTIONS = fileURLToPath(new URL("../../supabase/functions", import.meta.url));

/** The slugs of all functions: the folders with an `index.ts`, as the Supabase CLI finds them. */
export async function functionSlugs(): Promise<string[]> {
  const slugs: string[] = [];
  for await (const entry of Deno.readDir(FUNCTIONS)) {
    const isFunction = /^[A-Za-z][A-Za-z0-9_-]*$/.test(entry.name) &&
      await Deno.stat(`${FUNCTIONS}/${entry.name}/index.ts`).then(() => true, () => false);
    if (isFunction) slugs.push(entry.name);
  }
  return slugs.sort();
}

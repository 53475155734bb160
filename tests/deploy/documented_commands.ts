import { ACCESS_TOKEN, PROJECT_REF } from "./management_api.ts";

/** Values in place of the dots, by the setting they stand behind. */
const VALUES: Record<string, string> = { SUPABASE_ACCESS_TOKEN: ACCESS_TOKEN };

/**
 * The shell blocks of a page between two texts, in one script, with the placeholders filled in.
 *
 * @param page relative to the root of the project
 */
export async function documentedCommands(page: string, from: string, to: string): Promise<string> {
  const text = await Deno.readTextFile(new URL(`../../${page}`, import.meta.url));
  const section = text.split(from)[1]?.split(to)[0] ?? "";
  const blocks = [...section.matchAll(/^( *)```bash\n(.*?)^\1```$/gms)].map(([, , block]) => block!);
  return blocks.join("\n").replaceAll("<ref>", PROJECT_REF)
    .replaceAll(/(\w+)=…/g, (_, name) => `${name}=${VALUES[name] ?? "test"}`);
}

import { join } from "node:path";

/** For people who change the code or plan a large deployment: an agent with little room may leave these out. */
const OPTIONAL = new Set([
  "architecture.md",
  "larger_deployment.md",
  "performance.md",
  "states.md",
]);

const INTRODUCTION =
  "A running service describes its API at `/functions/v1/openapi.json` (on Supabase at `/functions/v1/openapi`), " +
  "and has tools for AI agents at `/functions/v1/mcp`.";

/** Returns the names of the pages in `docs/`, sorted. */
export function listDocs(root: string): string[] {
  return [...Deno.readDirSync(join(root, "docs"))].map(({ name }) => name)
    .filter((name) => name.endsWith(".md")).sort();
}

/**
 * Makes the text of `docs/llms.txt`, in the form of llmstxt.org: the title and first sentence of README.md, then each page
 * with its title and first sentence.
 *
 * @param root the folder of the project
 */
export async function makeLlmsText(root: string): Promise<string> {
  const readme = describePage(await Deno.readTextFile(join(root, "README.md")));
  const names = listDocs(root);
  const lines = await Promise.all(names.map(async (name) => {
    const { title, sentence } = describePage(await Deno.readTextFile(join(root, "docs", name)));
    return [name, `- [${title}](${name}): ${sentence}`] as const;
  }));
  const section = (
    heading: string,
    isOptional: boolean,
  ) => [
    `## ${heading}`,
    "",
    ...lines.filter(([name]) => OPTIONAL.has(name) === isOptional).map(([, line]) => line),
    "",
  ];
  return [
    `# ${readme.title}`,
    "",
    `> ${readme.sentence}`,
    "",
    INTRODUCTION,
    "",
    ...section("Docs", false),
    ...section("Optional", true),
  ].join("\n");
}

function describePage(text: string): { title: string; sentence: string } {
  const [heading = "", paragraph = ""] = text.split("\n\n");
  const plain = withoutLinks(paragraph.replaceAll("\n", " "));
  const sentence = plain.slice(0, plain.search(/\.(?:\s|$)|:$/) + 1);
  return { title: heading.replace(/^# /, ""), sentence: sentence.replace(/:$/, ".") };
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, "$1");
}

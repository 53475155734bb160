import assert from "node:assert/strict";
import { join } from "node:path";
import { codesIn, listPages, readPage, ROOT, tableBelow } from "./read_page.ts";

/** Returns the text of all files below a folder whose names end in `ending`. */
async function textOf(folder: string, ending: string): Promise<string> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    if (isDirectory) texts.push(await textOf(`${folder}/${name}`, ending));
    else if (name.endsWith(ending)) texts.push(await Deno.readTextFile(join(ROOT, folder, name)));
  }
  return texts.join("\n");
}

/** Returns a heading's anchor in a link, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[`*]/g, "").replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(
    " ",
    "-",
  );
}

Deno.test("every link between the pages leads to a file and a heading that exist", async () => {
  const pages = [...await listPages(), "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, target] of (await readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue;
      const [path, anchor] = target!.split("#") as [string, string?];
      const file = path === "" ? page : join(page, "..", path);
      const text = await readPage(file).catch(() => undefined);
      const headings = (text ?? "").split("\n").filter((line) => /^#+ /.test(line));
      const anchors = headings.map((line) => anchorOf(line.replace(/^#+ /, "")));
      if (text === undefined || (anchor && !anchors.includes(anchor))) broken.push(`${page}: ${target}`);
    }
  }

  assert.deepEqual(broken, []);
});

Deno.test("docs/states.md names SQL functions that exist", async () => {
  const page = await readPage("docs/states.md");
  const sql = await textOf("supabase", ".sql");
  const named = [
    ...tableBelow(page, "### Every transition").flatMap(([, , by]) => codesIn(by!)),
    ...tableBelow(page, "## Senders").flatMap(([move, by]) => move!.includes("→") ? codesIn(by!) : []),
    ...tableBelow(page, "## Templates").flatMap(([by]) => codesIn(by!).slice(0, 1)),
    ...tableBelow(page, "## Conversations and handoffs").flatMap(([, by]) => codesIn(by!)),
  ].filter((name) => /^[a-z]+(_[a-z]+)*$/.test(name) && !/_update$/.test(name));

  assert.ok(named.length > 20);
  const missing = named.filter((name) => !sql.includes(`function outbound.${name}(`));
  assert.deepEqual(missing, []);
});

Deno.test("docs/operations.md names log lines that the code writes", async () => {
  const page = await readPage("docs/operations.md");
  const source = [await textOf("supabase/functions", ".ts"), await textOf("cli", ".ts")].join("\n");
  const watched = tableBelow(page, "## What to watch").find(([what]) =>
    what === "log lines of level `error`"
  );
  const outages = tableBelow(page, "### Messages go out and nothing comes in");
  const named = [...codesIn(watched?.[1] ?? ""), ...outages.flatMap(([line]) => codesIn(line!))];

  assert.ok(named.length > 5);
  assert.deepEqual(named.filter((line) => !source.includes(line)), []);
});

import assert from "node:assert/strict";
import { makeLlmsText } from "../../cli/docs/llms_text.ts";
import { listPages, readPage, ROOT } from "./read_page.ts";

Deno.test("docs/llms.txt is what deno task docs:llms writes: every page, with its title and first sentence", async () => {
  const text = await readPage("docs/llms.txt");

  assert.equal(text, await makeLlmsText(ROOT), "run deno task docs:llms");
  const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .{20,}\.$/gm)].map(([, name]) =>
    `docs/${name}`
  );
  const pages = (await listPages()).filter((page) => page !== "README.md");
  assert.deepEqual(listed.sort(), pages);
});

import assert from "node:assert/strict";
import { READ_TOOLS, WRITE_TOOLS } from "../../supabase/functions/mcp/tools/all_tools.ts";
import { codesIn, readPage, tableBelow } from "./read_page.ts";

Deno.test("docs/agents.md lists every tool with its role and permission, and no other", async () => {
  const page = await readPage("docs/agents.md");
  for (const [heading, tools] of [["### Reading", READ_TOOLS], ["### Changing", WRITE_TOOLS]] as const) {
    const listed = tableBelow(page, heading).map(([tool, , role, permission]) => [
      codesIn(tool!)[0],
      codesIn(role!)[0],
      permission === "of the channel" ? "channel" : codesIn(permission!)[0] ?? null,
    ]);

    assert.deepEqual(listed, tools.map(({ name, role, permission }) => [name, role, permission]));
  }
});

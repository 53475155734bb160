import assert from "node:assert/strict";
import { searchTool } from "../../../widget/voice/voice_api.ts";

Deno.test("searchTool() gives the agent what was found as text, and says when nothing was", async () => {
  const asked: string[] = [];
  const found = [{ title: "Returns", text: "Within 30 days.", url: "https://shop.example/returns" }];
  const search = (_token: string, query: string) => {
    asked.push(query);
    return Promise.resolve(query === "returns" ? found : []);
  };
  const tool = searchTool({ search }, "token");

  assert.equal(await tool({ query: "returns" }), "Returns\nWithin 30 days.\nhttps://shop.example/returns");
  assert.equal(await tool({ query: 7 }), "Nothing was found.");
  assert.equal(await tool({}), "Nothing was found.");
  assert.deepEqual(asked, ["returns", "7", ""]);
});

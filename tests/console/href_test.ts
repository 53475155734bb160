import assert from "node:assert/strict";
import { hrefTo, parseRoute } from "../../console/data/href.ts";

Deno.test("hrefTo() and parseRoute() are each other's opposite, whatever is in path and query", () => {
  for (const path of [[], ["a"], ["a b", "c/d", "e?f", "g#h", "%", "ñ"]]) {
    for (const query of [{}, { code: "131026", name: "a & b = c ? d # é" }]) {
      assert.deepEqual(parseRoute(hrefTo(path, query)), { path, query });
    }
  }
});

Deno.test("hrefTo() leaves out what is not given", () => {
  assert.equal(hrefTo(["x"], { a: "", b: undefined, c: "1" }), "#/x?c=1");
});

Deno.test("parseRoute() reads a broken address as text", () => {
  assert.deepEqual(parseRoute("#/%E0%A4%A"), { path: ["%E0%A4%A"], query: {} });
  assert.deepEqual(parseRoute(""), { path: [], query: {} });
});

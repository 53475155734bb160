import assert from "node:assert/strict";
import { linkTo, readPlace } from "../../console/data/links.ts";

Deno.test("linkTo() and readPlace() are each other's opposite, whatever is in path and query", () => {
  for (const path of [[], ["a"], ["a b", "c/d", "e?f", "g#h", "%", "ñ"]]) {
    for (const query of [{}, { code: "131026", name: "a & b = c ? d # é" }]) {
      assert.deepEqual(readPlace(linkTo(path, query)), { path, query });
    }
  }
});

Deno.test("linkTo() leaves out what is not given", () => {
  assert.equal(linkTo(["x"], { a: "", b: undefined, c: "1" }), "#/x?c=1");
});

Deno.test("readPlace() reads a broken address as text", () => {
  assert.deepEqual(readPlace("#/%E0%A4%A"), { path: ["%E0%A4%A"], query: {} });
  assert.deepEqual(readPlace(""), { path: [], query: {} });
});

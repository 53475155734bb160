import assert from "node:assert/strict";
import { fitsPath, parseProactive } from "../../../widget/loader/proactive.ts";

Deno.test("fitsPath() takes a path as it is, and * for any text", () => {
  const cases: [pattern: string, path: string, fits: boolean][] = [
    ["/pricing", "/pricing", true],
    ["/pricing", "/pricing/", false],
    ["/*", "/", true],
    ["/shop/*", "/shop/shoes/1", true],
    ["/shop/*", "/shop", false],
    ["/*/checkout", "/es/checkout", true],
    ["/*/checkout", "/checkout", false],
    ["/a*b*c", "/a-b-c", true],
    ["/a*b*c", "/a-c-b", false],
    ["/ab*ba", "/aba", false],
  ];
  for (const [pattern, path, fits] of cases) {
    assert.equal(fitsPath(pattern, path), fits, `${pattern} ${path}`);
  }
});

Deno.test("parseProactive() leaves out what is no message", () => {
  const good = { text: "Hello", path: "/*", delay_s: 5 };
  assert.deepEqual(parseProactive([good, { text: 5 }, { ...good, path: 1 }, { ...good, delay_s: "soon" }]), [
    { text: "Hello", path: "/*", delayS: 5 },
  ]);
  assert.deepEqual(parseProactive("none"), []);
});

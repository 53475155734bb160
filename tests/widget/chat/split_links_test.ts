import assert from "node:assert/strict";
import fc from "fast-check";
import { splitLinks } from "../../../widget/chat/messages/split_links.ts";

const links = (text: string) => splitLinks(text).filter(({ isLink }) => isLink).map((piece) => piece.text);

Deno.test("splitLinks() finds https addresses without the sentence's own signs", () => {
  assert.deepEqual(links("See https://a.example/b?c=d#e. Or (https://b.example/x)!"), [
    "https://a.example/b?c=d#e",
    "https://b.example/x",
  ]);
});

Deno.test("splitLinks() makes no link of anything else", () => {
  for (const text of ["http://a.example", "javascript:alert(1)", "https://", "ftp://x", "a.example"]) {
    assert.deepEqual(links(text), []);
  }
});

Deno.test("splitLinks() loses nothing", () => {
  fc.assert(fc.property(fc.array(fc.constantFrom("https://", "a.b", " ", ".", "<", "é", "\n")), (parts) => {
    const text = parts.join("");
    assert.equal(splitLinks(text).map((piece) => piece.text).join(""), text);
  }));
});

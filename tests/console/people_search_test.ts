import assert from "node:assert/strict";
import { isLikeNumber, searchable } from "../../console/data/contact_text.ts";
import { readTags } from "../../console/screens/contacts/contact_text.ts";

Deno.test("searchable() is the text from three letters or digits of a number on, as the API counts them", () => {
  assert.deepEqual([undefined, "", "An", "0 60", "+34 "].map(searchable), Array(5).fill(undefined));
  assert.deepEqual([" Ana ", "0600", "611 000 031"].map(searchable), ["Ana", "0600", "611 000 031"]);
});

Deno.test("isLikeNumber() takes any spelling of a whole number, and no name", () => {
  assert.deepEqual(["611 000 031", "+34 (611) 000-031", "0034611000031"].map(isLikeNumber), [
    true,
    true,
    true,
  ]);
  assert.deepEqual(["611 000", "Ana 34611000031", ""].map(isLikeNumber), [false, false, false]);
});

Deno.test("readTags() divides at commas, and keeps each tag once", () => {
  assert.deepEqual(readTags(" vip, new ,,vip"), ["vip", "new"]);
});

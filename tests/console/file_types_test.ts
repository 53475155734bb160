import assert from "node:assert/strict";
import { FILE_TYPES, kindOfFile, typeOfFile } from "../../console/screens/inbox/thread/file_types.ts";
import { kindOfType, MAX_BYTES, MEDIA_TYPES } from "../../supabase/functions/_shared/media/media_types.ts";

Deno.test("the console sends the files that the API takes, as the same kinds and up to the same sizes", () => {
  const types = Object.values(FILE_TYPES).flatMap(({ types }) => types);

  assert.deepEqual(types.toSorted(), MEDIA_TYPES.toSorted());
  for (const type of types) assert.equal(kindOfFile({ type }), kindOfType(type), type);
  for (const [kind, { maxBytes }] of Object.entries(FILE_TYPES)) {
    assert.equal(maxBytes, MAX_BYTES[kind as keyof typeof MAX_BYTES]);
  }
});

Deno.test("a type of a browser's own is named as the API names it", () => {
  assert.equal(typeOfFile({ type: "audio/x-m4a" }), "audio/mp4");
  assert.equal(typeOfFile({ type: "audio/ogg; codecs=opus" }), "audio/ogg");
  assert.equal(kindOfFile({ type: "text/csv" }), "document");
  assert.equal(kindOfFile({ type: "text/html" }), undefined);
  assert.equal(kindOfFile({ type: "" }), undefined);
});

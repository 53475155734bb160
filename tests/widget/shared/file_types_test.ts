import assert from "node:assert/strict";
import { FILE_TYPES, kindOfFile, typeOfFile } from "../../../widget/shared/file_types.ts";
import { refusalOf } from "../../../widget/chat/composing/refusal_of.ts";
import { MAX_VISITOR_FILE_BYTES } from "../../../supabase/functions/_shared/media/visitor_file.ts";
import { kindOfType, MAX_BYTES, MEDIA_TYPES } from "../../../supabase/functions/_shared/media/media_types.ts";

Deno.test("the console and the chat send the files that the API takes, as the same kinds and up to the same sizes", () => {
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

Deno.test("the chat refuses what the API would: other types, empty files and larger ones", () => {
  const type = "image/png";

  assert.equal(refusalOf({ type, size: MAX_VISITOR_FILE_BYTES }), undefined);
  assert.equal(refusalOf({ type, size: MAX_VISITOR_FILE_BYTES + 1 }), "file_too_large");
  assert.equal(refusalOf({ type, size: 0 }), "file_refused");
  assert.equal(refusalOf({ type: "image/svg+xml", size: 1 }), "file_type");
});

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isOneLine,
  isPlainText,
  terminalJson,
} from "../../../supabase/functions/_shared/values/control_characters.ts";
import { showControls } from "../../../supabase/functions/_shared/show_controls.js";

/** Clear the screen, set the clipboard, a C1 escape, turn the text round. */
const ATTACK = "hi \x1b[2J \x1b]52;c;ZXZpbA==\x07 \x9b31m \u202egpj.exe\u202c";
const STEERING = /[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/u;

Deno.test("isOneLine() and isPlainText() accept what people write and refuse control characters", () => {
  const names = ["Ana", "Müller & Söhne", "株式会社", "مرحبا\u200f", "👩‍👩‍👧", "e\u0301", ""];

  for (const name of names) assert.deepEqual([isOneLine(name), isPlainText(name)], [true, true], name);
  assert.deepEqual([isOneLine("a\nb"), isPlainText("a\nb\tc\r\n")], [false, true]);
  for (const control of ["\0", "\x07", "\x08", "\r", "\x1b", "\x7f", "\x85", "\x9b"]) {
    assert.deepEqual([isOneLine(`a${control}b`), isPlainText(`a${control}b`)], [false, false]);
  }
});

Deno.test("showControls() shows what would steer a terminal, and leaves the rest", () => {
  assert.equal(
    showControls(ATTACK),
    "hi <U+001B>[2J <U+001B>]52;c;ZXZpbA==<U+0007> <U+009B>31m <U+202E>gpj.exe<U+202C>",
  );
  assert.equal(showControls("over\rwritten"), "over<U+000D>written");
  assert.equal(showControls("a,b\r\n"), "a,b\r\n");
  assert.equal(showControls("two\nlines\tand a tab, naïve 😀"), "two\nlines\tand a tab, naïve 😀");
});

Deno.test("terminalJson() is the same value, in characters that steer no terminal", () => {
  const value = fc.jsonValue({ stringUnit: "binary" });
  fc.assert(fc.property(value, (given) => {
    const json = terminalJson(given);
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(given)));
    assert.doesNotMatch(json, STEERING);
  }));
  assert.equal(terminalJson({ text: ATTACK }).includes("\\u009b31m \\u202egpj.exe"), true);
  assert.deepEqual(JSON.parse(terminalJson({ text: ATTACK })), { text: ATTACK });
});

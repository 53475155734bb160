import assert from "node:assert/strict";
import { checkWords } from "./check_words.ts";

Deno.test("checkWords() names the line, the word and a better one", () => {
  const text = "/** Counts. */\nconst MOST_TRIES = 5;\n";

  assert.deepEqual(checkWords("cli/a.ts", text), ["cli/a.ts:2: 'MOST_T', better: MAX_…"]);
});

Deno.test("checkWords() finds rates with 'a' and sentences that start with a relative clause", () => {
  assert.equal(checkWords("docs/a.md", "Up to 600 requests a minute").length, 1);
  assert.equal(checkWords("cli/a.ts", "/** What a key may do. */").length, 1);
  assert.equal(checkWords("supabase/schemas/a.sql", "-- Who holds the lease").length, 1);
});

Deno.test("checkWords() lets visitors be told and calls be answered", () => {
  assert.deepEqual(checkWords("widget/voice/view.ts", 'const text = "Try again";'), []);
  assert.deepEqual(checkWords("docs/voice.md", "A call that a machine answers"), []);
});

Deno.test("checkWords() takes plain sentences", () => {
  const text = "/** Returns the permissions of a key: five per second. */";

  assert.deepEqual(checkWords("cli/a.ts", text), []);
});

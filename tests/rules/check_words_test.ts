import assert from "node:assert/strict";
import { checkWords } from "./check_words.ts";

Deno.test("checkWords() names the line, the word and a better one", () => {
  const text = "/** Counts. */\nconst MOST_ROWS = 5;\n";

  assert.deepEqual(checkWords("cli/a.ts", text), ["cli/a.ts:2: 'MOST_R', better: MAX_…"]);
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

Deno.test("checkWords() finds place as an identifier, and leaves it in ordinary sentences", () => {
  for (
    const text of ["const place = 1;", "order by v.place", "places.map(show)", "interface ChangePlace {"]
  ) {
    assert.equal(checkWords("cli/a.ts", text).length, 1, text);
  }
  assert.deepEqual(
    checkWords("cli/a.ts", "/** In place of a list. It takes its place, and places a call. */"),
    [],
  );
});

Deno.test("checkWords() finds actors without a name, except in texts that members read and in made-up ids", () => {
  assert.equal(checkWords("docs/a.md", "It waits until somebody pauses it").length, 1);
  assert.deepEqual(checkWords("console/i18n/en.ts", 'waiting: "Nobody waits",'), []);
  assert.deepEqual(checkWords("tests/e2e/a_test.ts", 'recipient_id: "nobody"'), []);
});

import assert from "node:assert/strict";
import { dispositionOf } from "../../../../supabase/functions/_shared/http/app/platform_file.ts";

Deno.test("dispositionOf() writes a name in plain ASCII and in full, without what a path or a terminal reads", () => {
  assert.equal(
    dispositionOf("inline", 'Ünï/"x"\u202e.png'),
    "inline; filename=\"_n___x__.png\"; filename*=UTF-8''%C3%9Cn%C3%AF__x__.png",
  );
});

Deno.test("dispositionOf() cuts a long name before its ending: it says how a file opens", () => {
  const disposition = dispositionOf("attachment", `${"a".repeat(146)}.bat${"b".repeat(80)}.txt`);

  assert.match(disposition, /^attachment; filename="a{146}\.bat\.txt";/);
});

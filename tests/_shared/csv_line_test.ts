import assert from "node:assert/strict";
import { csvLine } from "../../supabase/functions/_shared/csv_line.ts";

Deno.test("csvLine() quotes what RFC 4180 says must be quoted, and nothing else", () => {
  assert.equal(csvLine(["plain", "two words", "", null, 0]), "plain,two words,,,0\r\n");
  assert.equal(csvLine(["a,b", 'a"b', "a\nb", "a\r\nb"]), '"a,b","a""b","a\nb","a\r\nb"\r\n');
});

Deno.test("csvLine() keeps a text from being run as a formula", () => {
  for (const start of ["=", "+", "-", "@", "＝", "＋", "－", "＠"]) {
    assert.equal(csvLine([`${start}1`]), `'${start}1\r\n`);
  }
  assert.equal(csvLine(["\tx", "\rx", "\nx"]), `'\tx,"'\rx","'\nx"\r\n`);
  assert.equal(csvLine(['=HYPERLINK("http://x","y")']), `"'=HYPERLINK(""http://x"",""y"")"\r\n`);
  assert.equal(csvLine(["a=1", "1-2", "a@b"]), "a=1,1-2,a@b\r\n");
});

Deno.test("csvLine() leaves numbers alone", () => {
  assert.equal(csvLine([-1, 2.5]), "-1,2.5\r\n");
});

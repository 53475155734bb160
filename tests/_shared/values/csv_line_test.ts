import assert from "node:assert/strict";
import fc from "fast-check";
import { csvLine } from "../../../supabase/functions/_shared/values/csv_line.ts";

Deno.test("csvLine() quotes what RFC 4180 says must be quoted, and nothing else", () => {
  assert.equal(csvLine(["plain", "two words", "", null, 0]), "plain,two words,,,0\r\n");
  assert.equal(csvLine(["a,b", 'a"b', "a\nb", "a\r\nb"]), '"a,b","a""b","a\nb","a\r\nb"\r\n');
});

Deno.test("csvLine() keeps a text from being run as a formula", () => {
  for (const start of ["=", "+", "-", "@", "＝", "＋", "－", "＠"]) {
    assert.equal(csvLine([`${start}1`]), `'${start}1\r\n`);
  }
  assert.equal(csvLine(["\tx", "\rx", "\nx"]), `"'\tx","'\rx","'\nx"\r\n`);
  assert.equal(csvLine(['=HYPERLINK("http://x","y")']), `"'=HYPERLINK(""http://x"",""y"")"\r\n`);
  assert.equal(csvLine(["a=1", "1-2", "a@b"]), "a=1,1-2,a@b\r\n");
});

Deno.test("csvLine() leaves numbers alone", () => {
  assert.equal(csvLine([-1, 2.5]), "-1,2.5\r\n");
});

Deno.test("csvLine() keeps a text from being run where a spreadsheet splits at semicolons, tabs or lines", () => {
  for (const separator of [";", "\t", "\r", "\n", "; ", ";\t", ';"']) {
    const cell = separator.replaceAll('"', '""');
    assert.equal(csvLine([`a${separator}=1+1;b`]), `"a${cell}'=1+1;b"\r\n`, JSON.stringify(separator));
  }
  assert.equal(csvLine(["a;b=1;2-1", "\t=1"]), `"a;b=1;2-1","'\t'=1"\r\n`);
});

Deno.test("csvLine() leaves no cell that begins with a sign, however a spreadsheet splits it", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "1", ";", "\t", "\r", "\n", '"', " ", "=", "-", "＝", "@", "'"),
  });
  fc.assert(fc.property(text, (cell) => {
    for (const begun of csvLine(["first", cell]).split(/[;\t\r\n]|first,/)) {
      assert.doesNotMatch(begun, /^[\s"]*[=+\-@＝＋－＠]/, JSON.stringify(cell));
    }
  }));
});

import assert from "node:assert/strict";
import { readCsv } from "../../console/screens/contacts/read_csv.ts";

const cells = (text: string) => readCsv(text).map((row) => row.cells);

Deno.test("readCsv reads quoted cells, and names the line in which a row begins", () => {
  const rows = readCsv('\uFEFFNumber, Detail\r\n1,"a ""b"",\nc"\r\n\r\n2,d');

  assert.deepEqual(rows, [
    { line: 2, cells: { number: "1", detail: 'a "b",\nc' } },
    { line: 5, cells: { number: "2", detail: "d" } },
  ]);
});

Deno.test("readCsv takes commas, semicolons and tabs", () => {
  for (const sign of [",", ";", "\t"]) {
    assert.deepEqual(cells(`number${sign}detail\n1${sign}x`), [{ number: "1", detail: "x" }]);
  }
});

Deno.test("readCsv fills short rows, and leaves out what has no column", () => {
  assert.deepEqual(cells("number,detail\n1\n2,x,y\n,\n"), [
    { number: "1", detail: "" },
    { number: "2", detail: "x" },
  ]);
  assert.deepEqual(cells(""), []);
  assert.deepEqual(cells("number"), []);
});

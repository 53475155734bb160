import assert from "node:assert/strict";
import {
  type ContactFile,
  readContactFile,
  readRowsAt,
  typedFile,
} from "../../console/screens/compose/contact_file.ts";
import { csvRows, parseCsv } from "../../console/screens/compose/csv_rows.ts";

function file(content: BlobPart, name = "people.csv"): File {
  return new File([content], name);
}

async function read(content: BlobPart, name?: string): Promise<ContactFile> {
  const found = await readContactFile(file(content, name));
  if (typeof found === "string") throw new Error(found);
  return found;
}

Deno.test("parseCsv() reads cells as the API does", () => {
  const cases: [text: string, rows: string[][]][] = [
    ["a,b\n1,2\n", [["a", "b"], ["1", "2"]]],
    ["a;b\r\n1;2\r\n", [["a", "b"], ["1", "2"]]],
    ["a\tb\n1\t2", [["a", "b"], ["1", "2"]]],
    ['a,b\n"1, 2","say ""hi"""\n', [["a", "b"], ["1, 2", 'say "hi"']]],
    ['a;b\n"two\nlines";x\n', [["a", "b"], ["two\nlines", "x"]]],
    ['a,b\n5" pipe , "x" \n', [["a", "b"], ['5" pipe', "x"]]],
    ["a,b\n\n ,\n1,\n", [["a", "b"], ["1", ""]]],
    ['"a;b",c\n1,2\n', [["a;b", "c"], ["1", "2"]]],
    ["", []],
  ];
  for (const [text, rows] of cases) assert.deepEqual(parseCsv(text), rows, JSON.stringify(text));
});

async function* cut(text: string, at: number): AsyncGenerator<string> {
  yield await Promise.resolve(text.slice(0, at));
  yield text.slice(at);
}

Deno.test("csvRows() reads the same rows wherever the text is cut", async () => {
  const text = 'Número;"Say ""hi"""\r\n1;"a\r\nb"\n2;""\n';
  const whole = parseCsv(text);
  for (let at = 0; at <= text.length; at++) {
    assert.deepEqual(await Array.fromAsync(csvRows(cut(text, at))), whole, `cut at ${at}`);
  }
});

Deno.test("readContactFile() reads columns and first rows of CSV and of JSON lines", async () => {
  const csv = await read("\uFEFFPhone,Name\n34600111222,Ana\n34600111333,Luis\n");
  const json = await read('{"Phone":"34600111222","Name":null}\n{"Phone":34600111333}\n', "people.ndjson");

  assert.deepEqual([csv.type, csv.columns, csv.count, csv.isExact], ["text/csv", ["Phone", "Name"], 2, true]);
  assert.deepEqual(csv.rows[1], { Phone: "34600111333", Name: "Luis" });
  assert.deepEqual([json.type, json.columns], ["application/x-ndjson", ["Phone", "Name"]]);
  assert.deepEqual(json.rows, [{ Phone: "34600111222", Name: "" }, { Phone: "34600111333" }]);
});

Deno.test("readContactFile() reads only the beginning of a large file, and guesses how many rows it has", async () => {
  const rows = Array.from({ length: 100_000 }, (_, row) => `34${600_000_000 + row},Ana é,A-1001`);
  const large = file(`Phone,Name,Order\n${rows.join("\n")}\n`);
  let read = 0;
  const slice = large.slice.bind(large);
  large.slice = (from = 0, to = large.size) => {
    read += Math.min(to, large.size) - from;
    return slice(from, to);
  };

  const found = await readContactFile(large) as ContactFile;

  assert.equal(found.isExact, false);
  assert.ok(Math.abs(found.count - 100_000) < 1000, String(found.count));
  assert.ok(found.rows.length <= 20);
  assert.ok(read <= 256 * 1024, String(read));
});

Deno.test("readContactFile() says why a file cannot be used", async () => {
  const cases: [content: BlobPart, name: string, fault: string][] = [
    [new Uint8Array([0x50, 0x4b, 3, 4]), "people.csv", "spreadsheet"],
    ["Phone\n1\n", "people.xlsx", "spreadsheet"],
    [new Uint8Array([...new TextEncoder().encode("Name\nJos"), 0xe9, 10]), "people.csv", "encoding"],
    ["Phone,Name\n", "people.csv", "empty"],
    ["", "people.csv", "empty"],
    ['[{"Phone":"1"}]', "people.json", "json"],
    ['{"Phone":\n', "people.ndjson", "json"],
  ];
  for (const [content, name, fault] of cases) {
    assert.equal(await readContactFile(file(content, name)), fault, name);
  }
});

Deno.test("typedFile() names the columns of rows without a heading", async () => {
  const bare = await read(await typedFile("34600111222, Ana\n+34 600 111 333, Luis").text());
  const pasted = await read(await typedFile('Name\tPhone\n"Ana, B."\t34600111222').text());

  assert.deepEqual(bare.columns, ["Number", "Column 2"]);
  assert.deepEqual(bare.rows[1], { Number: "+34 600 111 333", "Column 2": "Luis" });
  assert.deepEqual([pasted.columns, pasted.rows], [["Name", "Phone"], [{
    Name: "Ana, B.",
    Phone: "34600111222",
  }]]);
});

Deno.test("readRowsAt() finds single rows by the API's numbers, of any form", async () => {
  const csv = await read("Phone\n1\n\n ,\n2\n3\n");
  const json = await read('{"Phone":"1"}\n\n{"Phone":"2"}\n{"Phone":"3"}', "people.ndjson");

  for (const each of [csv, json]) {
    const found = await readRowsAt(each, [2, 3]);
    assert.deepEqual([...found.values()].map(({ Phone }) => Phone), ["2", "3"]);
  }
});

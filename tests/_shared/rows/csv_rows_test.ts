import assert from "node:assert/strict";
import fc from "fast-check";
import { readCsvRows } from "../../../supabase/functions/_shared/rows/csv_rows.ts";
import { decodeParts, FileFault } from "../../../supabase/functions/_shared/rows/file_row.ts";
import { readNdjsonRows } from "../../../supabase/functions/_shared/rows/ndjson_rows.ts";

type Reader = typeof readCsvRows | typeof readNdjsonRows;

/** The bytes of a file in parts of `size`. */
function partsOf(file: string | Uint8Array, size: number): AsyncIterable<Uint8Array> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const count = Math.ceil(bytes.length / size);
  return ReadableStream.from(
    Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
  );
}

/** Reads a file in parts of every small size, and fails unless all give the same rows. */
async function read(reader: Reader, file: string | Uint8Array) {
  const all = [];
  for (const size of [1, 2, 3, 7, 4096]) {
    all.push(await Array.fromAsync(reader(decodeParts(partsOf(file, size)))));
  }
  for (const rows of all) assert.deepEqual(rows, all[0]);
  return all[0]!;
}

const ANA = { number: "34600111222", name: "Ana" };
const LUIS = { number: "34600111333", name: "Luis" };

const DIALECTS: [name: string, file: string, cells: Record<string, unknown>[]][] = [
  ["commas", "number,name\n34600111222,Ana\n34600111333,Luis\n", [ANA, LUIS]],
  ["semicolons", "number;name\n34600111222;Ana\n34600111333;Luis\n", [ANA, LUIS]],
  ["tabs", "number\tname\n34600111222\tAna\n34600111333\tLuis\n", [ANA, LUIS]],
  ["CRLF", "number,name\r\n34600111222,Ana\r\n34600111333,Luis\r\n", [ANA, LUIS]],
  ["old Mac line ends", "number,name\r34600111222,Ana\r34600111333,Luis\r", [ANA, LUIS]],
  ["no line end at the end", "number,name\n34600111222,Ana\n34600111333,Luis", [ANA, LUIS]],
  ["a byte order mark", "\ufeffnumber,name\n34600111222,Ana\n", [ANA]],
  ["quoted cells", '"number","name"\n"34600111222","Ana"\n', [ANA]],
  ["quotes in quotes", 'number,name\n34600111222,"Ana ""A"" B"\n', [{ ...ANA, name: 'Ana "A" B' }]],
  ["a line break in quotes", 'number,name\n34600111222,"Ana\nB"\n', [{ ...ANA, name: "Ana\nB" }]],
  ["a separator in quotes", 'number;name\n34600111222;"A;na"\n', [{ ...ANA, name: "A;na" }]],
  ["commas in cells of a file with semicolons", "number;name\n34600111222;A,n,a\n", [{
    ...ANA,
    name: "A,n,a",
  }]],
  ["commas in a quoted name of a column", '"a,b,c";name\n1;Ana\n', [{ "a,b,c": "1", name: "Ana" }]],
  ["a quote within a cell", 'number,name\n34600111222,5" pipe\n', [{ ...ANA, name: '5" pipe' }]],
  ["spaces around cells", "number , name\n 34600111222,  Ana \n", [ANA]],
  ["empty lines", "\nnumber,name\n\n34600111222,Ana\n\n\n34600111333,Luis\n", [ANA, LUIS]],
  ["rows of separators only", "number,name\n34600111222,Ana\n,\n , \n", [ANA]],
  ["one column", "number\n34600111222\n", [{ number: "34600111222" }]],
  ["letters of all kinds", "number,name\n34600111222,Zoë 李 😀 🇪🇸\n", [{ ...ANA, name: "Zoë 李 😀 🇪🇸" }]],
  ["several kinds of line ends", "number,name\r\n34600111222,Ana\n34600111333,Luis\r", [ANA, LUIS]],
  ["one column of several kinds of line ends", "number\r\n34600111222\n34600111333\r", [
    { number: "34600111222" },
    { number: "34600111333" },
  ]],
  ["a line break and a quote within a cell", 'number,name\n34600111222,"""Ana\nB"""\n', [
    { ...ANA, name: '"Ana\nB"' },
  ]],
  ["no rows", "number,name\n", []],
  ["nothing", "", []],
];

for (const [name, file, expected] of DIALECTS) {
  Deno.test(`readCsvRows() reads ${name}, however the file arrives`, async () => {
    const rows = await read(readCsvRows, file);

    assert.deepEqual(rows.map(({ cells }) => cells), expected);
    assert.deepEqual(
      rows.map(({ row, problem }) => [row, problem]),
      expected.map((_, index) => [index + 1, null]),
    );
  });
}

Deno.test("readCsvRows() reports rows of another length by themselves, with their lines", async () => {
  const rows = await read(readCsvRows, 'number,name\n1\n"2\n",b\n3,c,d\n4,d\n');

  assert.deepEqual(rows.map(({ row, line, problem }) => [row, line, problem]), [
    [1, 2, "The row has 1 cells, and the first line names 2 columns"],
    [2, 4, null],
    [3, 5, "The row has 3 cells, and the first line names 2 columns"],
    [4, 6, null],
  ]);
});

const FAULTS: [name: string, reader: Reader, file: string | Uint8Array, message: RegExp][] = [
  ["a quote that is not closed", readCsvRows, 'number,name\n1,"Ana\n2,Luis\n', /a quote is not closed/],
  ["a row without end", readCsvRows, `number,name\n1,"${"x".repeat(100_000)}`, /more than 65536 characters/],
  ["a first line without end", readCsvRows, "x".repeat(200_000), /more than 65536 characters/],
  ["a JSON line without end", readNdjsonRows, `{"a":"${"x".repeat(100_000)}`, /more than 65536 characters/],
  [
    "a quote that another row closes",
    readCsvRows,
    'number,name\n1,"Ana\n2,"Luis"\n3,Eva\n',
    /ends a cell that goes on/,
  ],
  [
    "a quote that holds another person",
    readCsvRows,
    'number,name\n34600111222,"Ana\n34600111333,Luis"\n34600111444,Eva\n',
    /several rows/,
  ],
  [
    "a person in the first line",
    readCsvRows,
    "+34 600 111 222;Ana\n34600111333;Luis\n",
    /names of the columns/,
  ],
  ["UTF-8 and then Latin-1", readCsvRows, new Uint8Array([0xc3, 0xa9, 0x0a, 0xe9, 0x0a]), /begins as UTF-8/],
  ["half a character at the end", readCsvRows, new Uint8Array([0xc3, 0xa9, 0x0a, 0xc3]), /begins as UTF-8/],
];

for (const [name, reader, file, message] of FAULTS) {
  Deno.test(`a file with ${name} is a fault`, async () => {
    await assert.rejects(
      Array.fromAsync(reader(decodeParts(partsOf(file, 4096)))),
      (error) => error instanceof FileFault && message.test(error.message),
    );
  });
}

const ENCODINGS: [name: string, bytes: number[], cells: Record<string, unknown>[]][] = [
  ["Windows-1252", [...latin1("n\nJosé €\nÑ\n")], [{ n: "José €" }, { n: "Ñ" }]],
  ["Windows-1252 that ends in a letter which could begin one of UTF-8", [...latin1("n\nJosé")], [{
    n: "José",
  }]],
  ["UTF-8 that ends in such a letter", [...new TextEncoder().encode("n\nJosé")], [{ n: "José" }]],
  ["UTF-16, as Excel saves text", [0xff, 0xfe, ...utf16("n\r\nJosé 李\r\n")], [{ n: "José 李" }]],
];

function latin1(text: string): number[] {
  return [...text].map((letter) => letter === "€" ? 0x80 : letter.charCodeAt(0));
}

function utf16(text: string): number[] {
  return [...text].flatMap((letter) => [letter.charCodeAt(0) & 0xff, letter.charCodeAt(0) >> 8]);
}

for (const [name, bytes, expected] of ENCODINGS) {
  Deno.test(`decodeParts() reads ${name}, however the file arrives`, async () => {
    const rows = await read(readCsvRows, new Uint8Array(bytes));

    assert.deepEqual(rows.map(({ cells }) => cells), expected);
  });
}

Deno.test("readCsvRows() loses no row of a file, or refuses it whole, wherever a quote is missing", async () => {
  const name = fc.array(fc.constantFrom("Ana", "Luis", " ", ",", "\n", '"', "é"), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      async (names, broken) => {
        const numberOf = (row: number) => String(34_600_111_000 + row);
        const lines = names.map((parts, row) => `${numberOf(row)},"${parts.join("").replaceAll('"', '""')}"`);
        const text = `number,name\n${lines.join("\n")}\n`;
        const quotes = [...text.matchAll(/"/g)].map(({ index }) => index);
        const at = quotes[broken % quotes.length]!;
        const damaged = text.slice(0, at) + text.slice(at + 1);

        let rows;
        try {
          rows = await Array.fromAsync(readCsvRows(decodeParts(partsOf(damaged, 4096))));
        } catch (error) {
          assert.ok(error instanceof FileFault);
          return;
        }

        const found = new Set(rows.map(({ cells }) => cells.number));
        assert.ok(names.every((_, row) => found.has(numberOf(row))), damaged);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("readCsvRows() gives back the cells that any spreadsheet wrote", async () => {
  const cell = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.trim());
  const table = fc.integer({ min: 1, max: 5 }).chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 8 })
  );
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(",", ";", "\t"),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.integer({ min: 1, max: 9 }),
      async (records, separator, lineEnd, size) => {
        const names = Array.from({ length: records[0]?.length ?? 1 }, (_, index) => `c${index}`);
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const lines = [names, ...records].map((record) => record.map(quoted).join(separator));

        const rows = await Array.fromAsync(readCsvRows(decodeParts(partsOf(lines.join(lineEnd), size))));

        const kept = records.filter((record) => record.some((text) => text !== ""));
        assert.deepEqual(rows.map(({ cells }) => Object.values(cells)), kept);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("readNdjsonRows() reads an object per line, and reports other lines by themselves", async () => {
  const rows = await read(readNdjsonRows, '\ufeff{"a":1}\r\n\n[1]\nnull\n{"a":\n{"b":"é","c":true}');

  assert.deepEqual(rows.map(({ row, line, cells, problem }) => [row, line, cells, problem]), [
    [1, 1, { a: 1 }, null],
    [2, 3, {}, "The line is not a JSON object"],
    [3, 4, {}, "The line is not a JSON object"],
    [4, 5, {}, "The line is not a JSON object"],
    [5, 6, { b: "é", c: true }, null],
  ]);
});

Deno.test("readCsvRows() releases its source when reading stops early", async () => {
  const released = Promise.withResolvers<void>();
  async function* source() {
    try {
      for (;;) yield "number\n34600111222\n34600111333\n";
    } finally {
      released.resolve();
    }
  }

  for await (const _ of readCsvRows(source())) break;

  await released.promise;
});

Deno.test("readCsvRows() costs each row its own cells, however many columns the first line names", async () => {
  const header = Array.from({ length: 5000 }, (_, index) => `column_${index}`).join(",");
  const file = `${header}\n${"1\n".repeat(20_000)}`;

  let length = 0;
  for await (const { source } of readCsvRows(decodeParts(partsOf(file, 16_384)))) length += source.length;

  assert.ok(length < 4 * file.length, `${length} characters of ${file.length}`);
});

Deno.test("readCsvRows() gives others their turn while it reads, and cuts no character in two", async () => {
  const line = "\u{1f600}x\n";
  async function* text() {
    yield `number,name\n${line.repeat(20_000)}`;
  }
  let [rows, turns, isReading] = [0, 0, true];
  const others = (async () => {
    while (isReading) {
      await new Promise((resolve) => setTimeout(resolve));
      turns++;
    }
  })();
  for await (const { cells } of readCsvRows(text())) {
    assert.equal(cells.number, "\u{1f600}x");
    rows++;
  }
  isReading = false;
  await others;
  assert.equal(rows, 20_000);
  assert.ok(turns > 5, `${turns} turns`);
});

import assert from "node:assert/strict";
import { renderFields, renderTable, snakeKeys } from "../../cli/terminal/render.ts";

interface Row {
  name: string | null;
  count: number;
  on: boolean;
  at: Date;
}

Deno.test("renderTable() aligns texts to the left and numbers to the right, without lines or colours", () => {
  const at = new Date("2030-01-31T18:05:09Z");
  const rows: Row[] = [{ name: "Ana", count: 12000, on: true, at }, { name: null, count: 3, on: false, at }];

  const table = renderTable<Row>(
    [["NAME", (row) => row.name], ["COUNT", (row) => row.count], ["ON", (row) => row.on], [
      "AT",
      (row) => row.at,
    ]],
    rows,
    "Nothing",
  );

  assert.deepEqual(table.split("\n"), [
    "NAME   COUNT  ON   AT",
    "Ana   12,000  yes  2030-01-31 18:05Z",
    "-          3  no   2030-01-31 18:05Z",
  ]);
});

Deno.test("renderTable() says that there is nothing", () => {
  assert.equal(renderTable([["NAME", () => ""]], [], "No rows yet"), "No rows yet");
});

Deno.test("renderTable() shows what would steer the terminal, and stays aligned", () => {
  const rows = [{ text: "hi\x1b[2J\u202e", at: 1 }, { text: "two\nlines\tand \x9b31m", at: 2 }];

  const table = renderTable<typeof rows[number]>(
    [["TEXT", (row) => row.text], ["AT", (row) => row.at]],
    rows,
    "",
  );

  assert.deepEqual(table.split("\n"), [
    "TEXT                      AT",
    "hi<U+001B>[2J<U+202E>      1",
    "two                        2",
    "lines    and <U+009B>31m",
  ]);
});

Deno.test("renderFields() keeps the lines of a value apart from other fields", () => {
  assert.equal(renderFields([["page", "x\nstate  active\x07"]]), "page  x\n      state  active<U+0007>");
});

Deno.test("renderFields() aligns the values", () => {
  assert.equal(renderFields([["a", 1], ["long name", null]]), "a          1\nlong name  -");
});

Deno.test("renderTable() shows no character that moves the cursor or colours a terminal", () => {
  const row = "\x1b[2J\x9b31m\rred\x07";

  const table = renderTable([["TEXT", (text: string) => text]], [row], "Nothing");

  assert.equal(table.split("\n")[1], "<U+001B>[2J<U+009B>31m<U+000D>red<U+0007>");
});

Deno.test("snakeKeys() renames an object's own keys and leaves what they hold", () => {
  assert.deepEqual(snakeKeys({ wabaId: { wabaId: 1 }, name: "x" }), { waba_id: { wabaId: 1 }, name: "x" });
});

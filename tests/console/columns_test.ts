import assert from "node:assert/strict";
import { type Column, nextSort, sorted } from "../../console/components/table/columns.ts";

const COLUMNS: Column<{ name: string; size: number }>[] = [
  { name: "name", title: "Name", cell: ({ name }) => name, sortBy: ({ name }) => name },
  { name: "size", title: "Size", cell: ({ size }) => size, sortBy: ({ size }) => size },
];
const ROWS = [{ name: "b", size: 10 }, { name: "é", size: 9 }, { name: "a", size: 100 }];

Deno.test("sorted() sorts numbers as numbers and words as a dictionary does", () => {
  const names = (sort: string | undefined) => sorted(ROWS, COLUMNS, sort).map(({ name }) => name).join("");

  assert.deepEqual([names("size"), names("-size"), names("name")], ["éba", "abé", "abé"]);
  assert.deepEqual([names(undefined), names("none")], ["béa", "béa"]);
});

Deno.test("nextSort() goes up, then down, then back to the order of the API", () => {
  assert.deepEqual([undefined, "size", "-size", "name"].map((sort) => nextSort("size", sort)), [
    "size",
    "-size",
    undefined,
    "size",
  ]);
});

import assert from "node:assert/strict";
import { pluralOf } from "../../console/i18n/plural.ts";

Deno.test("pluralOf() chooses the form by the language's rules, and puts the number in", () => {
  const rows = (count: number) => pluralOf("en")(count, { one: "# row", other: "# rows" });

  assert.deepEqual([0, 1, 2, 21].map(rows), ["0 rows", "1 row", "2 rows", "21 rows"]);
});

Deno.test("pluralOf() knows the forms of languages that have more than two", () => {
  const rows = (count: number) =>
    pluralOf("pl")(count, { one: "# wiersz", few: "# wiersze", many: "# wierszy", other: "# wiersza" });

  assert.equal([1, 3, 5, 22, 25].map(rows).join(), "1 wiersz,3 wiersze,5 wierszy,22 wiersze,25 wierszy");
});

Deno.test("pluralOf() counts none as one in Portuguese, and writes numbers as in Brazil", () => {
  const rows = (count: number) => pluralOf("pt")(count, { one: "# linha", other: "# linhas" });

  assert.deepEqual([0, 1, 2, 1_000_000].map(rows), ["0 linha", "1 linha", "2 linhas", "1.000.000 linhas"]);
});

Deno.test("pluralOf() takes the form for all other numbers where a language names no own", () => {
  assert.equal(pluralOf("es")(1_000_000, { one: "# fila", other: "# filas" }), "1.000.000 filas");
});

import assert from "node:assert/strict";
import { showResponse } from "../../../cli/outbound/show_response.ts";

Deno.test("showResponse() shows a list as a table, and that there is more", () => {
  const page = {
    things: [{ id: "a", size: 1200, owner: { name: "Ana" } }, { id: "b", size: 3, owner: null }],
    next: "b",
  };

  assert.deepEqual(showResponse(page, undefined).split("\n"), [
    "ID   SIZE  OWNER.NAME",
    "a   1,200  Ana",
    "b       3  -",
    "… and more: --all",
  ]);
});

Deno.test("showResponse() says below a table that the company is a test company", () => {
  const page = { things: [{ id: "a" }], next: null, test: true };

  assert.deepEqual(showResponse(page, undefined).split("\n"), [
    "ID",
    "a",
    "Test company: none of this has reached a person",
  ]);
});

Deno.test("showResponse() leaves out the columns that do not fit, and names them", () => {
  const rows = [{ id: "a", name: "x".repeat(30), city: "Madrid" }];

  assert.deepEqual(showResponse(rows, 20).split("\n"), ["ID", "a", "… and name, city: --json"]);
});

Deno.test("showResponse() shows fields with dots, and the lists in them below", () => {
  const value = { id: "a", owner: { name: "Ana" }, tags: ["x", "y"], parts: [{ kind: "k" }] };

  assert.deepEqual(showResponse(value, undefined).split("\n"), [
    "id          a",
    "owner.name  Ana",
    "tags        x, y",
    "",
    "parts",
    "KIND",
    "k",
  ]);
});

Deno.test("showResponse() keeps a row in one line, and shows nothing as None or Done", () => {
  assert.equal(showResponse([{ text: "two\r\nlines" }], undefined), "TEXT\ntwo lines");
  assert.equal(showResponse({ things: [], next: null }, undefined), "None");
  assert.equal(showResponse({}, undefined), "Done");
});

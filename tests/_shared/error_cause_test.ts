import assert from "node:assert/strict";
import { causeOf, type ErrorCause } from "../../supabase/functions/_shared/error_cause.ts";

const DATABASE =
  "08006 0A000 25006 26000 28000 28P01 3D000 40001 40P01 42501 53100 53200 53300 55P03 57014 57P01 58030 XX000";

const CODES: Record<ErrorCause, string[]> = {
  data: ["22001", "22P02", "22P05", "23505", "23514"],
  statement: ["42883", "42P01"],
  database: DATABASE.split(" "),
  other: [],
};

for (const [cause, codes] of Object.entries(CODES)) {
  Deno.test(`causeOf() says ${cause} for ${codes.join(", ") || "no SQLSTATE"}`, () => {
    for (const code of codes) {
      assert.equal(causeOf(Object.assign(new Error(), { name: "PostgresError", code })), cause, code);
    }
  });
}

Deno.test("causeOf() distinguishes the driver's and the sockets' errors from those of other code", () => {
  for (
    const code of ["CONNECTION_CLOSED", "CONNECT_TIMEOUT", "ECONNREFUSED", "EPIPE", "ENOTFOUND", "EBADF"]
  ) {
    assert.equal(causeOf(Object.assign(new Error(), { code })), "database", code);
  }
  for (const error of [new TypeError("items.map is not a function"), { code: 20 }, "text", null, undefined]) {
    assert.equal(causeOf(error), "other");
  }
  assert.equal(causeOf(Object.assign(new Error(), { code: "ENOENT" })), "other");
});

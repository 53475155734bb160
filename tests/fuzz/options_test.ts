import assert from "node:assert/strict";
import { readOptions } from "./options.ts";

Deno.test("readOptions() has defaults, and reads every option", () => {
  assert.deepEqual(readOptions([]), { seconds: 120, operations: [], maxExamples: 50, seed: undefined });
  assert.deepEqual(
    readOptions([
      "--seconds",
      "30",
      "--max-examples",
      "5",
      "--seed",
      "7",
      "--operation",
      "a",
      "--operation",
      "b",
    ]),
    { seconds: 30, operations: ["a", "b"], maxExamples: 5, seed: "7" },
  );
  assert.equal(readOptions(["--help"]), "help");
});

Deno.test("readOptions() refuses what cannot be, and says what can", () => {
  for (const value of ["9", "3601", "ten", "1.5"]) {
    assert.throws(() => readOptions(["--seconds", value]), {
      name: "TypeError",
      message: `--seconds: expected a whole number from 10 to 3600, got "${value}"`,
    });
  }
  assert.throws(() => readOptions(["--seed", "x"]), { name: "TypeError" });
  assert.throws(() => readOptions(["--second", "30"]), { name: "TypeError" });
});

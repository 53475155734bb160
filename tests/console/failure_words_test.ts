import assert from "node:assert/strict";
import { FAILURES_ES } from "../../console/i18n/failures/failures.ts";
import { ROWS_ES } from "../../console/i18n/failures/own_es.ts";
import {
  adviceFor,
  FAILURE_ADVICE,
  NO_CODE,
} from "../../supabase/functions/_shared/campaigns/failure_advice.ts";
import { ROW_ADVICE } from "../../supabase/functions/_shared/campaigns/uploads/row_advice.ts";

const CODES = [...FAILURE_ADVICE.keys(), NO_CODE];

/** Pairs of codes for which the API says the same, by one of its two texts. */
function groups(textOf: (code: string) => string): string[][] {
  return [...Map.groupBy(CODES, textOf).values()].map((codes) => codes.sort()).sort();
}

Deno.test("the console has Spanish words for every failure code of the API, and for no other", () => {
  assert.deepEqual(Object.keys(FAILURES_ES).sort(), CODES.sort());
  for (const [code, texts] of Object.entries(FAILURES_ES)) {
    for (const text of texts) assert.match(text, /^\p{Lu}.*[^.]$/u, code);
  }
});

Deno.test("the console has Spanish words for every row code of the API, and for no other", () => {
  assert.deepEqual(Object.keys(ROWS_ES).sort(), Object.keys(ROW_ADVICE).sort());
});

Deno.test("codes mean the same in Spanish, and ask for the same, exactly where they do in the API", () => {
  assert.deepEqual(groups((code) => FAILURES_ES[code]![0]), groups((code) => adviceFor(code).meaning));
  assert.deepEqual(groups((code) => FAILURES_ES[code]![1]), groups((code) => adviceFor(code).whatToDo));
});

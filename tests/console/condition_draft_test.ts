import assert from "node:assert/strict";
import { conditionOf, draftOf, newGroup, newTest } from "../../console/components/condition/draft.ts";
import { describeCondition } from "../../console/components/condition/describe.ts";
import { testFields } from "../../console/components/condition/fields.ts";
import { loadWords } from "../../console/i18n/words.ts";
import type { Condition } from "../../console/data/sdk.ts";

await loadWords("en");

const LIST = "0192f8d0-2222-4222-8333-444455556666";
const LISTS = [{ list_id: LIST, name: "Regulars" }] as never;
const FIELDS = testFields([
  { name: "points", type: "number" },
  { name: "vip", type: "boolean" },
  { name: "ends", type: "date" },
], LISTS);
const typeOf = (field: string) => FIELDS.find(({ name }) => name === field)?.type;

const CONDITION: Condition = {
  all: [
    { field: "tag", op: "is", value: "vip" },
    {
      any: [{ field: "country", op: "is", value: "ES" }, {
        field: "attribute.points",
        op: "greater",
        value: 12.5,
      }],
    },
    { not: { any: [{ field: "list", op: "is", value: LIST }] } },
    {
      not: { all: [{ field: "attribute.vip", op: "is", value: true }, { field: "language", op: "is_set" }] },
    },
    { field: "attribute.ends", op: "within_days", value: -30 },
    { field: "consent.whatsapp.marketing", op: "is", value: "granted" },
    { field: "opted_out.voice.all", op: "is", value: false },
  ],
};

Deno.test("draftOf() and conditionOf() keep a condition with groups and values of every kind", () => {
  assert.deepEqual(conditionOf(draftOf(CONDITION), typeOf), CONDITION);
  assert.deepEqual(conditionOf(draftOf({ not: { field: "tag", op: "is", value: "a" } }), typeOf), {
    not: { any: [{ field: "tag", op: "is", value: "a" }] },
  });
});

Deno.test("conditionOf() is undefined while something is missing or does not fit", () => {
  const tag = newTest(FIELDS.find(({ name }) => name === "tag")!);
  const points = newTest(FIELDS.find(({ name }) => name === "attribute.points")!);
  const of = (...parts: Parameters<typeof newGroup>[0]) => conditionOf(newGroup(parts), typeOf);

  assert.equal(of(), undefined);
  assert.equal(of(tag), undefined);
  assert.equal(of({ ...tag, value: "vip" }, { ...points, value: "many" }), undefined);
  assert.equal(of({ ...tag, value: "vip" }, newGroup([])), undefined);
  assert.equal(of({ ...tag, field: "attribute.gone", value: "x" }), undefined);
  assert.deepEqual(of({ ...points, value: "12,5" }), {
    all: [{ field: "attribute.points", op: "is", value: 12.5 }],
  });
});

Deno.test("describeCondition() says it in words", () => {
  assert.equal(
    describeCondition({ all: CONDITION.all!.slice(0, 3) }, FIELDS, LISTS),
    "Tag is “vip” and (Country is “Spain” or points is more than “12.5”) and (not (List is “Regulars”))",
  );
});

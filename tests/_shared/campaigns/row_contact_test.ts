import assert from "node:assert/strict";
import { refusedRow } from "../../../supabase/functions/_shared/campaigns/uploads/row_contact.ts";
import type { UploadPlan } from "../../../supabase/functions/_shared/campaigns/uploads/upload_plan.ts";

Deno.test("refusedRow() names the column of a field, and of a value that refers to one", () => {
  const components_push = { code: "{{ref}}", date: "{{constructor}}" };
  const plan = {
    columns: { number: "Phone", ref: "Order" },
    fields: { components_push },
  } as unknown as UploadPlan;
  const columnOf = (field: string) =>
    refusedRow({ row: 1, line: 2, contact: {} }, { field, code: "validation_failed", reason: "" }, plan)
      .column;

  const fields = [
    "contact.number",
    "contact.constructor",
    "components_push.code",
    "components_push.date",
    "other",
  ];

  assert.deepEqual(fields.map(columnOf), ["Phone", null, "Order", null, null]);
});

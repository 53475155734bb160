import assert from "node:assert/strict";
import { templateFromPlatform } from "../../../supabase/functions/_shared/templates/template.ts";

const item = {
  id: "1234500067890",
  name: "order_ready",
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
};

Deno.test("templateFromPlatform() reads a template of the platform's list", () => {
  const components = [{ type: "BODY", text: "Hello {{1}}, all well", example: { body_text: [["Ana"]] } }];

  const facts = templateFromPlatform({
    ...item,
    parameter_format: "POSITIONAL",
    rejected_reason: "NONE",
    components,
  });

  assert.deepEqual(facts, {
    platformTemplateId: "1234500067890",
    name: "order_ready",
    language: "en_US",
    category: "UTILITY",
    status: "approved",
    rejectedReason: null,
    quality: null,
    parameterFormat: "POSITIONAL",
    components,
  });
});

Deno.test("templateFromPlatform() fills in what an older or odd answer leaves out", () => {
  const facts = templateFromPlatform({
    ...item,
    category: "utility",
    components: [{ text: "no type" }, 5, null],
  });

  assert.deepEqual(
    [facts.category, facts.parameterFormat, facts.rejectedReason, facts.components],
    ["UTILITY", "POSITIONAL", null, []],
  );
});

Deno.test("templateFromPlatform() keeps the named format and the reason of a rejection", () => {
  const facts = templateFromPlatform({
    ...item,
    status: "REJECTED",
    parameter_format: "named",
    rejected_reason: "INVALID_FORMAT",
  });

  assert.deepEqual([facts.status, facts.parameterFormat, facts.rejectedReason], [
    "rejected",
    "NAMED",
    "INVALID_FORMAT",
  ]);
});

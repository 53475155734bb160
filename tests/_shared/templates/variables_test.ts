import assert from "node:assert/strict";
import fc from "fast-check";
import { dynamicComponents } from "../../../supabase/functions/_shared/templates/build_message.ts";
import { unsupportedVariables } from "../../../supabase/functions/_shared/templates/variables.ts";
import { kindOfValue } from "../../../supabase/functions/_shared/templates/value_names.ts";
import {
  type TemplateComponent,
  templateComponentSchema,
} from "../../../supabase/functions/_shared/templates/template.ts";

const body = (text: string): TemplateComponent => ({ type: "BODY", text });
const url = (address: string) => ({ type: "URL", text: "Open", url: address });
const quickReply = { type: "QUICK_REPLY", text: "Stop" };

Deno.test("dynamicComponents() is empty for static content", () => {
  const components: TemplateComponent[] = [
    { type: "HEADER", format: "TEXT", text: "News" },
    body("Nothing to fill { 1 } here"),
    { type: "FOOTER", text: "Example Traders" },
    { type: "BUTTONS", buttons: [quickReply, url("https://example.test/all")] },
  ];

  assert.deepEqual(dynamicComponents(components, "POSITIONAL"), []);
  assert.deepEqual(unsupportedVariables(components), []);
  assert.deepEqual(dynamicComponents([], "NAMED"), []);
});

for (const format of ["IMAGE", "VIDEO", "DOCUMENT"]) {
  Deno.test(`dynamicComponents() names a header of format ${format} without a number`, () => {
    const header = { type: "HEADER", format, example: { header_handle: ["4::x"] } };

    assert.deepEqual(dynamicComponents([header], "POSITIONAL"), [`header_${format.toLowerCase()}`]);
  });
}

Deno.test("dynamicComponents() lists header, body, then buttons, whatever the template's order and case", () => {
  const components: TemplateComponent[] = [
    { type: "buttons", buttons: [quickReply, url("https://x.test/{{1}}")] },
    { type: "body", text: "Hello {{2}} and {{1}}, again {{2}}" },
    { type: "header", format: "image" },
  ];

  const names = dynamicComponents(components, "POSITIONAL");

  assert.deepEqual(names, ["header_image", "body_text_0", "body_text_1", "buttons_url_0"]);
});

Deno.test("dynamicComponents() orders positional variables by number, not by text", () => {
  const text = Array.from({ length: 11 }, (_, i) => `{{${11 - i}}}`).join(" and ");

  const names = dynamicComponents([body(text)], "POSITIONAL");

  assert.deepEqual(names, Array.from({ length: 11 }, (_, i) => `body_text_${i}`));
});

Deno.test("dynamicComponents() has no name for variable zero", () => {
  assert.deepEqual(dynamicComponents([body("Hello {{0}} {{00}}")], "POSITIONAL"), []);
});

Deno.test("dynamicComponents() numbers named variables by first appearance, each once", () => {
  const names = dynamicComponents([body("Hi {{ first_name }}, {{order_id}} for {{first_name}}")], "NAMED");

  assert.deepEqual(names, ["body_text_0", "body_text_1"]);
});

Deno.test("dynamicComponents() counts only URL buttons that have a variable", () => {
  const buttons = [
    url("https://x.test/static"),
    quickReply,
    url("https://x.test/{{1}}"),
    url("https://y.test/{{1}}"),
  ];

  assert.deepEqual(dynamicComponents([{ type: "BUTTONS", buttons }], "POSITIONAL"), [
    "buttons_url_0",
    "buttons_url_1",
  ]);
});

Deno.test("dynamicComponents() gives no name twice, for any components", () => {
  const part = {
    type: fc.constantFrom("HEADER", "BODY", "FOOTER", "BUTTONS", "LIMITED_TIME_OFFER", "toString"),
    format: fc.constantFrom("TEXT", "IMAGE", "LOCATION", "__proto__"),
    text: fc.stringMatching(/^( |\{\{\d\}\}|\{\{[a-c]\}\}|\{|\}){0,9}$/),
    buttons: fc.array(
      fc.constantFrom(quickReply, url("https://x.test/{{1}}"), url("https://x.test/"), { type: "copy_code" }),
    ),
    limited_time_offer: fc.record({ has_expiration: fc.constantFrom(true, false, "yes") }),
  };
  const card = fc.record({ components: fc.array(fc.record(part), { maxLength: 4 }) });
  const carousel = fc.record({ type: fc.constant("CAROUSEL"), cards: fc.array(card, { maxLength: 10 }) });
  const component = fc.oneof({ weight: 4, arbitrary: fc.record(part) }, carousel);

  fc.assert(fc.property(fc.array(component), fc.constantFrom("POSITIONAL", "NAMED"), (components, format) => {
    const names = dynamicComponents(components, format);
    assert.equal(new Set(names).size, names.length);
    if (unsupportedVariables(components).length === 0) {
      for (const name of names) assert.notEqual(kindOfValue(name), undefined, name);
    }
  }));
});

const UNSUPPORTED: [component: TemplateComponent, parts: string[]][] = [
  [{ type: "HEADER", format: "TEXT", text: "June {{1}}" }, []],
  [{ type: "HEADER", text: "{{1}} {{2}}" }, ["a text header with more than one variable"]],
  [{ type: "HEADER", format: "LOCATION" }, []],
  [{ type: "HEADER", format: "PRODUCT" }, ["a header of format PRODUCT"]],
  [{ type: "FOOTER", text: "Bye {{1}}" }, ["a footer with a variable"]],
  [{ type: "BUTTONS", buttons: [quickReply, { type: "COPY_CODE" }, { type: "FLOW" }] }, []],
  [{ type: "BUTTONS", buttons: [{ type: "MPM" }, { type: "spm" }] }, [
    "a button of type MPM",
    "a button of type SPM",
  ]],
  [{ type: "BUTTONS", buttons: [{ type: "otp" }] }, ["a button of type OTP"]],
  [{ type: "CAROUSEL", cards: [] }, ["a carousel whose cards cannot be read"]],
  [{ type: "CAROUSEL" }, ["a carousel whose cards cannot be read"]],
  [{ type: "CAROUSEL", cards: [{ components: [{ type: "HEADER", format: "PRODUCT" }] }] }, [
    "a carousel card with a header of format PRODUCT",
  ]],
  [{ type: "LIMITED_TIME_OFFER" }, []],
  [{ type: "ORDER_STATUS" }, ["a component of type ORDER_STATUS"]],
  [{ type: "SOMETHING_NEW", label: "{{1}}" }, ["a component of type SOMETHING_NEW"]],
  [{ type: "SOMETHING_NEW", label: "static" }, []],
  [{ type: "BUTTONS", buttons: [{ type: "PHONE_NUMBER", phone_number: "1" }] }, []],
];

for (const [component, parts] of UNSUPPORTED) {
  Deno.test(`unsupportedVariables() finds [${parts}] in ${JSON.stringify(component)}`, () => {
    assert.deepEqual(unsupportedVariables([body("Hello {{1}}"), component]), parts);
  });
}

Deno.test("templateComponentSchema keeps unknown fields and drops known ones of an odd type", () => {
  const odd = { type: "BODY", text: 5, buttons: "none", cards: [{ a: 1 }] };

  assert.deepEqual(templateComponentSchema.parse(odd), {
    type: "BODY",
    text: undefined,
    buttons: undefined,
    cards: [{ a: 1 }],
  });
});

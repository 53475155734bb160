import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";
import type {
  PlatformComponent,
  PlatformParameter,
} from "../../../supabase/functions/_shared/templates/parts/template_part.ts";
import {
  componentsBuilder,
  dynamicComponents,
} from "../../../supabase/functions/_shared/templates/build_message.ts";
import type {
  ParameterFormat,
  TemplateComponent,
} from "../../../supabase/functions/_shared/templates/template.ts";

const positional = (...components: TemplateComponent[]) => ({
  components,
  parameter_format: "POSITIONAL" as const,
});
const named = (...components: TemplateComponent[]) => ({ components, parameter_format: "NAMED" as const });
const url = (address: string) => ({ type: "URL", text: "Open", url: address });
const quickReply = { type: "QUICK_REPLY", text: "Stop" };

function parametersOf(component: PlatformComponent): PlatformParameter[] {
  return "parameters" in component
    ? component.parameters
    : component.cards.flatMap(({ components }) => components.flatMap(parametersOf));
}

Deno.test("componentsBuilder() leaves static components out", () => {
  const template = positional({ type: "HEADER", format: "TEXT", text: "News" }, {
    type: "BODY",
    text: "Hello",
  });

  assert.deepEqual(componentsBuilder(template)({}), []);
});

Deno.test("componentsBuilder() fills a header, positional body and the right button", () => {
  const template = positional(
    { type: "HEADER", format: "DOCUMENT" },
    { type: "BODY", text: "Invoice {{2}} of {{1}}" },
    { type: "BUTTONS", buttons: [quickReply, url("https://x.test/all"), url("https://x.test/{{1}}")] },
  );

  const components = componentsBuilder(template)({
    buttons_url_0: "inv-77?src=wa",
    body_text_1: "INV-77",
    body_text_0: "Asha",
    header_document: "https://cdn.example.test/i/invoice%2077.pdf?sig=abc",
  });

  assert.deepEqual(components, [
    {
      type: "header",
      parameters: [{
        type: "document",
        document: { link: "https://cdn.example.test/i/invoice%2077.pdf?sig=abc", filename: "invoice 77.pdf" },
      }],
    },
    { type: "body", parameters: [{ type: "text", text: "Asha" }, { type: "text", text: "INV-77" }] },
    { type: "button", sub_type: "url", index: 2, parameters: [{ type: "text", text: "inv-77?src=wa" }] },
  ]);
});

Deno.test("componentsBuilder() names the parameters of the named format", () => {
  const template = named({ type: "BODY", text: "Hi {{first_name}}, order {{order_id}}. Bye {{first_name}}" });

  const components = componentsBuilder(template)({ body_text_0: "Asha", body_text_1: "77" });

  assert.deepEqual(components, [{
    type: "body",
    parameters: [
      { type: "text", text: "Asha", parameter_name: "first_name" },
      { type: "text", text: "77", parameter_name: "order_id" },
    ],
  }]);
});

for (const kind of ["image", "video"] as const) {
  Deno.test(`componentsBuilder() links a header ${kind}`, () => {
    const template = positional({ type: "HEADER", format: kind.toUpperCase() });
    const link = "https://cdn.example.test/a";

    assert.deepEqual(componentsBuilder(template)({ [`header_${kind}`]: link }), [
      { type: "header", parameters: [{ type: kind, [kind]: { link } }] },
    ]);
  });
}

const FILENAMES: [link: string, filename: string | undefined][] = [
  ["https://x.test/a/price-list.xlsx#page", "price-list.xlsx"],
  ["https://x.test/a/50%off.pdf", "50%off.pdf"],
  ["https://x.test/a/", undefined],
  ["https://x.test", undefined],
];

for (const [link, filename] of FILENAMES) {
  Deno.test(`componentsBuilder() names the document of ${link} ${filename}`, () => {
    const template = positional({ type: "HEADER", format: "DOCUMENT" });

    const [header] = componentsBuilder(template)({ header_document: link });

    const document = filename === undefined ? { link } : { link, filename };
    assert.deepEqual(parametersOf(header!), [{ type: "document", document }]);
  });
}

const TEXTS: [given: string, sent: string][] = [
  ["two\nlines", "two lines"],
  ["two\r\nlines", "two lines"],
  ["a\tb", "a b"],
  ["a    b", "a    b"],
  ["a     b", "a    b"],
  ["a  \n\n\t  b", "a    b"],
  ["$& {{1}} \\n", "$& {{1}} \\n"],
];

for (const [given, sent] of TEXTS) {
  Deno.test(`componentsBuilder() sends ${JSON.stringify(given)} as ${JSON.stringify(sent)}`, () => {
    const [body] = componentsBuilder(positional({ type: "BODY", text: "A {{1}} b" }))({
      body_text_0: given,
    });

    assert.deepEqual(parametersOf(body!), [{ type: "text", text: sent }]);
  });
}

Deno.test("componentsBuilder() throws variable_mismatch when the template wants more than it got", () => {
  const template = positional({ type: "BODY", text: "{{1}} and {{2}} x" });

  assert.throws(() => componentsBuilder(template)({ body_text_0: "a", toString: "b" }), (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "variable_mismatch");
    assert.deepEqual(error.details, {
      template_variables: ["body_text_0", "body_text_1"],
      provided_variables: ["body_text_0", "toString"],
      missing: ["body_text_1"],
      unexpected: ["toString"],
    });
    return true;
  });
});

Deno.test("componentsBuilder() gives one parameter for each name of dynamicComponents()", () => {
  const variable = fc.constantFrom("{{1}}", "{{2}}", "{{3}}", "{{first}}", "{{ last }}", "plain", "{1}");
  const button = fc.constantFrom(quickReply, url("https://x.test/"), url("https://x.test/{{1}}"));
  const template = fc.record({
    parameter_format: fc.constantFrom<ParameterFormat>("POSITIONAL", "NAMED"),
    components: fc.tuple(
      fc.constantFrom("TEXT", "IMAGE", "VIDEO", "DOCUMENT").map((format) => ({ type: "HEADER", format })),
      fc.array(variable).map((parts) => ({ type: "BODY", text: parts.join(" ") })),
      fc.array(button).map((buttons) => ({ type: "BUTTONS", buttons })),
    ),
  });

  fc.assert(fc.property(template, ({ components, parameter_format }) => {
    const names = dynamicComponents(components, parameter_format);
    const values = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));

    const parameters = componentsBuilder({ components, parameter_format })(values)
      .flatMap(parametersOf);

    const sent = parameters.map((parameter) => JSON.stringify(parameter));
    assert.equal(sent.length, names.length);
    names.forEach((name, i) => assert.ok(sent[i]?.includes(`value of ${name}`), `${name} at index ${i}`));
  }));
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../../../supabase/functions/_shared/errors.ts";
import { statusOf } from "../../../../supabase/functions/_shared/http/app/respond_error.ts";
import {
  componentsBuilder,
  dynamicComponents,
} from "../../../../supabase/functions/_shared/templates/build_message.ts";
import {
  findUsableTemplate,
  requireMatchingVariables,
} from "../../../../supabase/functions/_shared/templates/find_usable_template.ts";
import { readTemplateRequest } from "../../../../supabase/functions/_shared/templates/create/read_template_request.ts";
import { validComponents } from "./valid_components.ts";

function read(components: unknown) {
  const { template } = readTemplateRequest({
    company_id: "company",
    waba_id: "waba",
    name_template: "any",
    language_template: "en",
    category_template: "MARKETING",
    components_template: components,
  });
  return template;
}

/** Every variable of a text, counted without the code under test. */
const count = (text = "") => new Set(text.match(/\{\{\d+\}\}/g) ?? []).size;

Deno.test("any valid template lists exactly what must be supplied, and is sent with one parameter for each", () => {
  fc.assert(
    fc.property(validComponents, ({ components, variables, media, links }) => {
      const template = read(components);
      const expected = [
        ...media.map((format) => `header_${format.toLowerCase()}`),
        ...Array.from({ length: variables }, (_, index) => `body_text_${index}`),
        ...Array.from({ length: links }, (_, index) => `buttons_url_${index}`),
      ];
      const version = {
        id: "",
        shape: "",
        status: "approved",
        parameter_format: "POSITIONAL" as const,
        ...template,
      };
      const usable = findUsableTemplate([version], template.name, template.language);

      const listed = dynamicComponents(template.components, "POSITIONAL");

      assert.deepEqual(listed, expected);
      assert.doesNotThrow(() => requireMatchingVariables(usable, listed));
      for (const left of listed) {
        const others = listed.filter((name) => name !== left);
        assert.throws(() => requireMatchingVariables(usable, others), AppError);
      }
      assert.throws(() => requireMatchingVariables(usable, [...listed, "body_text_99"]), AppError);
      const values = Object.fromEntries(listed.map((name) => [name, `https://example.com/${name}`]));
      const sent = componentsBuilder(usable)(values);
      assert.equal(sent.flatMap((part) => "parameters" in part ? part.parameters : []).length, listed.length);
      const text = template.components.find(({ type }) => type === "BODY")!.text;
      assert.equal(count(text), variables);
    }),
    { numRuns: 300 },
  );
});

Deno.test("readTemplateRequest() takes or refuses whatever it is given, and never fails otherwise", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("{", "}", "1", "2", "a", " ") }));
  const value = fc.oneof(text, fc.jsonValue(), fc.constant(undefined));
  const part = fc.oneof(
    value,
    fc.record({ format: value, text: value, example: value, url: value, type: value }),
  );
  const components = fc.record({
    HEADER: part,
    BODY: fc.oneof(part, fc.record({ text }), fc.record({ text, example: part })),
    FOOTER: fc.oneof(part, fc.record({ text })),
    BUTTONS: fc.oneof(
      value,
      fc.array(part),
      fc.array(fc.record({ type: fc.constant("URL"), text, url: text })),
    ),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(components, (given) => {
      try {
        read(given);
      } catch (error) {
        assert.ok(error instanceof AppError && statusOf(error) === 400, String(error));
      }
    }),
    { numRuns: 500 },
  );
});

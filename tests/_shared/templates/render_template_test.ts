import assert from "node:assert/strict";
import fc from "fast-check";
import { demoTemplates } from "../../../local/sandbox/demo_templates.ts";
import {
  componentsBuilder,
  templateValues,
} from "../../../supabase/functions/_shared/templates/build_message.ts";
import { renderTemplate } from "../../../supabase/functions/_shared/templates/render_template.ts";
import type { TemplateComponent } from "../../../supabase/functions/_shared/templates/template.ts";
import { kindOfValue, VALUE_KINDS } from "../../../supabase/functions/_shared/templates/value_names.ts";
import { checkValue } from "../../../supabase/functions/_shared/campaigns/check_value.ts";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";

const demo = (name: string) => ({
  components: demoTemplates.find((template) => template.name === name)!.components as TemplateComponent[],
  parameterFormat: "POSITIONAL" as const,
});

Deno.test("renderTemplate() gives the texts of every part", () => {
  assert.deepEqual(
    renderTemplate(demo("spring_offer"), {
      header_image: "https://example.com/a.jpg",
      body_text_0: "Ana",
      buttons_url_0: "ana",
      buttons_copy_code_0: "SPRING25",
      limited_time_offer_expiration: "2090-01-31T18:00:00Z",
    }),
    {
      header: "https://example.com/a.jpg",
      body: "Good news, Ana! Everything for your balcony is a quarter cheaper with your code.",
      footer: null,
      buttons: ["Copy code: SPRING25", "Shop now: https://shop.example.com/spring/ana"],
      offer: "Spring offer! (ends 2090-01-31T18:00:00Z)",
    },
  );
  const place = {
    header_location_latitude: "40.4",
    header_location_longitude: "-3.7",
    header_location_name: "Shop",
  };
  assert.deepEqual(
    renderTemplate(demo("store_visit"), { ...place, body_text_0: "$&", body_text_1: "{{1}}" }),
    {
      header: "Shop, 40.4 -3.7",
      body: "Hello $&, we expect you on {{1}}. This is where you find us.",
      footer: null,
      buttons: ["I will come", "Choose another day"],
    },
  );
  const { cards } = renderTemplate(demo("new_arrivals"), {
    carousel_1_header_image: "https://example.com/aloe.jpg",
    carousel_1_body_text_0: "€ 12",
    carousel_1_buttons_url_0: "aloe",
  });
  assert.deepEqual(cards![1], {
    header: "https://example.com/aloe.jpg",
    body: "*Aloe vera*, for € 12 only: it likes any bright place.",
    buttons: ["More about it", "Buy: https://shop.example.com/plants/aloe"],
  });
});

Deno.test("the example of every value passes the checks of its name and builds a message", () => {
  for (const { name, components } of demoTemplates) {
    const template = {
      components: components as TemplateComponent[],
      parameterFormat: "POSITIONAL" as const,
    };
    const examples = Object.fromEntries(
      templateValues(template).map((value) =>
        [value.name, value.example ?? VALUE_KINDS[kindOfValue(value.name)!].example] as const
      ),
    );
    for (const [value, example] of Object.entries(examples)) checkValue(value, example, example);
    assert.doesNotThrow(() => componentsBuilder(template)(examples), name);
    assert.doesNotThrow(() => renderTemplate(template, examples), name);
  }
});

Deno.test("kindOfValue() knows the names of cards up to the tenth, and no other", () => {
  assert.equal(kindOfValue("carousel_9_buttons_quick_reply_1"), "payload");
  for (
    const name of [
      "carousel_10_header_image",
      "carousel_-1_header_image",
      "carousel_999999999_header_image",
      "carousel_0_header_text_0",
      "carousel_0_carousel_1_header_image",
      "header_text_00",
      "header_location",
      "body_text_1000",
      "body_text_0\n",
      "__proto__",
      "constructor",
    ]
  ) assert.equal(kindOfValue(name), undefined, name);
});

Deno.test("checkValue() returns or throws AppError, for any name and any text", () => {
  const part = fc.constantFrom(
    "carousel_",
    "header_",
    "body_text_",
    "buttons_",
    "flow_data_",
    "0",
    "_",
    "9",
    "image",
  );
  const name = fc.oneof(fc.string(), fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")));
  const known = fc.constantFrom(
    "limited_time_offer_expiration",
    "header_location_latitude",
    "buttons_flow_data_0",
    "buttons_copy_code_0",
    "carousel_3_header_video",
  );
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3000 }),
    fc.json(),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  );
  fc.assert(fc.property(fc.oneof(name, known), value, (name, value) => {
    try {
      checkValue(name, value, value);
    } catch (error) {
      assert.ok(error instanceof AppError, String(error));
    }
  }));
});

Deno.test("kindOfValue() takes time in proportion to the name", () => {
  const start = performance.now();
  kindOfValue(`carousel_0_body_text_${"1".repeat(1_000_000)}`);
  kindOfValue("carousel_0_".repeat(100_000));
  assert.ok(performance.now() - start < 1000);
});

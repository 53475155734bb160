import assert from "node:assert/strict";
import { messageOf } from "../../console/data/template_message.ts";
import {
  draftOf,
  EMPTY_DRAFT,
  nextName,
  partsOf,
  requestOf,
} from "../../console/screens/new_template/draft.ts";
import { faultsOf, fieldOf } from "../../console/screens/new_template/rules.ts";
import { loadWords } from "../../console/i18n/words.ts";

await loadWords("en");

const DRAFT = { ...EMPTY_DRAFT, name: "order_ready", body: "Hello {1}, your order {2} is ready." };

Deno.test("faultsOf() finds what the API would refuse, in the field where it is typed", () => {
  const button = { type: "URL" as const, text: "See it", url: "https://example.com/{1}" };
  const cases: [change: Partial<typeof DRAFT>, field: string | undefined][] = [
    [{}, undefined],
    [{ body: "Hello {{1}}, your order {{2}} is ready." }, undefined],
    [{ name: "Order-Ready" }, "name"],
    [{ language: "English" }, "language"],
    [{ body: "{1}, your order is ready." }, "body"],
    [{ body: "Your order is ready, {1}" }, "body"],
    [{ body: "Hello {1}{2}, it is ready." }, "body"],
    [{ body: "Hello {2}, it is ready." }, "body"],
    [{ body: "Hello {name}, it is ready." }, "body"],
    [{ body: "a".repeat(1025) }, "body"],
    [{ footer: "For {1}" }, "footer"],
    [{ header: "TEXT", headerText: "a".repeat(61) }, "headerText"],
    [{ header: "IMAGE", headerSample: "http://example.com/a.jpg" }, "headerSample"],
    [{ buttons: [button] }, undefined],
    [{ buttons: [{ ...button, url: "https://example.com/{1}/x" }] }, "button 0 url"],
    [{ buttons: [button, { ...button, text: "a".repeat(26) }] }, "button 1 text"],
  ];
  for (const [change, field] of cases) {
    assert.deepEqual(
      Object.keys(faultsOf({ ...DRAFT, ...change }, true)),
      field ? [field] : [],
      JSON.stringify(change),
    );
  }
  assert.deepEqual(faultsOf(EMPTY_DRAFT, false), {}, "nothing is said about what is not typed yet");
  assert.deepEqual(Object.keys(faultsOf(EMPTY_DRAFT, true)), ["name", "body"]);
});

Deno.test("fieldOf() finds the field that a refusal is about", () => {
  const cases = {
    name_template: "name",
    "components_template.BODY.text": "body",
    "components_template.HEADER.example.header_handle": "headerSample",
    "components_template.BUTTONS[2].url": "button 2 url",
    "components_template.BUTTONS[0]": "button 0 text",
    components_template: "",
  };
  for (const [field, expected] of Object.entries(cases)) assert.equal(fieldOf(field), expected, field);
});

Deno.test("a template that is corrected keeps its content, under the next name", () => {
  const known = {
    waba_id: "1",
    name: "order_ready",
    language: "es",
    category: "UTILITY",
    components: [
      { type: "HEADER", format: "TEXT", text: "News for {{1}}" },
      { type: "BODY", text: "Hello {{1}}, it is ready.", example: { body_text: [["Ana"]] } },
      { type: "FOOTER", text: "Example Traders" },
      { type: "BUTTONS", buttons: [{ type: "URL", text: "See it", url: "https://example.com/{{1}}" }] },
    ],
  };

  const request = requestOf(draftOf(known));

  assert.deepEqual(request, {
    waba_id: "1",
    name_template: "order_ready_2",
    language_template: "es",
    category_template: "UTILITY",
    components_template: {
      HEADER: { format: "TEXT", text: "News for {1}" },
      BODY: { text: "Hello {1}, it is ready.", example: { body_text: [["Ana"]] } },
      FOOTER: { text: "Example Traders" },
      BUTTONS: [{ type: "URL", text: "See it", url: "https://example.com/{1}" }],
    },
  });
  assert.equal(nextName("order_ready_2"), "order_ready_3");
});

Deno.test("messageOf() fills header, text and cards, and leaves what has no value", () => {
  const typed = messageOf({ components: partsOf(DRAFT), parameter_format: "POSITIONAL" }, {
    body_text_0: "Ana",
  });
  const named = messageOf({
    components: [{ type: "body", text: "Hi {{first}}, {{order}}, {{first}}." }],
    parameter_format: "NAMED",
  }, { body_text_0: "Ana", body_text_1: "A-1" });
  const cards = messageOf({
    components: [
      { type: "BODY", text: "See" },
      {
        type: "CAROUSEL",
        cards: [{ components: [{ type: "HEADER", format: "IMAGE" }, { type: "BODY", text: "{{1}}" }] }],
      },
    ],
    parameter_format: "POSITIONAL",
  }, { carousel_0_header_image: "https://example.com/a.jpg?x=1", carousel_0_body_text_0: "€ 18" });

  assert.equal(typed.body, "Hello Ana, your order {{2}} is ready.");
  assert.equal(named.body, "Hi Ana, A-1, Ana.");
  assert.deepEqual(cards.cards, [{
    header: { kind: "media", format: "IMAGE", name: "a.jpg" },
    body: "€ 18",
    footer: undefined,
    buttons: [],
  }]);
});

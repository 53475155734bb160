import assert from "node:assert/strict";
import type { JsonObject } from "../../../setup/http/http.ts";
import { COMPONENT_MESSAGES } from "./component_messages.ts";
import { withComponents } from "./with_components.ts";
import { NUMBER_ID, WABA_ID } from "../with_platform.ts";

const MESSAGES: Record<string, unknown[]> = COMPONENT_MESSAGES;

const using = (name: string, components: unknown[]) => ({
  template: { name, language: { code: "en_US" }, components },
});

/** Components of a template, without those whose JSON holds `part`, and with what stands for it. */
const replacing = (name: string, part: string, ...others: unknown[]) =>
  using(name, [...MESSAGES[name]!.filter((each) => !JSON.stringify(each).includes(part)), ...others]);

const offerEnd = (expiration_time_ms: unknown) => ({
  type: "limited_time_offer",
  parameters: [{ type: "limited_time_offer", limited_time_offer: { expiration_time_ms } }],
});
const coupon = (coupon_code: string) => ({
  type: "button",
  sub_type: "copy_code",
  index: 0,
  parameters: [{ type: "coupon_code", coupon_code }],
});
const location = (latitude: unknown) => ({
  type: "header",
  parameters: [{ type: "location", location: { latitude, longitude: "0" } }],
});
const cards = (change: (cards: JsonObject[]) => unknown) => {
  const [body, carousel] = structuredClone(COMPONENT_MESSAGES.new_arrivals) as JsonObject[];
  return using("new_arrivals", [body, { ...carousel, cards: change(carousel!.cards as JsonObject[]) }]);
};

const REFUSALS: [what: string, name: string, changes: JsonObject, code: number][] = [
  ["a header's variable without a value", "monthly_report", replacing("monthly_report", "header"), 132000],
  [
    "a header over 60 characters",
    "monthly_report",
    replacing("monthly_report", "header", {
      type: "header",
      parameters: [{ type: "text", text: "x".repeat(50) }],
    }),
    132005,
  ],
  ["no location", "store_visit", replacing("store_visit", "location"), 132012],
  ["a latitude that is none", "store_visit", replacing("store_visit", "location", location("north")), 131009],
  ["a latitude of 91", "store_visit", replacing("store_visit", "location", location(91)), 131009],
  ["no code", "spring_offer", replacing("spring_offer", "coupon_code"), 131008],
  [
    "a code of 16 characters",
    "spring_offer",
    replacing("spring_offer", "coupon_code", coupon("A".repeat(16))),
    131009,
  ],
  ["no end of an offer", "spring_offer", replacing("spring_offer", "expiration"), 131008],
  ["an end that is over", "spring_offer", replacing("spring_offer", "expiration", offerEnd(1)), 131009],
  [
    "an end in seconds",
    "spring_offer",
    replacing("spring_offer", "expiration", offerEnd(1_990_000_000)),
    131009,
  ],
  ["an end in words", "spring_offer", replacing("spring_offer", "expiration", offerEnd("soon")), 131009],
  ["an offer that the template has not", "store_visit", replacing("store_visit", "-", offerEnd(1)), 132012],
  ["no carousel", "new_arrivals", replacing("new_arrivals", "carousel"), 131008],
  ["a card too few", "new_arrivals", cards((all) => all.slice(1)), 132000],
  ["a card twice", "new_arrivals", cards(([one, two]) => [one, two, two]), 131009],
  [
    "a card that does not exist",
    "new_arrivals",
    cards(([one, two, three]) => [one, two, { ...three, card_index: 7 }]),
    131009,
  ],
  [
    "a card without its picture",
    "new_arrivals",
    cards((all) => all.map((card) => ({ ...card, components: card.components.slice(1) }))),
    132012,
  ],
  [
    "a card's body over 160 characters",
    "new_arrivals",
    cards((all) => {
      all[0]!.components[1].parameters[0].text = "x".repeat(150);
      return all;
    }),
    132005,
  ],
  [
    "a payload over 256 characters",
    "new_arrivals",
    cards((all) => {
      all[0]!.components[3].parameters[0].payload = "x".repeat(257);
      return all;
    }),
    131009,
  ],
  [
    "a flow's data that is no object",
    "store_visit",
    replacing("store_visit", "flow", {
      type: "button",
      sub_type: "flow",
      index: 1,
      parameters: [{ type: "action", action: { flow_action_data: "text" } }],
    }),
    131009,
  ],
];

Deno.test("sandbox takes each kind of component, and refuses what the platform would refuse", () =>
  withComponents(async ({ sendTemplate }) => {
    for (const name of Object.keys(MESSAGES)) {
      assert.equal((await sendTemplate(name)).status, 200, name);
    }
    for (const [what, name, changes, code] of REFUSALS) {
      const { status, body } = await sendTemplate(name, changes);
      assert.deepEqual([what, status, body.error?.code], [what, 400, code], JSON.stringify(body));
    }
  }));

Deno.test("sandbox sends marketing templates by the marketing endpoint, and nothing else", () =>
  withComponents(async ({ sendTemplate, call, control }) => {
    const policy = { product_policy: "CLOUD_API_FALLBACK" };
    assert.equal((await sendTemplate("spring_offer", policy, "marketing_messages")).status, 200);
    assert.equal((await sendTemplate("store_visit", policy, "marketing_messages")).body.error.code, 131009);
    assert.equal((await sendTemplate("spring_offer", policy)).body.error.code, 100);
    const text = { messaging_product: "whatsapp", to: "+573001112233", type: "text", text: { body: "Hi" } };
    const refused = await call("POST", `/v25.0/${NUMBER_ID}/marketing_messages`, { body: text });
    assert.equal(refused.body.error.code, 131009);

    const { body } = await control("GET", "messages");
    assert.deepEqual(body.data.map(({ edge }: JsonObject) => edge), ["marketing_messages"]);
  }));

const handle = ["4::aW1hZ2UvanBlZw==:ARZ"];
const picture = { type: "header", format: "image", example: { header_handle: handle } };
const link = { type: "url", text: "Buy", url: "https://example.com/{{1}}", example: ["a"] };
const card = (...components: unknown[]) => ({ components });
const plain = card(picture, { type: "body", text: "A plant." }, { type: "buttons", buttons: [link] });
const carousel = (...all: unknown[]) => [
  { type: "body", text: "Look." },
  { type: "carousel", cards: all },
];
const offer = (more: JsonObject, ...others: unknown[]) => [
  { type: "limited_time_offer", limited_time_offer: { text: "Offer!", has_expiration: true, ...more } },
  { type: "body", text: "Half the price." },
  ...others,
];
const codeAndLink = { type: "buttons", buttons: [{ type: "copy_code", example: "SPRING" }, link] };

const NEW_TEMPLATES: [what: string, components: unknown[], category: string, refusal: RegExp | null][] = [
  ["two equal cards", carousel(plain, plain), "MARKETING", null],
  ["cards in UTILITY", carousel(plain, plain), "UTILITY", /MARKETING/],
  ["one card", carousel(plain), "MARKETING", /from 2 to 10/],
  ["eleven cards", carousel(...Array(11).fill(plain)), "MARKETING", /from 2 to 10/],
  ["unequal cards", carousel(plain, card(picture)), "MARKETING", /same parts/],
  [
    "a card without a picture",
    carousel(plain, card({ type: "body", text: "A" })),
    "MARKETING",
    /IMAGE or VIDEO/,
  ],
  [
    "a long card",
    carousel(plain, card(picture, { type: "body", text: "x".repeat(161) })),
    "MARKETING",
    /at most 160/,
  ],
  [
    "a footer beside cards",
    [...carousel(plain, plain), { type: "footer", text: "Bye" }],
    "MARKETING",
    /nothing else/,
  ],
  ["an offer", offer({}, codeAndLink), "MARKETING", null],
  ["an offer in UTILITY", offer({}, codeAndLink), "UTILITY", /MARKETING/],
  ["a long offer", offer({ text: "x".repeat(17) }, codeAndLink), "MARKETING", /at most 16/],
  ["an offer with a footer", offer({}, codeAndLink, { type: "footer", text: "Bye" }), "MARKETING", /footer/],
  ["an offer without a code", offer({}, { type: "buttons", buttons: [link] }), "MARKETING", /COPY_CODE/],
  [
    "an offer whose code comes last",
    offer({}, { type: "buttons", buttons: [...codeAndLink.buttons].reverse() }),
    "MARKETING",
    /first/,
  ],
  [
    "a form without its id",
    [{ type: "body", text: "Sign up." }, { type: "buttons", buttons: [{ type: "flow", text: "Go" }] }],
    "UTILITY",
    /flow_id/,
  ],
];

Deno.test("sandbox reviews carousels, offers and forms by the platform's rules", () =>
  withComponents(async ({ call }) => {
    for (const [index, [what, components, category, refusal]] of NEW_TEMPLATES.entries()) {
      const body = { name: `new_${index}`, language: "en_US", category, components };
      const response = await call("POST", `/v25.0/${WABA_ID}/message_templates`, { body });
      const given = JSON.stringify(response.body);
      if (refusal === null) assert.equal(response.status, 200, `${what}: ${given}`);
      else assert.match(String(response.body.error?.error_data?.details ?? given), refusal, what);
      if (refusal !== null) assert.equal(response.status, 400, `${what}: ${given}`);
    }
  }));

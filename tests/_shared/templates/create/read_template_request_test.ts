import assert from "node:assert/strict";
import { AppError } from "../../../../supabase/functions/_shared/errors.ts";
import { statusOf } from "../../../../supabase/functions/_shared/http/app/respond_error.ts";
import { readTemplateRequest } from "../../../../supabase/functions/_shared/templates/create/read_template_request.ts";
import type { JsonObject } from "../../../setup/http/http.ts";

function request(components: JsonObject, changes: JsonObject = {}): JsonObject {
  return {
    company_id: "company",
    waba_id: "waba",
    name_template: "order_ready",
    language_template: "en_US",
    category_template: "UTILITY",
    components_template: { BODY: { text: "Your order is ready" }, ...components },
    ...changes,
  };
}

const body = (text: unknown, example?: unknown) =>
  request({ BODY: { text, ...(example ? { example } : {}) } });
const header = (part: JsonObject) => request({ HEADER: part });
const footer = (text: unknown) => request({ FOOTER: { text } });
const buttons = (...list: unknown[]) => request({ BUTTONS: list });
const authentication = (components: JsonObject) =>
  request({ BODY: {}, BUTTONS: [{ type: "OTP", otp_type: "COPY_CODE" }], ...components }, {
    category_template: "AUTHENTICATION",
  });
const url = (address: string, more: JsonObject = {}) => ({ type: "URL", text: "Go", url: address, ...more });
const reply = (text: string) => ({ type: "QUICK_REPLY", text });
const replies = (count: number) => Array.from({ length: count }, (_, index) => reply(`Reply ${index}`));
const long = (length: number) => "x".repeat(length);
const image = (...handles: string[]) => ({ format: "IMAGE", example: { header_handle: handles } });

const C = "components_template";

/** Requests that keep a rule, just about. */
const KEPT: Record<string, JsonObject> = {
  "a name of 512": request({}, { name_template: "a".repeat(512) }),
  "a name of digits and underscores": request({}, { name_template: "1_a_2" }),
  "a language alone": request({}, { language_template: "es" }),
  "a language of three letters": request({}, { language_template: "fil" }),
  "marketing": request({}, { category_template: "MARKETING" }),
  "a body of 1024": body(long(1024)),
  "a body of 1024 characters outside the basic plane": body("😀".repeat(1024)),
  "a body of 1024 with a variable": body(`a {1} ${long(1024 - 8)}`),
  "a body with two variables": body("Hello {1}, order {2} is ready"),
  "lines": body("Hello,\nyour order\r\nis ready"),
  "double braces": body("Hello {{1}}, order {{2}} is ready"),
  "a variable twice": body("Hello {1}, dear {1}, it is ready"),
  "ten variables": body(Array.from({ length: 10 }, (_, n) => `v {${n + 1}}`).join(" and ") + " end"),
  "a variable between punctuation": body("({1})"),
  "examples": body("Hello {1}, order {2} is ready", { body_text: [["Ana", "A-1"]] }),
  "no parts but the body": request({ HEADER: null, FOOTER: null, BUTTONS: null }),
  "no buttons": request({ BUTTONS: [] }),
  "a header of 60": header({ format: "TEXT", text: long(60) }),
  "an image with a handle": header(image("4::aW1hZ2UvcG5n:ARZ")),
  "an image with a URL": header(image("https://example.com/a.png")),
  "a media header with an empty text": header({ ...image("4::x"), text: "" }),
  "a footer of 60": footer(long(60)),
  "a label of 25": buttons(reply(long(25))),
  "ten buttons": buttons(...replies(10)),
  "two URLs": buttons(url("https://a.example"), url("https://b.example/{1}")),
  "quick replies before a URL": buttons(...replies(2), url("https://a.example")),
  "quick replies after URLs": buttons(url("https://a.example"), url("http://b.example"), ...replies(2)),
  "quick replies between URLs": buttons(url("https://a.example"), ...replies(2), url("https://b.example")),
  "a URL of 2000": buttons(url(`https://a.example/${long(2000 - 18)}`)),
  "a URL of 2000 with a variable": buttons(url(`https://a.example/${long(2000 - 18 - 5)}{1}`)),
  "a URL with an example": buttons(url("https://a.example/{{1}}", { example: ["https://a.example/7"] })),
  "a URL with an example of the variable": buttons(url("https://a.example/{1}", { example: "7" })),
  "authentication": authentication({}),
  "authentication with advice and expiry": authentication({
    BODY: { add_security_recommendation: true },
    FOOTER: { code_expiration_minutes: 90 },
    BUTTONS: [{ type: "OTP", otp_type: "COPY_CODE", text: "Copy" }],
  }),
};

/** Requests that break one rule, with the field that is named and words of the rule. */
const BROKEN: Record<string, [request: JsonObject, field: string, rule: RegExp]> = {
  "a body that steers a terminal": [body("Hi \x1b[2J"), `${C}.BODY.text`, /without control characters/],
  "a footer that steers a terminal": [footer("Hi \x9b2J"), `${C}.FOOTER.text`, /without control characters/],
  "a label that steers a terminal": [buttons(reply("Go\x07")), `${C}.BUTTONS[0].text`, /without control/],
  "no name": [request({}, { name_template: undefined }), "name_template", /required/],
  "a name of 513": [request({}, { name_template: "a".repeat(513) }), "name_template", /at most 512/],
  "an empty name": [request({}, { name_template: "" }), "name_template", /lowercase/],
  "capitals in the name": [request({}, { name_template: "Order" }), "name_template", /lowercase/],
  "a space in the name": [request({}, { name_template: "a b" }), "name_template", /lowercase/],
  "a hyphen in the name": [request({}, { name_template: "a-b" }), "name_template", /lowercase/],
  "a number as a name": [request({}, { name_template: 7 }), "name_template", /text/],
  "no company": [request({}, { company_id: undefined }), "company_id", /required/],
  "a company that is an object": [request({}, { company_id: {} }), "company_id", /text/],
  "no account": [request({}, { waba_id: null }), "waba_id", /required/],
  "an account as a number": [request({}, { waba_id: 123 }), "waba_id", /text/],
  "a language with a hyphen": [request({}, { language_template: "en-US" }), "language_template", /en_US/],
  "a language in words": [request({}, { language_template: "english" }), "language_template", /en_US/],
  "an unknown category": [request({}, { category_template: "OTHER" }), "category_template", /MARKETING/],
  "a category in lower case": [
    request({}, { category_template: "utility" }),
    "category_template",
    /MARKETING/,
  ],
  "no components": [request({}, { components_template: undefined }), C, /required/],
  "components in an array": [request({}, { components_template: [] }), C, /object/],
  "no body": [request({}, { components_template: {} }), `${C}.BODY`, /required/],
  "an unknown part": [
    request({ FOOTR: { text: "x" } }),
    `${C}.FOOTR`,
    /only HEADER, BODY, FOOTER, LIMITED_TIME_OFFER, BUTTONS and CAROUSEL/,
  ],
  "an unknown field": [request({ FOOTER: { txt: "x" } }), `${C}.FOOTER.txt`, /only text/],
  "a body without text": [request({ BODY: {} }), `${C}.BODY.text`, /required/],
  "a body of spaces": [body(" \n "), `${C}.BODY.text`, /not empty/],
  "a body that is no text": [body(7), `${C}.BODY.text`, /text/],
  "a body of 1025": [body(long(1025)), `${C}.BODY.text`, /at most 1024/],
  "a body of 1025 as the platform counts": [
    body(`a {1} ${long(1024 - 7)}`),
    `${C}.BODY.text`,
    /at most 1024/,
  ],
  "a variable first": [body("{1} is ready"), `${C}.BODY.text`, /before the first/],
  "a variable first after spaces": [body("  {1} is ready"), `${C}.BODY.text`, /before the first/],
  "a variable last": [body("Ready is {1}"), `${C}.BODY.text`, /after the last/],
  "variables side by side": [body("Hello {1}{2} there"), `${C}.BODY.text`, /between two/],
  "variables with nothing but space between": [body("Hello {1} {2} there"), `${C}.BODY.text`, /between two/],
  "variables from 2": [body("Hello {2} there"), `${C}.BODY.text`, /numbered/],
  "a gap": [body("Hello {1} and {3} there"), `${C}.BODY.text`, /numbered/],
  "numbers out of order": [body("Hello {2} and {1} there"), `${C}.BODY.text`, /numbered/],
  "variable 0": [body("Hello {0} there"), `${C}.BODY.text`, /braces/],
  "a leading zero": [body("Hello {01} there"), `${C}.BODY.text`, /braces/],
  "a named variable": [body("Hello {{name}} there"), `${C}.BODY.text`, /braces/],
  "a brace too few": [body("Hello {1 there"), `${C}.BODY.text`, /braces/],
  "a brace too many behind": [body("Hello {1}} there"), `${C}.BODY.text`, /braces/],
  "a brace too many before": [body("Hello {{1} there"), `${C}.BODY.text`, /braces/],
  "three braces": [body("Hello {{{1}}} there"), `${C}.BODY.text`, /braces/],
  "empty braces": [body("Hello {} there"), `${C}.BODY.text`, /braces/],
  "both ways of writing": [body("Hello {1} and {{2}} there"), `${C}.BODY.text`, /same way/],
  "too few examples": [
    body("Hello {1} and {2} there", { body_text: [["a"]] }),
    `${C}.BODY.example.body_text`,
    /2/,
  ],
  "too many examples": [
    body("Hello {1} there", { body_text: [["a", "b"]] }),
    `${C}.BODY.example.body_text`,
    /1/,
  ],
  "an empty example": [
    body("Hello {1} there", { body_text: [[" "]] }),
    `${C}.BODY.example.body_text`,
    /value/,
  ],
  "flat examples": [body("Hello {1} there", { body_text: ["a"] }), `${C}.BODY.example.body_text[0]`, /array/],
  "examples without variables": [body("Hello", { body_text: [["a"]] }), `${C}.BODY.example.body_text`, /0/],
  "a switch of another category": [
    request({ BODY: { text: "x", add_security_recommendation: true } }),
    `${C}.BODY.add_security_recommendation`,
    /AUTHENTICATION/,
  ],
  "a header without a format": [header({ text: "x" }), `${C}.HEADER.format`, /required/],
  "an unknown format": [header({ format: "PRODUCT" }), `${C}.HEADER.format`, /IMAGE/],
  "a format in lower case": [header({ format: "text", text: "x" }), `${C}.HEADER.format`, /IMAGE/],
  "a text header without text": [header({ format: "TEXT" }), `${C}.HEADER.text`, /required/],
  "a header of 61": [header({ format: "TEXT", text: long(61) }), `${C}.HEADER.text`, /at most 60/],
  "a header with two variables": [
    header({ format: "TEXT", text: "Hi {1} and {2}!" }),
    `${C}.HEADER.text`,
    /one variable/,
  ],
  "a header's empty example": [
    header({ format: "TEXT", text: "Hi {1}!", example: { header_text: [" "] } }),
    `${C}.HEADER.example.header_text`,
    /value/,
  ],
  "a location with text": [header({ format: "LOCATION", text: "Here" }), `${C}.HEADER.text`, /no text/],
  "an offer in UTILITY": [
    request({ LIMITED_TIME_OFFER: { text: "Now" } }),
    `${C}.LIMITED_TIME_OFFER`,
    /MARKETING/,
  ],
  "a carousel in UTILITY": [
    request({ CAROUSEL: { cards: [{ HEADER: image("4::x") }, { HEADER: image("4::x") }] } }),
    `${C}.CAROUSEL`,
    /MARKETING/,
  ],
  "two codes": [buttons({ type: "COPY_CODE" }, { type: "COPY_CODE" }), `${C}.BUTTONS`, /at most 1/],
  "a code of 16": [
    buttons({ type: "COPY_CODE", example: "x".repeat(16) }),
    `${C}.BUTTONS[0].example`,
    /at most 15/,
  ],
  "a code with a label": [buttons({ type: "COPY_CODE", text: "Copy" }), `${C}.BUTTONS[0].text`, /no text/],
  "a form without its id": [buttons({ type: "FLOW", text: "Go" }), `${C}.BUTTONS[0].flow_id`, /required/],
  "a header of two lines": [header({ format: "TEXT", text: "a\nb" }), `${C}.HEADER.text`, /one line/],
  "an image with text": [header({ ...image("4::x"), text: "Hi" }), `${C}.HEADER.text`, /no text/],
  "an image without a sample": [header({ format: "IMAGE" }), `${C}.HEADER.example.header_handle`, /required/],
  "an image with no handle": [header(image()), `${C}.HEADER.example.header_handle`, /one sample/],
  "an image with two": [header(image("4::x", "4::y")), `${C}.HEADER.example.header_handle`, /one sample/],
  "an image with an empty one": [header(image(" ")), `${C}.HEADER.example.header_handle`, /one sample/],
  "a footer of 61": [footer(long(61)), `${C}.FOOTER.text`, /at most 60/],
  "a footer with a variable": [footer("Bye {1} now"), `${C}.FOOTER.text`, /without variables/],
  "a footer without text": [request({ FOOTER: {} }), `${C}.FOOTER.text`, /required/],
  "buttons in an object": [request({ BUTTONS: { type: "URL" } }), `${C}.BUTTONS`, /array/],
  "eleven buttons": [buttons(...replies(11)), `${C}.BUTTONS`, /at most 10/],
  "an unknown button": [buttons({ type: "CALL", text: "x" }), `${C}.BUTTONS[0].type`, /QUICK_REPLY/],
  "a label of 26": [buttons(reply("a"), reply(long(26))), `${C}.BUTTONS[1].text`, /at most 25/],
  "a label with a variable": [buttons(reply("Yes {1}")), `${C}.BUTTONS[0].text`, /without variables/],
  "a button without a label": [buttons({ type: "QUICK_REPLY" }), `${C}.BUTTONS[0].text`, /required/],
  "an empty label": [buttons(reply(" ")), `${C}.BUTTONS[0].text`, /not empty/],
  "three URLs": [
    buttons(...["a", "b", "c"].map((host) => url(`https://${host}.example`))),
    `${C}.BUTTONS`,
    /at most 2/,
  ],
  "quick replies apart": [
    buttons(reply("a"), url("https://a.example"), reply("b")),
    `${C}.BUTTONS[2]`,
    /next to/,
  ],
  "quick replies far apart": [
    buttons(reply("a"), url("https://a.example"), url("https://b.example"), reply("b")),
    `${C}.BUTTONS[3]`,
    /next to/,
  ],
  "a quick reply with a URL": [
    buttons({ ...reply("a"), url: "https://a.example" }),
    `${C}.BUTTONS[0].url`,
    /no url/,
  ],
  "a URL button without URL": [buttons({ type: "URL", text: "Go" }), `${C}.BUTTONS[0].url`, /required/],
  "a URL of 2001": [
    buttons(url(`https://a.example/${long(2001 - 18)}`)),
    `${C}.BUTTONS[0].url`,
    /at most 2000/,
  ],
  "a URL of 2001 as the platform counts": [
    buttons(url(`https://a.example/${long(2000 - 18 - 4)}{1}`)),
    `${C}.BUTTONS[0].url`,
    /at most 2000/,
  ],
  "no URL at all": [buttons(url("example")), `${C}.BUTTONS[0].url`, /https:/],
  "a script": [buttons(url("javascript:alert(1)")), `${C}.BUTTONS[0].url`, /https:/],
  "a URL without a host": [buttons(url("https:///x")), `${C}.BUTTONS[0].url`, /https:/],
  "a URL with a space": [buttons(url("https://a.example/a b")), `${C}.BUTTONS[0].url`, /https:/],
  "a variable as the host": [buttons(url("https://{1}")), `${C}.BUTTONS[0].url`, /https:/],
  "a variable in the middle": [
    buttons(reply("a"), url("https://a.example/{1}/x")),
    `${C}.BUTTONS[1].url`,
    /very end/,
  ],
  "two variables": [buttons(url("https://a.example/{1}/{2}")), `${C}.BUTTONS[0].url`, /one variable/],
  "variable 2": [buttons(url("https://a.example/{2}")), `${C}.BUTTONS[0].url`, /very end/],
  "an example without a variable": [
    buttons(url("https://a.example", { example: ["x"] })),
    `${C}.BUTTONS[0].example`,
    /no example/,
  ],
  "an OTP button elsewhere": [
    buttons({ type: "OTP", otp_type: "COPY_CODE" }),
    `${C}.BUTTONS[0].type`,
    /AUTHENTICATION/,
  ],
  "authentication with text": [
    authentication({ BODY: { text: "Code {1}!" } }),
    `${C}.BODY.text`,
    /platform writes/,
  ],
  "authentication with a header": [
    authentication({ HEADER: { format: "TEXT", text: "x" } }),
    `${C}.HEADER`,
    /platform writes/,
  ],
  "authentication with a footer": [
    authentication({ FOOTER: { text: "x" } }),
    `${C}.FOOTER.text`,
    /platform writes/,
  ],
  "authentication without its button": [authentication({ BUTTONS: [reply("a")] }), `${C}.BUTTONS`, /OTP/],
  "a code that lasts 91 minutes": [
    authentication({ FOOTER: { code_expiration_minutes: 91 } }),
    `${C}.FOOTER.code_expiration_minutes`,
    /1 to 90/,
  ],
};

Deno.test("readTemplateRequest() takes what just keeps the rules", () => {
  for (const [name, good] of Object.entries(KEPT)) {
    assert.doesNotThrow(() => readTemplateRequest(good), name);
  }
});

Deno.test("readTemplateRequest() refuses what breaks a rule, naming the field and the rule", () => {
  for (const [name, [bad, field, rule]] of Object.entries(BROKEN)) {
    assert.throws(() => readTemplateRequest(bad), (error: unknown) => {
      assert.ok(error instanceof AppError, name);
      assert.deepEqual(
        [error.code, statusOf(error), error.details?.field],
        ["validation_failed", 400, field],
        name,
      );
      const { expected_format: expected, reason } = error.details!;
      assert.match(String(expected ?? reason), rule, name);
      assert.ok(error.message.includes(field), name);
      return true;
    }, name);
  }
});

Deno.test("readTemplateRequest() writes variables as the platform does, and makes up what is not said", () => {
  const components = {
    HEADER: image("https://example.com/a.png"),
    BODY: { text: "Hello {1}, order {2} is ready" },
    FOOTER: { text: "Bye" },
    BUTTONS: [url("https://a.example/{1}"), reply("No")],
  };

  const { template } = readTemplateRequest(request(components));

  assert.deepEqual(template, {
    name: "order_ready",
    language: "en_US",
    category: "UTILITY",
    components: [
      { type: "HEADER", format: "IMAGE", example: { header_handle: ["https://example.com/a.png"] } },
      {
        type: "BODY",
        text: "Hello {{1}}, order {{2}} is ready",
        example: { body_text: [["Ana", "A-1001"]] },
      },
      { type: "FOOTER", text: "Bye" },
      {
        type: "BUTTONS",
        buttons: [
          { type: "URL", text: "Go", url: "https://a.example/{{1}}", example: ["https://a.example/a-1001"] },
          { type: "QUICK_REPLY", text: "No" },
        ],
      },
    ],
  });
});

Deno.test("readTemplateRequest() takes examples from the request", () => {
  const { template } = readTemplateRequest(request({
    BODY: { text: "Hello {1}, it is ready", example: { body_text: [["Zoe"]] } },
    BUTTONS: [url("https://a.example/{1}", { example: "77" })],
  }));

  assert.deepEqual(template.components[0]!.example, { body_text: [["Zoe"]] });
  assert.deepEqual(template.components[1]!.buttons![0]!.example, ["https://a.example/77"]);
});

const marketing = (components: Record<string, unknown>) => ({
  ...request(components),
  category_template: "MARKETING",
});
const code = { type: "COPY_CODE", example: "SPRING25" };
const offerOf = (components: Record<string, unknown>) =>
  marketing({
    LIMITED_TIME_OFFER: { text: "Offer!", has_expiration: true },
    BODY: { text: "Half." },
    ...components,
  });
const card = (components: Record<string, unknown> = {}) => ({ HEADER: image("4::x"), ...components });
const carousel = (...cards: unknown[]) => marketing({ BODY: { text: "Look." }, CAROUSEL: { cards } });

const OFFER_REFUSALS: Record<string, [body: unknown, field: string, rule: RegExp]> = {
  "an offer of 17": [
    offerOf({ LIMITED_TIME_OFFER: { text: "x".repeat(17) }, BUTTONS: [url("https://a.example")] }),
    `${C}.LIMITED_TIME_OFFER.text`,
    /at most 16/,
  ],
  "an offer with a footer": [
    offerOf({ FOOTER: { text: "Bye" }, BUTTONS: [code, url("https://a.example")] }),
    `${C}.FOOTER`,
    /no footer/,
  ],
  "an offer with a text header": [
    offerOf({ HEADER: { format: "TEXT", text: "Hi" }, BUTTONS: [code, url("https://a.example")] }),
    `${C}.HEADER.format`,
    /IMAGE or VIDEO/,
  ],
  "an offer with a body of 601": [
    offerOf({ BODY: { text: "x".repeat(601) }, BUTTONS: [code, url("https://a.example")] }),
    `${C}.BODY.text`,
    /at most 600/,
  ],
  "an offer without an address": [offerOf({ BUTTONS: [code] }), `${C}.BUTTONS`, /URL/],
  "an offer without a code": [offerOf({ BUTTONS: [url("https://a.example")] }), `${C}.BUTTONS`, /COPY_CODE/],
  "a code behind the address": [
    offerOf({ BUTTONS: [url("https://a.example"), code] }),
    `${C}.BUTTONS`,
    /first/,
  ],
  "one card": [carousel(card()), `${C}.CAROUSEL.cards`, /2 to 10/],
  "eleven cards": [carousel(...Array(11).fill(card())), `${C}.CAROUSEL.cards`, /2 to 10/],
  "cards that differ": [
    carousel(card(), card({ BODY: { text: "More" } })),
    `${C}.CAROUSEL.cards[1]`,
    /parts of the first card/,
  ],
  "a card without a header": [
    carousel(card(), { BODY: { text: "x" } }),
    `${C}.CAROUSEL.cards[1].HEADER`,
    /required/,
  ],
  "a card with a document": [
    carousel(card(), { HEADER: { ...image("4::x"), format: "DOCUMENT" } }),
    `${C}.CAROUSEL.cards[1].HEADER.format`,
    /IMAGE or VIDEO/,
  ],
  "a card of 161": [
    carousel(card({ BODY: { text: "x".repeat(161) } }), card()),
    `${C}.CAROUSEL.cards[0].BODY.text`,
    /at most 160/,
  ],
  "a card with three buttons": [
    carousel(card({ BUTTONS: replies(3) }), card()),
    `${C}.CAROUSEL.cards[0].BUTTONS`,
    /at most 2/,
  ],
  "a card with a code": [
    carousel(card({ BUTTONS: [code] }), card()),
    `${C}.CAROUSEL.cards[0].BUTTONS[0].type`,
    /URL or QUICK_REPLY/,
  ],
  "a footer beside cards": [
    marketing({ BODY: { text: "x" }, FOOTER: { text: "Bye" }, CAROUSEL: { cards: [card(), card()] } }),
    `${C}.FOOTER`,
    /not beside/,
  ],
};

for (const [what, [body, field, rule]] of Object.entries(OFFER_REFUSALS)) {
  Deno.test(`readTemplateRequest() refuses ${what}`, () => {
    assert.throws(() => readTemplateRequest(body), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.details?.field, field);
      assert.match(String(error.details?.expected_format ?? error.details?.reason), rule);
      return true;
    });
  });
}

Deno.test("readTemplateRequest() builds offers, cards and forms as the platform wants them", () => {
  const offer = readTemplateRequest(offerOf({ BUTTONS: [code, url("https://a.example/{1}")] })).template;
  assert.deepEqual(offer.components[0], {
    type: "LIMITED_TIME_OFFER",
    limited_time_offer: { text: "Offer!", has_expiration: true },
  });
  assert.deepEqual(offer.components[2]!.buttons![0], code);

  const cards = [card({ BODY: { text: "For {1} only" } }), card({ BODY: { text: "Free" } })];
  assert.deepEqual(readTemplateRequest(carousel(...cards)).template.components[1], {
    type: "CAROUSEL",
    cards: [
      {
        components: [
          { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::x"] } },
          { type: "BODY", text: "For {{1}} only", example: { body_text: [["Ana"]] } },
        ],
      },
      {
        components: [
          { type: "HEADER", format: "IMAGE", example: { header_handle: ["4::x"] } },
          { type: "BODY", text: "Free" },
        ],
      },
    ],
  });

  const form = { type: "FLOW", text: "Sign up", flow_id: "4801", navigate_screen: "START" };
  assert.deepEqual(readTemplateRequest(buttons(form)).template.components.at(-1)!.buttons, [
    { type: "FLOW", text: "Sign up", flow_id: "4801", flow_action: "navigate", navigate_screen: "START" },
  ]);
});

import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import { claim, enqueue, insertSendingCompany } from "../../setup/fixtures/queue.ts";

const BODY = { type: "BODY", text: "Hello {{1}}, your order {{2}} is ready." };
const HEADER = { type: "HEADER", format: "IMAGE", example: { header_handle: ["https://cdn.test/1?sig=a"] } };
const FOOTER = { type: "FOOTER", text: "Thank you" };
const TRACK = { type: "URL", text: "Track", url: "https://shop.test/track/{{1}}" };
const SHOP = { type: "URL", text: "Shop", url: "https://shop.test/" };
const STOP = { type: "QUICK_REPLY", text: "Stop" };
const buttons = (...each: object[]) => ({ type: "BUTTONS", buttons: each });

const TEMPLATE: object[] = [HEADER, BODY, FOOTER, buttons(TRACK, STOP)];

/** Changes between accepting and sending, and whether each changes the template's shape. */
const CHANGES: [what: string, components: object[], changed: boolean][] = [
  ["nothing", TEMPLATE, false],
  ["the order of its parts", TEMPLATE.toReversed(), false],
  ["the wording of the body", [
    HEADER,
    { ...BODY, text: "Hi {{1}}: order {{2}} waits." },
    FOOTER,
    buttons(TRACK, STOP),
  ], false],
  ["the case of the platform's words", [
    { ...HEADER, type: "header", format: "image" },
    BODY,
    FOOTER,
    buttons({ ...TRACK, type: "url" }, STOP),
  ], false],
  ["the address of its example", [
    { ...HEADER, example: { header_handle: ["https://cdn.test/1?sig=b"] } },
    BODY,
    FOOTER,
    buttons(TRACK, STOP),
  ], false],
  ["the footer", [HEADER, BODY, buttons(TRACK, STOP)], false],
  ["a label", [HEADER, BODY, FOOTER, buttons({ ...TRACK, text: "Follow" }, STOP)], false],
  ["a static button behind", [HEADER, BODY, FOOTER, buttons(TRACK, STOP, SHOP)], false],
  ["the number of variables", [
    HEADER,
    { ...BODY, text: "Hello {{1}}, your order is ready." },
    FOOTER,
    buttons(TRACK, STOP),
  ], true],
  ["the order of the variables", [
    HEADER,
    { ...BODY, text: "Your order {{2}} is ready, {{1}}." },
    FOOTER,
    buttons(TRACK, STOP),
  ], true],
  ["the format of the header", [{ ...HEADER, format: "VIDEO" }, BODY, FOOTER, buttons(TRACK, STOP)], true],
  ["the header", [BODY, FOOTER, buttons(TRACK, STOP)], true],
  ["the position of a button with a variable", [HEADER, BODY, FOOTER, buttons(STOP, TRACK)], true],
  ["where a button with a variable leads", [
    HEADER,
    BODY,
    FOOTER,
    buttons({ ...TRACK, url: "https://elsewhere.test/{{1}}" }, STOP),
  ], true],
  ["a part we do not know", [...TEMPLATE, { type: "NEW_PART", label: "x" }], true],
  ["buttons that are none", [HEADER, BODY, FOOTER, { type: "BUTTONS", buttons: "odd" }], true],
];

const cardOf = (text: string, sample = "a", ...more: object[]) => ({
  components: [{ ...HEADER, example: { header_handle: [`https://cdn.test/1?sig=${sample}`] } }, {
    type: "BODY",
    text,
  }, ...more],
});
const cards = (...each: object[]) => ({ type: "CAROUSEL", cards: each });
const offer = (text: string, has_expiration?: boolean) => ({
  type: "LIMITED_TIME_OFFER",
  limited_time_offer: { text, has_expiration },
});
const CAROUSEL = [BODY, cards(cardOf("Agave {{1}}"), cardOf("Aloe")), offer("Now", true)];

const CAROUSEL_CHANGES: [what: string, components: object[], changed: boolean][] = [
  ["the wording and the samples of cards", [
    BODY,
    cards(cardOf("Agaves {{1}}", "b"), cardOf("Aloes", "b")),
    offer("Soon", true),
  ], false],
  [
    "the variables of a card",
    [BODY, cards(cardOf("Agave {{1}}"), cardOf("Aloe {{1}}")), offer("Now", true)],
    true,
  ],
  ["the order of cards", [BODY, cards(cardOf("Aloe"), cardOf("Agave {{1}}")), offer("Now", true)], true],
  ["the number of cards", [
    BODY,
    cards(cardOf("Agave {{1}}"), cardOf("Aloe"), cardOf("Jade")),
    offer("Now", true),
  ], true],
  ["a card's button", [
    BODY,
    cards(cardOf("Agave {{1}}", "a", buttons(TRACK)), cardOf("Aloe")),
    offer("Now", true),
  ], true],
  [
    "whether the offer has an end",
    [BODY, cards(cardOf("Agave {{1}}"), cardOf("Aloe")), offer("Now", false)],
    true,
  ],
  [
    "cards that are none",
    [BODY, { type: "CAROUSEL", cards: [{ components: 5 }, 7] }, offer("Now", true)],
    true,
  ],
];

Deno.test("the shape of a carousel is that of its cards, and of an offer whether it has an end", () =>
  withTestDatabase(async ({ sql }) => {
    await insertSendingCompany(sql);
    const shapeOf = async (components: object[]) => {
      const [row] = await sql`
        update outbound.templates set components = ${sql.json(components as never)} returning shape`;
      return row!.shape as string;
    };
    const original = await shapeOf(CAROUSEL);
    for (const [what, components, changed] of CAROUSEL_CHANGES) {
      assert.equal(await shapeOf(components) !== original, changed, `after a change of ${what}`);
    }
  }));

Deno.test("a template's shape is what a message must supply, and nothing else", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const write = (components: object[], format = "POSITIONAL") =>
      sql`update outbound.templates set components = ${
        sql.json(components as never)
      }, parameter_format = ${format}`;
    const shape = async () => (await sql`select shape from outbound.templates`)[0]!.shape as string;
    await write(TEMPLATE);
    const original = await shape();

    for (const [what, components, changed] of CHANGES) {
      await write(components);
      assert.equal(await shape() !== original, changed, `after a change of ${what}`);
    }
    await write(TEMPLATE, "NAMED");
    assert.notEqual(await shape(), original);

    // The claim compares it with the one the request was accepted with.
    await enqueue(sql, { ...company, template: { ...company.template, shape: await shape() } });
    await write(TEMPLATE);
    const [claimed] = await claim(sql);
    assert.deepEqual([claimed?.template_status, claimed?.template_changed], ["approved", true]);
  }));

import assert from "node:assert/strict";
import fc from "fast-check";
import { userIdOf } from "../../../../local/sandbox/people/user_id.ts";
import { eventually } from "../../../setup/eventually.ts";
import {
  button,
  NUMBER_ID,
  sendBody,
  textBody,
  useTemplate,
  WABA_ID,
  withPlatform,
} from "../with_platform.ts";

Deno.test("POST /messages responds 200 with contact and message id, with or without a version", () =>
  withPlatform(async ({ call }) => {
    for (const version of ["/v25.0", "/v19.0", ""]) {
      const { status, body } = await call("POST", `${version}/${NUMBER_ID}/messages`, { body: sendBody() });

      assert.equal(status, 200);
      assert.match(body.messages[0].id, /^wamid\.[\w+/=]{20,}$/);
      body.messages[0].id = "wamid";
      assert.deepEqual(body, {
        messaging_product: "whatsapp",
        contacts: [{ input: "+573001112233", wa_id: "573001112233" }],
        messages: [{ id: "wamid", message_status: "accepted" }],
      });
    }
  }));

Deno.test("POST /messages accepts a number with spaces, hyphens and brackets", () =>
  withPlatform(async ({ send }) => {
    const { body } = await send({ to: "+57 (300) 111-2233" });

    assert.deepEqual(body.contacts, [{ input: "+57 (300) 111-2233", wa_id: "573001112233" }]);
  }));

Deno.test("POST /messages keeps what it took in the ledger, rendered", () =>
  withPlatform(async ({ send, control }) => {
    const sent = await send({ biz_opaque_callback_data: "ref-1" });

    const { data: [taken], total } = (await control("GET", "messages")).body;
    assert.equal(total, 1);
    const { accepted_at, answered_at: _answered, statuses: _statuses, ...message } = taken;
    assert.deepEqual(message, {
      id: sent.body.messages[0].id,
      to: "+573001112233",
      user_id: userIdOf("573001112233", WABA_ID),
      by_user_id: false,
      waba_id: "1000",
      phone_number_id: NUMBER_ID,
      sender: { name: "Example Traders", number: "15550001111" },
      biz_opaque_callback_data: "ref-1",
      type: "template",
      context: null,
      edge: "messages",
      template: { name: "two_values", language: "en_US", category: "UTILITY" },
      parameters: [textBody("Asha", "A-1")],
      rendered: { header: null, body: "Hi Asha, your order A-1 is here.", footer: null, buttons: [] },
    });
    assert.ok(Math.abs(Date.now() - Date.parse(accepted_at)) < 60_000);
    await eventually(async () => {
      const [{ answered_at }] = (await control("GET", "messages")).body.data;
      assert.ok(Date.parse(accepted_at) <= Date.parse(answered_at));
    });
  }));

const RENDERED = [
  {
    case: "named values in any order",
    template: useTemplate("named_values", [{
      type: "body",
      parameters: [
        { type: "text", text: "Main Street", parameter_name: "shop" },
        { type: "text", text: "Asha", parameter_name: "first_name" },
      ],
    }]),
    rendered: { body: "Hi Asha, see you at Main Street soon." },
  },
  {
    case: "money and dates by their fallback",
    template: useTemplate("two_values", [{
      type: "body",
      parameters: [
        { type: "currency", currency: { fallback_value: "€ 5", code: "EUR", amount_1000: 5000 } },
        { type: "date_time", date_time: { fallback_value: "Monday" } },
      ],
    }]),
    rendered: { body: "Hi € 5, your order Monday is here." },
  },
  {
    case: "fixed header and footer",
    template: useTemplate("static_text"),
    rendered: { header: { format: "TEXT", text: "News" }, footer: "Bye" },
  },
  {
    case: "a header with a value",
    template: useTemplate("titled", [{ type: "header", parameters: [{ type: "text", text: "Asha" }] }]),
    rendered: { header: { format: "TEXT", text: "Offer for Asha" } },
  },
  {
    case: "a document with its name",
    template: useTemplate("paper", [{
      type: "header",
      parameters: [{ type: "document", document: { link: "https://a.test/b.pdf", filename: "b.pdf" } }],
    }]),
    rendered: { header: { format: "DOCUMENT", link: "https://a.test/b.pdf", filename: "b.pdf" } },
  },
  {
    case: "buttons, with an index as text",
    template: useTemplate("buttons", [
      button("url", "0", { type: "text", text: "a?b=c" }),
      button("COPY_CODE", 3, { type: "coupon_code", coupon_code: "SAVE" }),
      button("quick_reply", 2, { type: "payload", payload: "STOP:1" }),
    ]),
    rendered: {
      buttons: [
        { type: "URL", text: "Open", url: "https://shop.example.test/a?b=c" },
        { type: "URL", text: "Home", url: "https://shop.example.test" },
        { type: "QUICK_REPLY", text: "Stop", payload: "STOP:1" },
        { type: "COPY_CODE", text: "Copy offer code", code: "SAVE" },
      ],
    },
  },
];

for (const { case: what, template, rendered } of RENDERED) {
  Deno.test(`POST /messages renders ${what}`, () =>
    withPlatform(async ({ send, control }) => {
      const { status, body } = await send({ template });
      assert.equal(status, 200, JSON.stringify(body));

      const [message] = (await control("GET", "messages")).body.data;
      assert.deepEqual({ ...message.rendered, ...rendered }, message.rendered);
    }));
}

Deno.test("POST /messages puts any value in place exactly as it was sent", () =>
  withPlatform(async ({ send, control }) => {
    const value = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .filter((text) => text.trim() !== "" && !/[\n\r\t]| {5}/.test(text));
    await fc.assert(
      fc.asyncProperty(value, value, async (first, second) => {
        const sent = await send({ template: useTemplate("two_values", [textBody(first, second)]) });

        assert.equal(sent.status, 200, JSON.stringify(sent.body));
        const [message] = (await control("GET", "messages")).body.data;
        assert.equal(message.rendered.body, `Hi ${first}, your order ${second} is here.`);
        await control("DELETE", "messages");
      }),
      { numRuns: 60 },
    );
  }));

Deno.test("POST /messages accepts thirty-two sends at once and returns an id for each", () =>
  withPlatform(async ({ send, control }) => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => send()));

    assert.equal(new Set(answers.map(({ body }) => body.messages[0].id)).size, 32);
    await eventually(async () => assert.equal((await control("GET", "stats")).body.answered, 32));
  }));

import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import { type Answer, NUMBER_ID, type TestPlatform, withPlatform } from "../with_platform.ts";

/** As pywa 4.5.0 and whatsapp-api-js 6.3.0 send a text. */
const TEXTS = [
  `{"messaging_product":"whatsapp","recipient_type":"individual","type":"text","to":"573001112233","biz_opaque_callback_data":"t-1","text":{"body":"Hello","preview_url":false}}`,
  `{"messaging_product":"whatsapp","recipient_type":"individual","to":"573001112233","type":"text","text":{"body":"Hello"}}`,
];

const post = ({ call }: TestPlatform, body: string): Promise<Answer> =>
  call("POST", `/v24.0/${NUMBER_ID}/messages`, { body });

for (const text of TEXTS) {
  Deno.test(`a text outside the 24 hours is accepted and then fails with 131047: ${text.slice(50, 90)}`, () =>
    withPlatform(async (platform) => {
      const answer = await post(platform, text);

      assert.equal(answer.status, 200);
      const { hooks } = platform;
      await eventually(() => assert.equal(hooks.statuses().length, 1));
      const [status] = hooks.statuses();
      assert.deepEqual([status?.id, status?.status, status?.errors[0].code], [
        answer.body.messages[0].id,
        "failed",
        131047,
      ]);
    }));
}

Deno.test("a text within 24 hours after the person wrote is delivered and read", () =>
  withPlatform(async (platform) => {
    const { control, hooks } = platform;
    const inbound = await control("POST", "inbound", {
      phone_number_id: NUMBER_ID,
      from: "+57 300 1112233",
      text: "Where is my order?",
    });
    await eventually(() => assert.equal(hooks.received.length, 1));

    await post(platform, TEXTS[0]!);

    await eventually(() =>
      assert.deepEqual(hooks.statuses().map(({ status }) => status), ["sent", "delivered", "read"])
    );
    const [message] = hooks.received[0]!.body.entry[0].changes[0].value.messages;
    assert.deepEqual([message.id, message.from, message.text.body], [
      inbound.body.id,
      "573001112233",
      "Where is my order?",
    ]);
    assert.equal(hooks.statuses()[0]!.pricing.category, "service");
  }));

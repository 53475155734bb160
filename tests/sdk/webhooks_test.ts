import assert from "node:assert/strict";
import { OutboundError, verifyWebhook } from "../../sdk/typescript/src/webhooks.ts";
import { newSigningSecret, signEvent } from "../../supabase/functions/_shared/events_out/signing.ts";
import { withReceiver } from "../setup/http/receiver.ts";
import { withClients } from "./with_clients.ts";

const PAYLOAD = '{"type":"webhook.test","timestamp":"2030-01-31T18:00:00.000Z","data":{"company_id":"c"}}';

Deno.test("verifyWebhook() returns the event, typed by its name", () => {
  const secret = newSigningSecret();
  const headers = signEvent([newSigningSecret(), secret], { id: "evt_1", at: new Date(), payload: PAYLOAD });

  const event = verifyWebhook(new TextEncoder().encode(PAYLOAD), new Headers(headers), secret);

  assert.ok(event.type === "webhook.test");
  assert.equal(event.data.company_id, "c");
});

Deno.test("verifyWebhook() refuses what is not signed, changed, old, or signed with another secret", () => {
  const secret = newSigningSecret();
  const signed = (at: Date, key = secret) => signEvent([key], { id: "evt_1", at, payload: PAYLOAD });
  const now = new Date();
  const refused: [string, Record<string, string | string[] | undefined>][] = [
    [PAYLOAD, {}],
    [`${PAYLOAD} `, signed(now)],
    [PAYLOAD, { ...signed(now), "webhook-id": "evt_2" }],
    [PAYLOAD, { ...signed(now), "webhook-signature": undefined }],
    [PAYLOAD, signed(new Date(now.getTime() - 600_000))],
    [PAYLOAD, signed(now, newSigningSecret())],
  ];
  for (const [body, headers] of refused) {
    assert.throws(
      () => verifyWebhook(body, headers, secret),
      (error) => error instanceof OutboundError && error.code === "invalid_signature",
    );
  }
});

Deno.test("a webhook set by the client receives an event that verifyWebhook() takes", () =>
  withClients(async (t) => {
    await withReceiver(async ({ url, received }) => {
      const { webhooks } = await t.ownerClient();
      const { secret } = await webhooks.set({ url }, { headers: { "If-Match": "*" } });

      await webhooks.test();

      const { text, headers } = received[0]!;
      const event = verifyWebhook(text, headers, secret!);
      assert.deepEqual([event.type, event.data], ["webhook.test", { company_id: t.company.id }]);
    });
  }, { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } }));

import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { newSigningSecret, signEvent } from "../../../supabase/functions/_shared/events_out/signing.ts";

const payload = '{"type":"notification.sent"}';

Deno.test("signEvent() is verified by the library of Standard Webhooks with either secret, and by no other", () => {
  const [current, old, foreign] = [newSigningSecret(), newSigningSecret(), newSigningSecret()] as const;

  const headers = signEvent([current, old], { id: "evt_1", at: new Date(), payload });

  assert.equal(headers["webhook-signature"]!.split(" ").length, 2);
  for (const secret of [current, old]) {
    assert.deepEqual(new Webhook(secret).verify(payload, headers), { type: "notification.sent" });
  }
  assert.throws(() => new Webhook(foreign).verify(payload, headers));
  assert.throws(() => new Webhook(current).verify(`${payload} `, headers));
  assert.throws(() => new Webhook(current).verify(payload, { ...headers, "webhook-id": "evt_2" }));
});

Deno.test("signEvent() signs the time of sending, which the receiver checks", () => {
  const secret = newSigningSecret();

  const headers = signEvent([secret], { id: "evt_1", at: new Date(Date.now() - 600_000), payload });

  assert.throws(() => new Webhook(secret).verify(payload, headers), /too old/);
});

Deno.test("newSigningSecret() is whsec_ and 32 random bytes in base64", () => {
  const [one, other] = [newSigningSecret(), newSigningSecret()];

  assert.match(one, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(one, other);
});

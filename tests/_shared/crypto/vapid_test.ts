import assert from "node:assert/strict";
import { makeVapidKeys, signVapid } from "../../../supabase/functions/_shared/crypto/vapid.ts";
import { verifyVapid } from "../../setup/http/push_service.ts";

const CLAIMS = {
  audience: "https://push.example.com",
  subject: "https://console.example.com",
  now: new Date(),
};

Deno.test("signVapid() names origin, operator and an end within a day, signed with the key that it names", async () => {
  const keys = await makeVapidKeys();

  const { publicKey, claims } = await verifyVapid(await signVapid(keys, CLAIMS));

  assert.equal(publicKey, keys.publicKey);
  assert.deepEqual([claims.aud, claims.sub], [CLAIMS.audience, CLAIMS.subject]);
  const hours = (claims.exp! - CLAIMS.now.getTime() / 1000) / 3600;
  assert.ok(hours > 1 && hours < 24, `${hours}`);
});

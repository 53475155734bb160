import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { areBrowserKeys, encryptPush } from "../../../supabase/functions/_shared/crypto/push_encryption.ts";

/** Source: RFC 8291, section 5 and appendix A. */
const RFC = {
  text: "When I grow up, I want to be a watermelon",
  ourPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  ourPublic: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

Deno.test("encryptPush() makes the message of the RFC", async () => {
  const point = Buffer.from(RFC.ourPublic, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const jwk = { kty: "EC", crv: "P-256", x: x!, y: y! };
  const keys = {
    privateKey: await crypto.subtle.importKey("jwk", { ...jwk, d: RFC.ourPrivate }, curve, false, [
      "deriveBits",
    ]),
    publicKey: await crypto.subtle.importKey("jwk", jwk, curve, true, []),
  };

  const body = await encryptPush(RFC.text, RFC, { keys, salt: Buffer.from(RFC.salt, "base64url") });

  assert.equal(Buffer.from(body).toString("base64url"), RFC.body);
});

Deno.test("encryptPush() makes another message of the same text each time", async () => {
  const bodies = await Promise.all([1, 2].map(() => encryptPush(RFC.text, RFC)));

  assert.notDeepEqual(bodies[0], bodies[1]);
});

Deno.test("areBrowserKeys() takes points of the curve alone", async () => {
  const offCurve = RFC.p256dh.slice(0, -4) + "AAAA";

  assert.deepEqual(
    await Promise.all([RFC.p256dh, offCurve, ""].map((p256dh) => areBrowserKeys({ ...RFC, p256dh }))),
    [true, false, false],
  );
});

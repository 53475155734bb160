import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import {
  readSignature,
  verifySignature,
} from "../../../../supabase/functions/_shared/gateways/whatsapp/verify_signature.ts";

const SECRET = "test-app-secret";
const BODY = new TextEncoder().encode('{"object":"whatsapp_business_account","entry":[]}');
const HEX = "c84a394cc475525991e78ff16e430b02e47f953877d2af0ade26956ce6f384dc";

async function verify(body: Uint8Array, header: string | undefined, secret: string): Promise<boolean> {
  const signature = readSignature(header);
  return signature !== null && await verifySignature(body, signature, secret);
}

Deno.test("verifySignature() takes the contract's test vector", async () => {
  assert.equal(BODY.length, 49);
  assert.equal(await verify(BODY, `sha256=${HEX}`, SECRET), true);
});

Deno.test("verifySignature() signs bytes, not text", async () => {
  const body = Uint8Array.from([0xff, 0x00, 0xc3, 0x28]);
  const header = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;

  assert.equal(await verify(body, header, SECRET), true);
  assert.equal(
    await verify(new TextEncoder().encode(new TextDecoder().decode(body)), header, SECRET),
    false,
  );
});

const REFUSED: [why: string, header: string | undefined, secret: string][] = [
  ["no header", undefined, SECRET],
  ["an empty header", "", SECRET],
  ["no scheme", HEX, SECRET],
  ["another scheme", `sha1=${HEX}`, SECRET],
  ["a changed digit", `sha256=${HEX.replace("c", "d")}`, SECRET],
  ["a short signature", `sha256=${HEX.slice(2)}`, SECRET],
  ["a long signature", `sha256=${HEX}00`, SECRET],
  ["letters that are no digits", `sha256=${"g".repeat(64)}`, SECRET],
  ["two signatures", `sha256=${HEX}, sha256=${HEX}`, SECRET],
  ["another secret", `sha256=${HEX}`, "another"],
  ["an empty secret", `sha256=${createHmac("sha256", "").update(BODY).digest("hex")}`, ""],
];

for (const [why, header, secret] of REFUSED) {
  Deno.test(`verifySignature() refuses ${why}`, async () => {
    assert.equal(await verify(BODY, header, secret), false);
  });
}

Deno.test("verifySignature() refuses a changed body", async () => {
  const changed = BODY.slice();
  changed[5] = 0x20;

  assert.equal(await verify(changed, `sha256=${HEX}`, SECRET), false);
});

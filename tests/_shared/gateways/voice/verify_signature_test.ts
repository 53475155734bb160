import assert from "node:assert/strict";
import {
  readSignature,
  verifySignature,
} from "../../../../supabase/functions/_shared/gateways/voice/verify_signature.ts";

/** The platform's SDK makes and takes this one. */
const SECRET = "wsec_abc";
const BODY = '{"type":"post_call_transcription","event_timestamp":1,"data":{}}';
const T = 1739537297;
const HEX = "550fd36b71b544008e3bf018a83666e718c6bd048fcfb908c121bedbed4813e9";

async function verify(
  header: string | undefined,
  { secret = SECRET, at = T, body = BODY }: { secret?: string; at?: number; body?: string } = {},
) {
  const signature = readSignature(header, new Date(at * 1000));
  return signature !== null && await verifySignature(new TextEncoder().encode(body), signature, secret);
}

Deno.test("verifySignature() of calls takes the platform's own signature, 30 minutes either way", async () => {
  for (const at of [T, T + 1800, T - 1800]) {
    assert.ok(await verify(`t=${T},v0=${HEX}`, { at }), String(at - T));
  }
});

Deno.test("verifySignature() of calls takes the signature of any of several secrets", async () => {
  assert.ok(await verify(`t=${T},v0=${HEX}`, { secret: `wsec_other, ${SECRET}` }));
  assert.equal(await verify(`t=${T},v0=${HEX}`, { secret: "wsec_other,wsec_third" }), false);
});

const REFUSED: [why: string, header: string | undefined, options?: Parameters<typeof verify>[1]][] = [
  ["no header", undefined],
  ["an empty header", ""],
  ["no time", `v0=${HEX}`],
  ["no signature", `t=${T}`],
  ["another time", `t=${T + 1},v0=${HEX}`],
  ["a time that is no number", `t=1e9,v0=${HEX}`],
  ["a changed digit", `t=${T},v0=${HEX.replace("5", "6")}`],
  ["a short signature", `t=${T},v0=${HEX.slice(2)}`],
  ["an old signature", `t=${T},v0=${HEX}`, { at: T + 1801 }],
  ["a signature from times to come", `t=${T},v0=${HEX}`, { at: T - 1801 }],
  ["another secret", `t=${T},v0=${HEX}`, { secret: "wsec_abd" }],
  ["an empty secret", `t=${T},v0=${HEX}`, { secret: "" }],
  ["several empty secrets", `t=${T},v0=${HEX}`, { secret: ", ," }],
  ["a changed body", `t=${T},v0=${HEX}`, { body: `${BODY} ` }],
];

for (const [why, header, options] of REFUSED) {
  Deno.test(`verifySignature() of calls refuses ${why}`, async () => {
    assert.equal(await verify(header, options), false);
  });
}

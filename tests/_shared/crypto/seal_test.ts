import assert from "node:assert/strict";
import fc from "fast-check";
import { accessKeyOf, createSealer, senderTokenOf } from "../../../supabase/functions/_shared/crypto/seal.ts";

const KEY = "a-key-of-at-least-32-characters-xx";
const OTHER_KEY = "another-key-of-at-least-32-characters";
const [COMPANY, ROW] = [crypto.randomUUID(), crypto.randomUUID()];
const OWNER = senderTokenOf(COMPANY, ROW);

Deno.test("createSealer() opens what it sealed, whatever it was", async () => {
  const sealer = createSealer(KEY);
  await fc.assert(fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 500 }), async (plain) => {
    assert.equal(await sealer.open(await sealer.seal(plain, OWNER), OWNER), plain);
  }));
});

Deno.test("createSealer() never seals the same text the same way, nor shows it", async () => {
  const sealer = createSealer(KEY);
  const sealed = await Promise.all(Array.from({ length: 50 }, () => sealer.seal("secret-token", OWNER)));

  assert.equal(new Set(sealed).size, 50);
  const form = new RegExp(`^${sealer.keyId}\\.[A-Za-z0-9_-]+$`);
  assert.ok(sealed.every((text) => form.test(text) && !text.includes("secret")));
});

Deno.test("createSealer() opens nothing that was altered or made up", async () => {
  const sealer = createSealer(KEY);
  const sealed = await sealer.seal("secret-token", OWNER);
  const flipped = sealed.slice(0, 20) + (sealed[20] === "A" ? "B" : "A") + sealed.slice(21);

  for (const text of [flipped, sealed.slice(0, -3), sealed.slice(4), "", "AAAA", "not base64url!"]) {
    await assert.rejects(sealer.open(text, OWNER), { name: "UnsealError" }, text);
  }
});

Deno.test("a sealed text opens for its own row only", async () => {
  const sealer = createSealer(KEY);
  const sealed = await sealer.seal("secret-token", OWNER);
  const owners = [
    senderTokenOf(COMPANY, crypto.randomUUID()),
    senderTokenOf(crypto.randomUUID(), ROW),
    accessKeyOf(COMPANY, ROW),
  ];

  for (const owner of owners) {
    await assert.rejects(sealer.open(sealed, owner), {
      message: "it was altered, or sealed for another row",
    });
  }
  assert.equal(await sealer.open(sealed, senderTokenOf(COMPANY.toUpperCase(), ROW)), "secret-token");
});

Deno.test("with several keys the first seals and all of them open", async () => {
  const [old, both, next] = [KEY, `${OTHER_KEY}, ${KEY}`, OTHER_KEY].map(createSealer);
  const [before, after] = [await old!.seal("before", OWNER), await both!.seal("after", OWNER)];

  assert.deepEqual([await both!.open(before, OWNER), await both!.open(after, OWNER)], ["before", "after"]);
  assert.equal(await next!.open(after, OWNER), "after");
  assert.deepEqual(both!.keyIds, [next!.keyId, old!.keyId]);
});

Deno.test("a text sealed with a key that OUTBOUND_SECRETS_KEY does not have is refused by the key's name", async () => {
  const other = createSealer(OTHER_KEY);
  const sealed = await other.seal("secret-token", OWNER);

  await assert.rejects(createSealer(KEY).open(sealed, OWNER), {
    message: `it is sealed with the key ${other.keyId}, which OUTBOUND_SECRETS_KEY does not have`,
  });
});

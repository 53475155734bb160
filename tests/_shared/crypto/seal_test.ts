import assert from "node:assert/strict";
import fc from "fast-check";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";

const KEY = "a-key-of-at-least-32-characters-xx";

Deno.test("createSealer() opens what it sealed, whatever it was", async () => {
  const sealer = createSealer(KEY);
  await fc.assert(fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 500 }), async (plain) => {
    assert.equal(await sealer.open(await sealer.seal(plain)), plain);
  }));
});

Deno.test("createSealer() never seals the same text the same way, nor shows it", async () => {
  const sealer = createSealer(KEY);
  const sealed = await Promise.all(Array.from({ length: 50 }, () => sealer.seal("secret-token")));

  assert.equal(new Set(sealed).size, 50);
  assert.ok(sealed.every((text) => /^[A-Za-z0-9_-]+$/.test(text) && !text.includes("secret")));
});

Deno.test("createSealer() opens nothing that was sealed with another key, altered or made up", async () => {
  const sealer = createSealer(KEY);
  const sealed = await sealer.seal("secret-token");
  const flipped = sealed.slice(0, 20) + (sealed[20] === "A" ? "B" : "A") + sealed.slice(21);

  await assert.rejects(createSealer(`${KEY}!`).open(sealed));
  for (const text of [flipped, sealed.slice(0, -3), sealed.slice(4), "", "AAAA", "not base64url!"]) {
    await assert.rejects(sealer.open(text), text);
  }
});

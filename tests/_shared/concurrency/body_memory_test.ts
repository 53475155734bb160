import assert from "node:assert/strict";
import { createBodyMemory } from "../../../supabase/functions/_shared/concurrency/body_memory.ts";

const MIB = 1024 * 1024;
const LARGE = { isKnown: false, maxBytes: 8 * MIB };
const SMALL = { isKnown: false, maxBytes: 32 * 1024 };

Deno.test("BodyMemory gives one address a third of what strangers' large bodies share", () => {
  const memory = createBodyMemory();

  const given = ["a", "b", "c"].map((address) => memory.take(8 * MIB, { ...LARGE, address: () => address }));
  assert.ok(given.every((release) => release !== null));
  assert.equal(memory.take(1, { ...LARGE, address: () => "a" }), null);
  assert.equal(memory.take(1, { ...LARGE, address: () => "d" }), null);
  given[0]!();
  assert.ok(memory.take(8 * MIB, { ...LARGE, address: () => "d" }));
});

Deno.test("BodyMemory keeps room for small bodies and for known callers while large ones fill theirs", () => {
  const memory = createBodyMemory();
  for (const address of ["a", "b", "c"]) memory.take(8 * MIB, { ...LARGE, address: () => address });

  assert.ok(memory.take(MIB, { ...SMALL, address: () => "a" }));
  assert.equal(memory.take(1, { ...SMALL, address: () => "a" }), null);
  assert.ok(memory.take(MIB, { ...SMALL, address: () => "b" }));
  assert.ok(memory.take(32 * MIB, { isKnown: true, address: () => "a", maxBytes: MIB }));
});

Deno.test("BodyMemory gives one company half of what known callers share, and the platforms all of it", () => {
  const memory = createBodyMemory();
  const known = { isKnown: true, address: () => "a", maxBytes: 2 * MIB };

  const given = Array.from({ length: 8 }, () => memory.take(2 * MIB, { ...known, caller: "acme" }));
  assert.ok(given.every((release) => release !== null));
  assert.equal(memory.take(1, { ...known, caller: "acme" }), null);
  assert.ok(memory.take(2 * MIB, { ...known, caller: "other" }));
  assert.ok(memory.take(14 * MIB, known));
  assert.equal(memory.take(1, known), null);
});

Deno.test("BodyMemory has all its room again when all is given back", () => {
  const memory = createBodyMemory();
  const releases = [3, 2 * MIB, 5].map((bytes) =>
    memory.take(bytes, { ...LARGE, address: () => undefined })!
  );
  for (const release of releases) release();

  assert.ok(memory.take(8 * MIB, { ...LARGE, address: () => undefined }));
});

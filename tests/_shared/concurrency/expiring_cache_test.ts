import assert from "node:assert/strict";
import { createExpiringCache } from "../../../supabase/functions/_shared/concurrency/expiring_cache.ts";
import { eventually } from "../../setup/eventually.ts";

/** A cache whose loads are numbered. */
function countingCache(options: { ttlMs?: number; maxEntries?: number } = {}) {
  const loads: unknown[] = [];
  const cache = createExpiringCache((key: unknown) => {
    loads.push(key);
    return Promise.resolve(loads.length);
  }, { ttlMs: 60_000, maxEntries: 100, ...options });
  return { cache, loads };
}

Deno.test("createExpiringCache() loads a value once for all who ask", async () => {
  const { cache, loads } = countingCache();

  const values = await Promise.all([cache.get("a"), cache.get("a"), cache.get("b")]);

  assert.deepEqual(values, [1, 1, 2]);
  assert.deepEqual(loads, ["a", "b"]);
});

Deno.test("createExpiringCache() compares keys by what is in them", async () => {
  const { cache, loads } = countingCache();

  await cache.get({ a: 1, b: null });
  await cache.get({ a: 1, b: null });
  await cache.get({ a: "1", b: null });

  assert.equal(loads.length, 2);
});

Deno.test("createExpiringCache() loads again when the value is too old", async () => {
  const { cache } = countingCache({ ttlMs: 30 });
  await cache.get("a");
  assert.equal(cache.find("a").isFresh, false);

  await eventually(() => assert.equal(cache.find("a").isFresh, true));

  assert.equal(await cache.get("a"), 2);
});

Deno.test("refresh() of a cache loads now, and what it got is kept", async () => {
  const { cache } = countingCache();
  await cache.get("a");

  const values = [await cache.refresh("a"), await cache.get("a")];

  assert.deepEqual(values, [2, 2]);
});

Deno.test("createExpiringCache() does not keep a failure", async () => {
  let fail = true;
  const cache = createExpiringCache(
    (key: string) => fail ? Promise.reject(new Error(key)) : Promise.resolve(key),
    {
      ttlMs: 60_000,
      maxEntries: 10,
    },
  );
  await assert.rejects(cache.get("a"), /a/);
  fail = false;

  assert.equal(await cache.get("a"), "a");
});

Deno.test("createExpiringCache() keeps a newer value when an older load fails late", async () => {
  const first = Promise.withResolvers<string>();
  const loads = [first.promise, Promise.resolve("new")];
  const cache = createExpiringCache(() => loads.shift()!, { ttlMs: 60_000, maxEntries: 10 });
  const old = assert.rejects(cache.get("a"));
  await cache.refresh("a");

  first.reject(new Error("late"));
  await old;

  assert.equal(await cache.get("a"), "new");
});

Deno.test("createExpiringCache() makes room by what was loaded longest ago", async () => {
  const { cache } = countingCache({ maxEntries: 2 });
  for (const key of ["a", "b"]) await cache.get(key);
  await cache.refresh("a");

  await cache.get("c");

  assert.deepEqual(["a", "b", "c"].map((key) => cache.find(key).isFresh), [false, true, false]);
});

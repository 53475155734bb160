import assert from "node:assert/strict";
import fc from "fast-check";
import { TokenBuckets } from "../../../local/sandbox/messages/send_limits.ts";
import { OTHER_NUMBER_ID, OTHER_TOKEN, sendBody, withPlatform } from "./with_platform.ts";

Deno.test("a number accepts 80 messages at once and refuses more with 130429", () =>
  withPlatform(async ({ call, send }) => {
    const path = `/v25.0/${OTHER_NUMBER_ID}/messages`;
    const started = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => call("POST", path, { token: OTHER_TOKEN, body: sendBody() })),
    );
    const seconds = (Date.now() - started) / 1000;

    const taken = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status, body }) => status === 429 && body.error.code === 130429).length;
    assert.equal(taken + refused, 200);
    assert.ok(taken >= 80 && taken <= 80 + 80 * seconds + 1, `${taken} in ${seconds} s`);
    assert.equal((await send()).status, 200, "another number is not slowed");
  }));

Deno.test("settings: rate_per_second overrides the limit of every number, 0 lifts it", () =>
  withPlatform(async ({ send, control }) => {
    await control("PUT", "settings", { rate_per_second: 1 });
    const limited = [(await send()).status, (await send()).status];

    await control("PUT", "settings", { rate_per_second: 0 });
    const free = [(await send()).status, (await send()).status];

    assert.deepEqual([limited, free], [[200, 429], [200, 200]]);
  }));

Deno.test("pair limit: off until set, then 45 at once to one person and 131056 after", () =>
  withPlatform(async ({ send, control }) => {
    const before = await Promise.all(Array.from({ length: 50 }, () => send()));
    assert.ok(before.every(({ status }) => status === 200));

    await control("PUT", "settings", { pair_limit: true });
    const answers = await Promise.all(Array.from({ length: 46 }, () => send()));
    const refused = answers.filter(({ status }) => status !== 200);

    assert.equal(refused.length, 1);
    assert.deepEqual([refused[0]!.status, refused[0]!.body.error.code], [429, 131056]);
    assert.equal((await send({ to: "+573001112244" })).status, 200);
  }));

Deno.test("TokenBuckets never lets more through than the burst and what has flowed in since", () => {
  const steps = fc.array(
    fc.record({ wait: fc.integer({ min: 0, max: 400 }), key: fc.constantFrom("a", "b") }),
    {
      maxLength: 300,
    },
  );
  fc.assert(fc.property(steps, fc.integer({ min: 1, max: 20 }), (walk, rate) => {
    const buckets = new TokenBuckets();
    const taken = new Map<string, number>();
    let now = 0;
    for (const { wait, key } of walk) {
      now += wait;
      if (buckets.take(key, { burst: rate, perSecond: rate }, now)) taken.set(key, (taken.get(key) ?? 0) + 1);
      assert.ok((taken.get(key) ?? 0) <= rate + (now / 1000) * rate + 1e-6);
    }
  }));
});

Deno.test("TokenBuckets drops keys that are full again and keeps those that are not", () => {
  const buckets = new TokenBuckets();
  const limit = { burst: 1, perSecond: 0.001 };
  assert.equal(buckets.take("kept", limit, 999_000), true);
  for (let key = 0; key < 5000; key++) buckets.take(`key ${key}`, limit, 0);

  assert.equal(buckets.take("kept", limit, 1_000_000), false);
});

import assert from "node:assert/strict";
import { keyRateExceeded } from "../../../supabase/functions/_shared/access/key_refusal.ts";
import { createRefusedKeys } from "../../../supabase/functions/_shared/access/refused_keys.ts";
import { quotaExceeded, type Refusal } from "../../../supabase/functions/_shared/errors.ts";
import { NOW, sendContext } from "../campaigns/campaign_facts.ts";

const KEY = { keyHash: "k", permission: "chatapp_notifications" };
const OTHERS = [{ ...KEY, keyHash: "other" }, { ...KEY, permission: "voice_notifications" }];

/** A memory with a clock in milliseconds. */
function memory() {
  const clock = { ms: 0 };
  return { clock, keys: createRefusedKeys(() => clock.ms) };
}

const state = (reset_s: number) => ({ ...sendContext(), rate_limit: 600, remaining: 0, reset_s });
const rateExceeded = (reset_s: number) => ({
  refusal: keyRateExceeded(state(reset_s), NOW),
  key: state(reset_s),
});

Deno.test("createRefusedKeys() knows a key over its rate for a second, and how long it has to wait", () => {
  const { clock, keys } = memory();
  keys.record(KEY, rateExceeded(30));

  clock.ms = 999;
  const known = keys.find(KEY, NOW)!;
  assert.deepEqual([known.key.reset_s, known.refusal.retryAfterS], [30, 30]);
  assert.deepEqual(OTHERS.map((other) => keys.find(other, NOW)), [undefined, undefined]);

  clock.ms = 1000;
  assert.equal(keys.find(KEY, NOW), undefined);
});

Deno.test("createRefusedKeys() forgets a key over its rate before its minute is over", () => {
  const { clock, keys } = memory();
  keys.record(KEY, rateExceeded(2));
  assert.ok(keys.find(KEY, NOW));
  clock.ms = 1;
  // 1.999 s, which is 2 rounded up.
  assert.ok(keys.find(KEY, NOW));

  keys.record(KEY, rateExceeded(1));

  assert.equal(keys.find(KEY, NOW), undefined);
});

Deno.test("createRefusedKeys() keeps only refusals that meet the next request of the key, too", () => {
  const codes: [Refusal["code"], boolean][] = [
    ["api_access_off", true],
    ["permission_missing", true],
    ["unauthorized", false],
    ["template_not_found", false],
    ["quota_exceeded", false],
  ];
  for (const [code, isKept] of codes) {
    const { keys } = memory();
    keys.record(KEY, { refusal: { code, message: "" }, key: state(30) });
    assert.equal(keys.find(KEY, NOW) !== undefined, isKept, code);
  }
});

Deno.test("createRefusedKeys() knows for a second which size crosses a quota", () => {
  const { clock, keys } = memory();
  const refusal = quotaExceeded("", { quota: 10, used: 7 }, NOW);
  keys.recordQuota("k", 4, { refusal, key: state(30) });

  assert.deepEqual([3, 4, 5].map((size) => keys.findQuota("k", size) !== undefined), [false, true, true]);
  assert.equal(keys.findQuota("other", 4), undefined);
  clock.ms = 1000;
  assert.equal(keys.findQuota("k", 4), undefined);
});

Deno.test("createRefusedKeys() forgets a quota before the day is over", () => {
  const { keys } = memory();
  const lastMoment = new Date("2026-06-01T23:59:59.100Z");
  keys.recordQuota("k", 4, {
    refusal: quotaExceeded("", { quota: 10, used: 7 }, lastMoment),
    key: state(30),
  });

  assert.equal(keys.findQuota("k", 4), undefined);
});

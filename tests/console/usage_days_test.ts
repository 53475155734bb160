import assert from "node:assert/strict";
import { daysOf, today } from "../../console/screens/keys/usage_days.ts";

Deno.test("daysOf() adds up all keys of a day, and has the days on which nothing was done", () => {
  const row = { day: today(), key_id: "k", is_current: true, notifications: 5, requests: 1, daily_quota: 9 };

  const days = daysOf([row, { ...row, key_id: "old", notifications: 2 }, { ...row, day: "2020-01-01" }], 7);

  assert.equal(days.length, 7);
  assert.deepEqual(days.at(-1), { at: Date.parse(today()), notifications: 7, requests: 2 });
  assert.equal(days.slice(0, -1).every(({ notifications }) => notifications === 0), true);
});

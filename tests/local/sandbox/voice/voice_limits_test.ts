import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import { OTHER_API_KEY, withVoice } from "./with_voice.ts";

const LONG = { settings: { ring_ms: 60_000 } };

Deno.test("a call over the account's concurrency is refused; the others have lines of their own", () =>
  withVoice(async ({ dial, control, calls }) => {
    const other = { agent_id: "agent_other", agent_phone_number_id: "phnum_other" };
    const answers = [];
    for (let each = 0; each < 3; each++) answers.push(await dial(other, { key: OTHER_API_KEY }));

    assert.deepEqual(answers.map(({ status }) => status), [200, 200, 429]);
    assert.deepEqual([answers[2]!.body.detail.type, answers[2]!.body.detail.code], [
      "rate_limit_error",
      "concurrent_limit_exceeded",
    ]);
    assert.equal((await dial()).status, 200);
    assert.equal((await calls()).length, 3);
    const { active, most_at_once, accounts, refused } = (await control("GET", "voice/stats")).body;
    assert.deepEqual([active, most_at_once, refused.concurrent_limit_exceeded], [3, 3, 1]);
    assert.deepEqual(accounts.other, { active: 2, most_at_once: 2 });
  }, LONG));

Deno.test("a line is free again when its call ends, whatever became of it", () =>
  withVoice(async ({ dial, control, calls }) => {
    await control("PUT", "voice/settings", { concurrency: 1 });
    for (const ending of ["0101", "0102", "0103", "0104", "0199"]) {
      assert.equal((await dial({ to_number: `+57300111${ending}` })).status, 200);
      await eventually(async () => assert.equal((await calls()).at(-1)!.status, "ended"));
    }

    const { active, most_at_once } = (await control("GET", "voice/stats")).body;
    assert.deepEqual([active, most_at_once], [0, 1]);
  }));

Deno.test("twenty calls at a time are the default, zero means no limit", () =>
  withVoice(async ({ dial, control }) => {
    for (let each = 0; each < 20; each++) assert.equal((await dial()).status, 200);
    assert.equal((await dial()).status, 429);

    await control("PUT", "voice/settings", { concurrency: 0 });

    assert.equal((await dial()).status, 200);
    assert.equal((await control("GET", "voice/stats")).body.most_at_once, 21);
  }, LONG));

Deno.test("settings: calls_per_second refuses what comes too fast with rate_limit_exceeded", () =>
  withVoice(async ({ dial, calls }) => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => dial()));

    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 2);
    assert.equal(refused[0]!.body.detail.code, "rate_limit_exceeded");
    assert.equal((await calls()).length, 5 - refused.length);
  }, { settings: { calls_per_second: 2 } }));

import assert from "node:assert/strict";
import { startSandbox } from "../../../../local/sandbox/start.ts";
import { withVoice } from "./with_voice.ts";

Deno.test("PUT /sandbox/voice/settings changes the named settings and keeps the others", () =>
  withVoice(async ({ control }) => {
    const before = (await control("GET", "voice/settings")).body;

    const answer = await control("PUT", "voice/settings", { talk_ms: 7, manual: true });

    assert.deepEqual(answer.body, { ...before, talk_ms: 7, manual: true });
    assert.deepEqual((await control("GET", "voice/settings")).body, answer.body);
  }));

for (
  const body of [{ colour: 1 }, { ring_ms: -1 }, { webhook_url: "ftp://a.test" }, { webhook_attempts: 0 }, []]
) {
  Deno.test(`PUT /sandbox/voice/settings refuses ${JSON.stringify(body)}`, () =>
    withVoice(async ({ control }) => {
      assert.equal((await control("PUT", "voice/settings", body)).status, 400);
    }));
}

for (const body of [{ to: "1", outcome: "busy" }, { to: "+573001112233", outcome: "asleep" }, {}]) {
  Deno.test(`PUT /sandbox/voice/outcomes refuses ${JSON.stringify(body)}`, () =>
    withVoice(async ({ control }) => {
      assert.equal((await control("PUT", "voice/outcomes", body)).status, 400);
    }));
}

Deno.test("voice controls insist on JSON, so that no page of another origin can use them", () =>
  withVoice(async ({ url }) => {
    const response = await fetch(`${url}/sandbox/voice/settings`, { method: "PUT", body: "{}" });

    assert.equal(response.status, 415);
    await response.body?.cancel();
  }));

Deno.test("POST /sandbox/voice/accounts adds an account that can call at once; keys are not shown", () =>
  withVoice(async ({ dial, control }) => {
    const account = {
      id: "third",
      apiKey: "key-c",
      concurrency: 1,
      agents: [{ agentId: "agent_third", name: "Third", firstMessage: "Hi." }],
      phoneNumbers: [{ phoneNumberId: "phnum_third", phoneNumber: "+15550009999", provider: "twilio" }],
    };

    assert.equal((await control("POST", "voice/accounts", account)).status, 200);

    const call = { agent_id: "agent_third", agent_phone_number_id: "phnum_third" };
    assert.equal((await dial(call, { key: "key-c" })).status, 200);
    assert.equal(JSON.stringify((await control("GET", "voice/accounts")).body).includes("key-"), false);
    assert.equal((await control("POST", "voice/accounts", { ...account, id: "fourth" })).status, 400);
    assert.equal((await control("POST", "voice/accounts", { ...account, id: "a b" })).status, 400);
  }));

Deno.test("startSandbox() refuses two voice accounts with one key", async () => {
  const account = { id: "a", apiKey: "same", agents: [], phoneNumbers: [] };

  await assert.rejects(
    startSandbox({
      port: 0,
      webhookUrl: null,
      appSecret: "unused",
      accounts: [],
      voice: { webhookUrl: null, webhookSecret: "s", accounts: [account, { ...account, id: "b" }] },
    }),
    /key of b/,
  );
});

Deno.test("GET /sandbox/voice/phones returns the phones with the latest call first", () =>
  withVoice(async ({ dial, control }) => {
    for (const to_number of ["+573001112233", "+34600111222", "+573001112233"]) await dial({ to_number });

    const { phones } = (await control("GET", "voice/phones")).body;
    const found = (await control("GET", "voice/phones?search=600")).body.phones;

    assert.deepEqual(
      phones.map(({ number, calls }: { number: string; calls: unknown[] }) => [number, calls.length]),
      [["573001112233", 2], ["34600111222", 1]],
    );
    assert.deepEqual(found.map(({ number }: { number: string }) => number), ["34600111222"]);
  }));

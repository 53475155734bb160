import assert from "node:assert/strict";
import { AGENT_ID, API_KEY, OTHER_API_KEY, SIP_ID, TWILIO_ID, withVoice } from "./with_voice.ts";

Deno.test("GET phone-numbers returns a bare array in the platform's shape", () =>
  withVoice(async ({ call }) => {
    const { status, body } = await call("GET", "/v1/convai/phone-numbers");

    assert.equal(status, 200);
    assert.deepEqual(body[0], {
      provider: "twilio",
      phone_number_id: TWILIO_ID,
      phone_number: "+15550001111",
      label: "+15550001111",
      supports_inbound: true,
      supports_outbound: true,
      assigned_agent: { agent_id: AGENT_ID, agent_name: "Reminder", environment: null, branch_id: null },
    });
    assert.partialDeepStrictEqual(body[1], {
      provider: "sip_trunk",
      assigned_agent: null,
      livekit_stack: "standard",
    });
    assert.equal(body[2].supports_outbound, false);
  }));

Deno.test("GET phone-numbers filters by provider and agent", () =>
  withVoice(async ({ call }) => {
    const ids = async (query: string) =>
      (await call("GET", `/v1/convai/phone-numbers?${query}`)).body
        .map(({ phone_number_id: id }: { phone_number_id: string }) => id);

    assert.deepEqual(await ids("provider=sip_trunk"), [SIP_ID]);
    assert.deepEqual(await ids(`agent_id=${AGENT_ID}`), [TWILIO_ID]);
  }));

Deno.test("GET phone-numbers/{id} returns one number; another account's is not there", () =>
  withVoice(async ({ call }) => {
    const own = await call("GET", `/v1/convai/phone-numbers/${SIP_ID}`);
    const foreign = await call("GET", `/v1/convai/phone-numbers/${SIP_ID}`, { key: OTHER_API_KEY });

    assert.equal(own.body.label, "Desk");
    assert.deepEqual([foreign.status, foreign.body.detail.status], [404, "phone_number_not_found"]);
  }));

Deno.test("GET agents pages through the agents of the account", () =>
  withVoice(async ({ call }) => {
    const first = (await call("GET", "/v1/convai/agents?page_size=2")).body;
    const second = (await call("GET", `/v1/convai/agents?page_size=2&cursor=${first.next_cursor}`)).body;

    const ids = [...first.agents, ...second.agents].map(({ agent_id: id }) => id);
    assert.deepEqual(ids, [AGENT_ID, "agent_plain", "agent_prompted"]);
    assert.deepEqual([first.has_more, second.has_more, second.next_cursor], [true, false, null]);
  }));

Deno.test("GET agents finds by name and refuses a page that makes no sense", () =>
  withVoice(async ({ call }) => {
    const found = (await call("GET", "/v1/convai/agents?search=plain")).body;
    const bad = await call("GET", "/v1/convai/agents?page_size=101");

    assert.deepEqual(found.agents.map(({ name }: { name: string }) => name), ["Plain"]);
    assert.equal(bad.status, 422);
    assert.deepEqual(bad.body.detail[0].loc, ["query", "page_size"]);
  }));

Deno.test("GET agents/{id} returns its configuration; another account's is not there", () =>
  withVoice(async ({ call }) => {
    const own = (await call("GET", `/v1/convai/agents/${AGENT_ID}`)).body;
    const foreign = await call("GET", `/v1/convai/agents/${AGENT_ID}`, { key: OTHER_API_KEY });

    assert.equal(own.name, "Reminder");
    assert.match(own.conversation_config.agent.first_message, /\{\{customer_name\}\}/);
    assert.equal(own.phone_numbers[0].phone_number_id, TWILIO_ID);
    assert.equal(foreign.status, 404);
  }));

Deno.test("every agent of a list can be talked to in a browser, also of an account made by a control", () =>
  withVoice(async ({ call, control }) => {
    await control("POST", "voice/accounts", {
      id: "later",
      apiKey: "key-later",
      agents: [{ agentId: "agent_later", name: "Later", firstMessage: "Hi." }],
      phoneNumbers: [],
    });
    const signedUrl = (key: string, agent: string) =>
      call("GET", `/v1/convai/conversation/get-signed-url?agent_id=${agent}`, { key });

    for (const key of [API_KEY, "key-later"]) {
      const { body } = await call("GET", "/v1/convai/agents", { key });
      for (const { agent_id } of body.agents) assert.equal((await signedUrl(key, agent_id)).status, 200);
    }
    assert.equal((await signedUrl("key-later", AGENT_ID)).status, 404);
  }));

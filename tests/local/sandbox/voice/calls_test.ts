import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import {
  API_KEY,
  callBody,
  clientData,
  OTHER_API_KEY,
  SIP_ID,
  type TestVoice,
  withVoice,
} from "./with_voice.ts";

/** Makes a call and waits until it is reported. */
async function dialAndWait({ dial, calls }: TestVoice, changes: JsonObject = {}): Promise<JsonObject> {
  const { body } = await dial(changes);
  let call: JsonObject = {};
  await eventually(async () => {
    call = (await calls()).find(({ id }) => id === body.conversation_id)!;
    assert.ok(call.webhooks.length > 0);
  });
  return call;
}

Deno.test("an answered call is held with the values put in, and reported once it is analysed", () =>
  withVoice(async (voice) => {
    const call = await dialAndWait(voice);

    assert.deepEqual([call.status, call.outcome, call.duration_secs], ["ended", "answered", 1]);
    assert.deepEqual(call.transcript.map(({ role, message }: JsonObject) => `${role}: ${message}`), [
      "agent: Hello Asha, your order 17 is ready.",
      "user: I will come today.",
      "agent: See you, Asha.",
    ]);
    const { body: conversation } = await voice.call("GET", `/v1/convai/conversations/${call.id}`);
    assert.partialDeepStrictEqual(conversation, {
      agent_id: "agent_reminder",
      agent_name: "Reminder",
      conversation_id: call.id,
      status: "done",
      user_id: "ref-1",
      metadata: {
        call_duration_secs: 1,
        error: null,
        phone_call: {
          type: "twilio",
          direction: "outbound",
          agent_number: "+15550001111",
          external_number: "+573001112233",
          call_result: "answered",
          call_sid: call.platform_call_id,
        },
      },
      analysis: { call_successful: "success" },
      conversation_initiation_client_data: { dynamic_variables: { customer_name: "Asha", order: 17 } },
    });
    const [hook] = voice.hooks.received;
    assert.equal(hook!.body.type, "post_call_transcription");
    assert.partialDeepStrictEqual(hook!.body.data, conversation);
  }));

/** The last digits of a number, what comes of a call to it, the conversation's status and the reported reason. */
const NO_CONVERSATION = [
  ["0101", "busy", "busy"],
  ["0102", "no_answer", "no-answer"],
  ["0104", "failed", "unknown"],
] as const;

for (const [ending, outcome, reason] of NO_CONVERSATION) {
  Deno.test(`a number ending in ${ending} is ${outcome}, reported as a Twilio call that was not initiated`, () =>
    withVoice(async (voice) => {
      const to_number = `+57300111${ending}`;
      const call = await dialAndWait(voice, { to_number });

      assert.deepEqual([call.outcome, call.transcript, call.duration_secs], [outcome, [], 0]);
      const { body } = await voice.call("GET", `/v1/convai/conversations/${call.id}`);
      assert.deepEqual([body.status, body.metadata.phone_call.call_result], ["failed", outcome]);
      assert.equal(body.analysis, null);
      const { type, data } = voice.hooks.received[0]!.body;
      assert.equal(type, "call_initiation_failure");
      assert.deepEqual([data.conversation_id, data.failure_reason], [call.id, reason]);
      assert.equal(data.metadata.type, "twilio");
      assert.partialDeepStrictEqual(data.metadata.body, {
        CallSid: call.platform_call_id,
        To: to_number,
        From: "+15550001111",
        Direction: "outbound-api",
      });
    }));
}

Deno.test("a SIP call that is not answered is reported with the SIP status", () =>
  withVoice(async (voice) => {
    await voice.call("POST", "/v1/convai/sip-trunk/outbound-call", {
      body: callBody({ agent_phone_number_id: SIP_ID, to_number: "+573001110102" }),
    });
    await eventually(() => assert.equal(voice.hooks.received.length, 1));

    const { metadata, failure_reason } = voice.hooks.received[0]!.body.data;
    assert.equal(failure_reason, "no-answer");
    assert.equal(metadata.type, "sip");
    assert.partialDeepStrictEqual(metadata.body, {
      from_number: "+15550002222",
      to_number: "+573001110102",
      sip_status_code: 480,
    });
  }));

Deno.test("a number ending in 0103 is a voicemail: the agent speaks, and no failure is reported", () =>
  withVoice(async (voice) => {
    const call = await dialAndWait(voice, { to_number: "+573001110103" });

    assert.equal(call.outcome, "voicemail");
    assert.deepEqual(call.transcript.map(({ role }: JsonObject) => role), ["agent"]);
    const types = voice.hooks.received.map(({ body }) => body.type);
    assert.deepEqual(types, ["post_call_transcription"]);
    assert.equal(voice.hooks.received[0]!.body.data.metadata.phone_call.call_result, "voicemail");
  }));

Deno.test("machine detection reports that a machine picked up, before the conversation is reported", () =>
  withVoice(async ({ dial, hooks }) => {
    await dial({
      to_number: "+573001110103",
      telephony_call_config: { twilio_machine_detection: { mode: "enable" } },
    });

    await eventually(() => assert.equal(hooks.received.length, 2));
    const byType = new Map(hooks.received.map(({ body }) => [body.type, body.data]));
    assert.equal(byType.get("answering_machine_detection").metadata.body.AnsweredBy, "machine_start");
    assert.ok(byType.has("post_call_transcription"));
  }));

Deno.test("a number ending in 0105 is answered and no webhook is sent", () =>
  withVoice(async ({ dial, calls, hooks }) => {
    await dial({ to_number: "+573001110105" });
    await eventually(async () => assert.ok((await calls())[0]!.analysed_at));
    await dial({ to_number: "+573001119999" });
    await eventually(() => assert.equal(hooks.received.length, 1));

    assert.equal((await calls())[0]!.outcome, "answered");
    assert.equal(hooks.received[0]!.body.data.metadata.phone_call.external_number, "+573001119999");
  }));

Deno.test("PUT /sandbox/voice/outcomes decides for a number, whatever its last digits say", () =>
  withVoice(async (voice) => {
    const outcome = { to: "+573001110101", outcome: "answered", duration_secs: 77 };
    assert.equal((await voice.control("PUT", "voice/outcomes", outcome)).status, 200);

    const call = await dialAndWait(voice, { to_number: "+573001110101" });

    assert.deepEqual([call.outcome, call.duration_secs], ["answered", 77]);
    assert.deepEqual((await voice.control("DELETE", "voice/outcomes")).body, { removed: 1 });
    assert.equal((await dialAndWait(voice, { to_number: "+573001110101" })).outcome, "busy");
  }));

Deno.test("an agent that lacks a variable for its first message ends the call with an error", () =>
  withVoice(async (voice) => {
    const call = await dialAndWait(voice, {
      conversation_initiation_client_data: { dynamic_variables: { order: "1" } },
    });

    const { body } = await voice.call("GET", `/v1/convai/conversations/${call.id}`);
    assert.deepEqual([body.status, body.transcript], ["failed", []]);
    assert.deepEqual(body.metadata.error, {
      code: 1008,
      reason: "Missing required dynamic variables in first message: {'customer_name'}",
    });
    assert.equal(voice.hooks.received[0]!.body.data.status, "failed");
    assert.equal(body.analysis.call_successful, "failure");
  }));

Deno.test("variables of the prompt are needed too, and overrides are not allowed", () =>
  withVoice(async (voice) => {
    const prompted = await dialAndWait(voice, { agent_id: "agent_prompted" });
    const overridden = await dialAndWait(voice, {
      agent_id: "agent_plain",
      conversation_initiation_client_data: { conversation_config_override: { agent: { language: "es" } } },
    });

    assert.match(prompted.error.reason, /in prompt: \{'product'\}/);
    assert.match(overridden.error.reason, /Override for field 'agent'/);
  }));

Deno.test("a call goes from initiated over in-progress to processing, without an analysis until it is done", () =>
  withVoice(async ({ dial, call, control }) => {
    const { body } = await dial();
    const id = body.conversation_id;
    const status = async () => {
      const conversation = (await call("GET", `/v1/convai/conversations/${id}`)).body;
      assert.equal(conversation.analysis, null);
      return conversation.status;
    };
    const next = (wanted: string) => eventually(async () => assert.equal(await status(), wanted));

    assert.equal(await status(), "initiated");
    await control("POST", `calls/${id}/answer`);
    await next("in-progress");
    await control("POST", `calls/${id}/hangup`);
    await next("processing");
  }, { settings: { manual: true, talk_ms: 60_000, analysis_ms: 60_000 } }));

Deno.test("GET conversations lists the account's own, newest first, by reference, agent and status", () =>
  withVoice(async ({ dial, call, calls }) => {
    for (const ref of ["a", "b", "a"]) await dial(clientData(ref));
    await dial({ agent_id: "agent_plain", to_number: "+573001110101" });
    await eventually(async () => assert.ok((await calls()).every(({ status }) => status === "ended")));
    const list = (await calls()).map(({ id }) => id);
    const find = async (query: string, key = API_KEY) =>
      (await call("GET", `/v1/convai/conversations?${query}`, { key })).body.conversations
        .map(({ conversation_id: id }: JsonObject) => list.indexOf(id));

    assert.deepEqual(await find(""), [3, 2, 1, 0]);
    assert.deepEqual(await find("user_id=a"), [2, 0]);
    assert.deepEqual(await find("agent_id=agent_plain"), [3]);
    assert.deepEqual(await find("exclude_statuses=done"), [3]);
    assert.deepEqual(await find("call_successful=success&page_size=2"), [2, 1]);
    assert.deepEqual(await find(`call_start_after_unix=${Math.floor(Date.now() / 1000) + 60}`), []);
    assert.deepEqual(await find("", OTHER_API_KEY), []);
    const foreign = await call("GET", `/v1/convai/conversations/${list[0]}`, { key: OTHER_API_KEY });
    assert.deepEqual([foreign.status, foreign.body.detail.code], [404, "conversation_not_found"]);
  }));

Deno.test("GET /sandbox/calls filters the ledger, DELETE clears it", () =>
  withVoice(async ({ dial, calls, control }) => {
    await dial(clientData("a"));
    await dial({ ...clientData("b"), to_number: "+573001110101" });
    await dial(clientData("c"));
    await eventually(async () => assert.ok((await calls()).every(({ status }) => status === "ended")));
    const refs = async (query: string) => (await calls(query)).map(({ user_id }) => user_id);
    const first = (await calls())[0]!.id;

    assert.deepEqual(await refs("to=573001112233"), ["a", "c"]);
    assert.deepEqual(await refs("ref=b"), ["b"]);
    assert.deepEqual(await refs("outcome=busy"), ["b"]);
    assert.deepEqual(await refs("status=ringing"), []);
    assert.deepEqual(await refs("account=other"), []);
    assert.deepEqual(await refs("agent=agent_reminder&limit=2"), ["a", "b"]);
    assert.deepEqual(await refs(`after=${first}`), ["b", "c"]);
    assert.equal((await control("GET", `calls/${first}`)).body.user_id, "a");
    assert.deepEqual((await control("DELETE", "calls")).body, { removed: 3 });
    assert.deepEqual(await calls(), []);
  }));

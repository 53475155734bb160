import assert from "node:assert/strict";
import type { JsonObject } from "../../../setup/http/http.ts";
import { callBody, OTHER_API_KEY, SIP_ID, withVoice } from "./with_voice.ts";

const SIP = "/v1/convai/sip-trunk/outbound-call";
const TWILIO = "/v1/convai/twilio/outbound-call";

Deno.test("POST twilio/outbound-call makes a call and responds with its ids", () =>
  withVoice(async ({ dial, calls }) => {
    const { status, body } = await dial();

    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["success", "message", "conversation_id", "callSid"]);
    assert.match(body.conversation_id, /^conv_[a-z0-9]{26}$/);
    assert.match(body.callSid, /^CA[0-9a-f]{32}$/);
    const [call] = await calls();
    assert.equal(call!.id, body.conversation_id);
    assert.equal(call!.platform_call_id, body.callSid);
    assert.equal(call!.to, "+573001112233");
    assert.equal(call!.user_id, "ref-1");
    assert.deepEqual(call!.dynamic_variables, { customer_name: "Asha", order: 17 });
  }));

Deno.test("POST sip-trunk/outbound-call responds with sip_call_id", () =>
  withVoice(async ({ call, calls }) => {
    const { status, body } = await call("POST", SIP, { body: callBody({ agent_phone_number_id: SIP_ID }) });

    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["success", "message", "conversation_id", "sip_call_id"]);
    assert.deepEqual((await calls()).map(({ provider, from }) => [provider, from]), [
      ["sip_trunk", "+15550002222"],
    ]);
  }));

Deno.test("POST outbound-call lets fields pass that it does not know", () =>
  withVoice(async ({ dial }) => {
    assert.equal((await dial({ colour: "red", telephony_call_config: { later: 1 } })).status, 200);
  }));

/** The fields of a request, and the status and the `detail` of its response. */
const REFUSALS: Record<string, [JsonObject, number, JsonObject]> = {
  "an unknown agent": [{ agent_id: "agent_none" }, 404, {
    type: "not_found",
    code: "agent_not_found",
    status: "agent_not_found",
  }],
  "another account's agent": [{ agent_id: "agent_other" }, 404, { code: "agent_not_found" }],
  "an unknown number": [{ agent_phone_number_id: "none" }, 404, { status: "phone_number_not_found" }],
  "a number without outbound calls": [{ agent_phone_number_id: "phnum_in" }, 400, {
    status: "invalid_provider_config",
  }],
  "a number of the other provider": [{ agent_phone_number_id: SIP_ID }, 400, {
    status: "invalid_provider_config",
  }],
  "a number without +": [{ to_number: "573001112233" }, 400, {
    type: "validation_error",
    code: "invalid_parameters",
    param: "to_number",
  }],
  "a number with spaces": [{ to_number: "+57 3001112233" }, 400, { code: "invalid_parameters" }],
  "the calling number": [{ to_number: "+15550001111" }, 400, { code: "invalid_parameters" }],
};

for (const [what, [changes, status, detail]] of Object.entries(REFUSALS)) {
  Deno.test(`POST outbound-call refuses ${what} and makes no call`, () =>
    withVoice(async ({ dial, calls }) => {
      const answer = await dial(changes);

      assert.equal(answer.status, status);
      assert.partialDeepStrictEqual(answer.body.detail, detail);
      assert.equal(typeof answer.body.detail.message, "string");
      assert.deepEqual(await calls(), []);
    }));
}

Deno.test("POST sip-trunk/outbound-call refuses a Twilio number in the older form", () =>
  withVoice(async ({ call }) => {
    const { status, body } = await call("POST", SIP, { body: callBody() });

    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body.detail), ["status", "message"]);
  }));

const UNPROCESSABLE: Record<string, [unknown, (string | number)[], string]> = {
  "no agent": [{ ...callBody(), agent_id: undefined }, ["body", "agent_id"], "missing"],
  "an agent that is no text": [callBody({ agent_id: 1 }), ["body", "agent_id"], "string_type"],
  "no object": [[], ["body"], "model_attributes_type"],
  "a variable that is null": [
    variables({ a: null }),
    ["body", "conversation_initiation_client_data", "dynamic_variables", "a", "str"],
    "string_type",
  ],
  "a variable that is an object": [
    variables({ a: {} }),
    ["body", "conversation_initiation_client_data", "dynamic_variables", "a", "str"],
    "string_type",
  ],
  "a ring timeout of half seconds": [
    callBody({ telephony_call_config: { ringing_timeout_secs: 0.5 } }),
    ["body", "telephony_call_config", "ringing_timeout_secs"],
    "int_from_float",
  ],
};

for (const [what, [body, loc, type]] of Object.entries(UNPROCESSABLE)) {
  Deno.test(`POST outbound-call responds to ${what} with 422 and a list`, () =>
    withVoice(async ({ call, calls }) => {
      const answer = await call("POST", TWILIO, { body });

      assert.equal(answer.status, 422);
      assert.partialDeepStrictEqual(answer.body.detail[0], { loc, type });
      assert.deepEqual(Object.keys(answer.body.detail[0]).sort(), ["input", "loc", "msg", "type"]);
      assert.deepEqual(await calls(), []);
    }));
}

Deno.test("POST outbound-call names every missing field", () =>
  withVoice(async ({ call }) => {
    const { body } = await call("POST", TWILIO, { body: {} });

    assert.deepEqual(body.detail.map(({ loc }: { loc: string[] }) => loc[1]), [
      "agent_id",
      "agent_phone_number_id",
      "to_number",
    ]);
  }));

Deno.test("POST outbound-call refuses broken JSON with 400 and other content with 422", () =>
  withVoice(async ({ call }) => {
    const broken = await call("POST", TWILIO, { body: '{"agent_id":' });
    const plain = await call("POST", TWILIO, { body: "{}", headers: { "Content-Type": "text/plain" } });

    assert.deepEqual([broken.status, broken.body.detail.code], [400, "malformed_json"]);
    assert.equal(plain.status, 422);
  }));

for (const path of [TWILIO, "/v1/convai/agents", "/v1/convai/phone-numbers", "/v1/convai/conversations"]) {
  Deno.test(`${path} wants a key it knows`, () =>
    withVoice(async ({ call }) => {
      const method = path === TWILIO ? "POST" : "GET";
      const options = method === "POST" ? { body: callBody() } : {};
      const none = await call(method, path, { ...options, key: null });
      const wrong = await call(method, path, { ...options, key: "nobody's" });

      assert.deepEqual([none.status, none.body.detail.code], [401, "missing_api_key"]);
      assert.deepEqual([wrong.status, wrong.body.detail.code], [401, "invalid_api_key"]);
      assert.equal(wrong.body.detail.type, "authentication_error");
    }));
}

Deno.test("an account calls with its own agents and numbers only", () =>
  withVoice(async ({ dial }) => {
    const { status, body } = await dial({}, { key: OTHER_API_KEY });

    assert.deepEqual([status, body.detail.code], [404, "agent_not_found"]);
  }));

Deno.test("unknown paths of the voice platform get a 404 response with a sentence", () =>
  withVoice(async ({ call }) => {
    const { status, body } = await call("GET", "/v1/convai/nothing");

    assert.deepEqual([status, body], [404, { detail: "Not Found" }]);
  }));

function variables(values: JsonObject): JsonObject {
  return callBody({ conversation_initiation_client_data: { dynamic_variables: values } });
}

import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { callBody, clientData, type TestVoice, withVoice } from "./with_voice.ts";

async function fault({ control }: TestVoice, value: unknown, rule: JsonObject = {}): Promise<void> {
  assert.equal((await control("POST", "voice/faults", { fault: value, ...rule })).status, 201);
}

/** Each form of an error body and what its `detail` is then. */
const FORMS: [string, (detail: unknown) => void][] = [
  [
    "current",
    (detail) => assert.partialDeepStrictEqual(detail, { code: "system_busy", status: "system_busy" }),
  ],
  ["older", (detail) => assert.deepEqual(detail, { status: "system_busy", message: "Simulated by a fault" })],
  ["list", (detail) => assert.partialDeepStrictEqual(detail, [{ loc: ["body"], type: "system_busy" }])],
  ["text", (detail) => assert.equal(detail, "Simulated by a fault")],
];

for (const [form, check] of FORMS) {
  Deno.test(`voice fault http refuses with any status and the ${form} form, and makes no call`, () =>
    withVoice(async (voice) => {
      await fault(voice, { http: 429, code: "system_busy", form, retry_after: 7 });

      const { status, body, headers } = await voice.dial();

      assert.deepEqual([status, headers.get("Retry-After")], [429, "7"]);
      check(body.detail);
      assert.deepEqual(await voice.calls(), []);
    }));
}

Deno.test("voice fault http responds without a body, or with any, and makes the call where accepted", () =>
  withVoice(async (voice) => {
    await fault(voice, { http: 502, form: "none", accepted: true }, { times: 1 });
    const empty = await voice.dial();
    await fault(voice, { http: 500, body: "<html>bad</html>" }, { times: 1 });
    const rubbish = await voice.dial();

    assert.deepEqual([empty.status, empty.body], [502, ""]);
    assert.deepEqual([rubbish.status, rubbish.body], [500, "<html>bad</html>"]);
    const calls = await voice.calls();
    assert.equal(calls.length, 1);
    assert.equal(calls[0]!.responded_at, null);
    assert.equal((await voice.dial()).status, 200);
  }));

for (const accepted of [true, false]) {
  Deno.test(`voice fault success_false responds 200 without success, accepted ${accepted}`, () =>
    withVoice(async (voice) => {
      await fault(voice, { success_false: true, accepted });

      const { status, body } = await voice.dial();

      assert.equal(status, 200);
      assert.deepEqual([body.success, body.conversation_id, body.callSid], [false, null, null]);
      assert.equal((await voice.calls()).length, accepted ? 1 : 0);
    }));
}

for (const [name, made] of [["drop", 1], ["drop_before", 0]] as const) {
  Deno.test(`voice fault ${name} closes the socket with ${made} call made`, () =>
    withVoice(async (voice) => {
      await fault(voice, name, { times: 1 });

      await assert.rejects(voice.dial(), TypeError);

      assert.equal((await voice.calls()).length, made);
      assert.equal((await voice.dial()).status, 200);
    }));
}

Deno.test("voice fault hang makes the call, reports it and never responds", () =>
  withVoice(async (voice) => {
    await fault(voice, "hang");
    const client = new AbortController();
    const pending = fetch(`${voice.url}/v1/convai/twilio/outbound-call`, {
      method: "POST",
      headers: { "xi-api-key": "key-a", "Content-Type": "application/json" },
      body: new Blob([JSON.stringify(callBody())]).stream(),
      signal: client.signal,
    });
    await eventually(() => assert.equal(voice.hooks.received.length, 1));

    client.abort();

    await assert.rejects(pending, { name: "AbortError" });
    assert.equal((await voice.calls())[0]!.responded_at, null);
    assert.equal((await voice.control("GET", "voice/stats")).body.responded, 0);
  }));

Deno.test("voice faults invalid_json and null_ids make the call and respond with an unusable body", () =>
  withVoice(async (voice) => {
    await fault(voice, "invalid_json", { times: 1 });
    const broken = await voice.dial();
    await fault(voice, "null_ids", { times: 1 });
    const nameless = await voice.dial();

    assert.deepEqual([broken.status, typeof broken.body], [200, "string"]);
    assert.deepEqual([nameless.body.success, nameless.body.conversation_id], [true, null]);
    assert.equal((await voice.calls()).length, 2);
  }));

Deno.test("voice fault latency_ms responds late to a call that was made at once", () =>
  withVoice(async (voice) => {
    await fault(voice, { latency_ms: 300 });
    const started = Date.now();

    const pending = voice.dial();
    await eventually(async () => assert.equal((await voice.calls()).length, 1));
    await pending;

    assert.ok(Date.now() - started >= 290);
  }));

Deno.test("voice fault early_webhook reports the whole call before the response", () =>
  withVoice(async (voice) => {
    await fault(voice, "early_webhook");

    const { body } = await voice.dial();

    assert.equal(voice.hooks.received[0]!.body.data.conversation_id, body.conversation_id);
  }, { settings: { ring_ms: 60_000, talk_ms: 60_000 } }));

Deno.test("voice fault duplicate reports each event twice", () =>
  withVoice(async (voice) => {
    await fault(voice, "duplicate");
    await voice.dial();

    await eventually(() => assert.equal(voice.hooks.received.length, 2));
    const [first, second] = voice.hooks.received.map(({ body }) => [body.type, body.data.conversation_id]);
    assert.deepEqual(first, second);
  }));

Deno.test("voice fault reorder reports the conversation before the machine that picked up", () =>
  withVoice(async (voice) => {
    await fault(voice, "reorder");
    await voice.dial({ to_number: "+573001110103" });

    await eventually(() => assert.equal(voice.hooks.received.length, 2));
    assert.deepEqual(voice.hooks.received.map(({ body }) => body.type), [
      "post_call_transcription",
      "answering_machine_detection",
    ]);
  }, { settings: { machine_detection: true } }));

Deno.test("voice fault delay_ms reports a later call first", () =>
  withVoice(async (voice) => {
    await fault(voice, { delay_ms: 400 }, { times: 1 });
    await voice.dial(clientData("slow"));
    await voice.dial(clientData("quick"));

    await eventually(() => assert.equal(voice.hooks.received.length, 2));
    assert.deepEqual(voice.hooks.received.map(({ body }) => body.data.user_id), ["quick", "slow"]);
  }));

Deno.test("voice fault lose reports nothing of a call that was held", () =>
  withVoice(async (voice) => {
    await fault(voice, "lose", { times: 1 });
    await voice.dial(clientData("lost"));
    await voice.dial(clientData("reported"));

    await eventually(() => assert.equal(voice.hooks.received.length, 1));
    assert.equal(voice.hooks.received[0]!.body.data.user_id, "reported");
    assert.equal((await voice.calls())[0]!.outcome, "answered");
  }));

Deno.test("voice fault no_echo leaves our reference and the variables out of the webhook", () =>
  withVoice(async (voice) => {
    await fault(voice, "no_echo");
    await voice.dial();

    await eventually(() => assert.equal(voice.hooks.received.length, 1));
    const { user_id, conversation_initiation_client_data } = voice.hooks.received[0]!.body.data;
    assert.deepEqual([user_id, conversation_initiation_client_data.dynamic_variables], [null, {}]);
  }));

Deno.test("voice fault outcome decides for the calls it hits, so many times", () =>
  withVoice(async (voice) => {
    await fault(voice, { outcome: "busy" }, { times: 1, match: { to: "573001112233" } });
    await voice.dial({ to_number: "+573001112244" });
    await voice.dial();
    await voice.dial();

    await eventually(async () => assert.ok((await voice.calls()).every(({ outcome }) => outcome !== null)));
    assert.deepEqual((await voice.calls()).map(({ outcome }) => outcome), ["answered", "busy", "answered"]);
  }));

Deno.test("voice faults with a route apply to the reads of that route and no call", () =>
  withVoice(async (voice) => {
    const { body } = await voice.dial();
    const conversation = `/v1/convai/conversations/${body.conversation_id}`;
    await fault(voice, { http: 503, form: "none" }, { match: { route: "conversations" } });

    assert.deepEqual([(await voice.call("GET", conversation)).status, (await voice.dial()).status], [
      503,
      200,
    ]);
    assert.equal((await voice.call("GET", "/v1/convai/conversations")).status, 503);
    assert.equal((await voice.call("GET", "/v1/convai/phone-numbers")).status, 200);

    await voice.control("DELETE", "voice/faults");
    await fault(voice, "drop", { match: { route: "phone-numbers" } });
    await fault(voice, { latency_ms: 150 }, { match: { route: "agents" } });
    const started = Date.now();
    await voice.call("GET", "/v1/convai/agents");

    assert.ok(Date.now() - started >= 145);
    await assert.rejects(voice.call("GET", "/v1/convai/phone-numbers/phnum_sip"), TypeError);
    assert.equal((await voice.call("GET", conversation)).status, 200);
  }));

Deno.test("voice faults apply to the same calls with the same seed", async () => {
  const runs: number[][] = [];
  for (const seed of [5, 5, 6]) {
    await withVoice(async (voice) => {
      await fault(voice, { http: 500 }, { probability: 0.5 });
      const statuses: number[] = [];
      for (let each = 0; each < 16; each++) statuses.push((await voice.dial()).status);
      runs.push(statuses);
    }, { seed });
  }

  assert.deepEqual(runs[0], runs[1]);
  assert.notDeepEqual(runs[0], runs[2]);
});

Deno.test("voice faults are listed with their hits, removed, and refused when they make no sense", () =>
  withVoice(async (voice) => {
    await fault(voice, "lose", { match: { agent_id: "agent_reminder" } });
    await voice.dial();

    const { data } = (await voice.control("GET", "voice/faults")).body;
    assert.deepEqual(data.map(({ hits, fault }: JsonObject) => [hits, fault]), [[1, { lose: true }]]);
    assert.deepEqual((await voice.control("DELETE", `voice/faults/${data[0].id}`)).body, { removed: 1 });
    assert.equal((await voice.control("POST", "voice/faults", { fault: {} })).status, 400);
    assert.equal((await voice.control("POST", "voice/faults", { fault: "explode" })).status, 400);
    assert.equal((await voice.control("GET", "faults")).body.data.length, 0, "messages have their own");
  }));

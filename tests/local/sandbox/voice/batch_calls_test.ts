import assert from "node:assert/strict";
import type { JsonObject } from "../../../setup/http.ts";
import { eventually } from "../../../setup/eventually.ts";
import { AGENT_ID, type Answer, OTHER_API_KEY, type TestVoice, TWILIO_ID, withVoice } from "./with_voice.ts";

const BASE = "/v1/convai/batch-calling";
const values = { customer_name: "Asha", order: 17 };

/** As elevenlabs 2.78.0 (Python) sends it. */
const recipient = (phone_number: string) => ({
  phone_number,
  conversation_initiation_client_data: { dynamic_variables: values },
});

const submit = ({ call }: TestVoice, body: JsonObject = {}): Promise<Answer> =>
  call("POST", `${BASE}/submit`, {
    body: {
      call_name: "June",
      agent_id: AGENT_ID,
      agent_phone_number_id: TWILIO_ID,
      recipients: [recipient("+573001112235")],
      ...body,
    },
  });

const statusesOf = async ({ call }: TestVoice, id: string): Promise<string[]> =>
  (await call("GET", `${BASE}/${id}`)).body.recipients.map(({ status }: JsonObject) => status);

Deno.test("a batch makes its calls, no more at a time than it may, and says how each ended", () =>
  withVoice(async (voice) => {
    const numbers = ["+573001112235", "+573001110101", "+573001110103"];
    const made = await submit(voice, { recipients: numbers.map(recipient), target_concurrency_limit: 1 });

    assert.equal(made.status, 200);
    const { id } = made.body;
    await eventually(async () => {
      assert.deepEqual(await statusesOf(voice, id), ["completed", "failed", "voicemail"]);
    });
    const { body } = await voice.call("GET", `${BASE}/${id}`);
    const { status, total_calls_scheduled, total_calls_dispatched, total_calls_finished } = body;
    assert.deepEqual([status, total_calls_scheduled, total_calls_dispatched, total_calls_finished], [
      "completed",
      3,
      3,
      3,
    ]);
    const stats = await voice.control("GET", "voice/stats");
    assert.equal(stats.body.most_at_once, 1);
    const [first] = body.recipients;
    const conversation = await voice.call("GET", `/v1/convai/conversations/${first.conversation_id}`);
    assert.deepEqual(conversation.body.metadata.batch_call, {
      batch_call_id: id,
      batch_call_recipient_id: first.id,
    });
  }));

Deno.test("a batch that is scheduled waits, and makes no call once it is cancelled", () =>
  withVoice(async (voice) => {
    const scheduled_time_unix = Math.floor(Date.now() / 1000) + 3600;
    const { body: { id, ...batch } } = await submit(voice, {
      scheduled_time_unix,
      timezone: "Europe/Madrid",
    });
    const waiting = await statusesOf(voice, id);

    const cancelled = await voice.call("POST", `${BASE}/${id}/cancel`);

    assert.deepEqual([batch.status, batch.scheduled_time_unix, batch.timezone, waiting], [
      "pending",
      scheduled_time_unix,
      "Europe/Madrid",
      ["pending"],
    ]);
    assert.equal(cancelled.body.status, "cancelled");
    assert.deepEqual(await statusesOf(voice, id), ["cancelled"]);
    assert.deepEqual(await voice.calls(), []);
  }));

Deno.test("GET batch-calling/workspace lists an account's batches, the newest first, in pages", () =>
  withVoice(async (voice) => {
    const ids: string[] = [];
    for (const call_name of ["a", "b", "c"]) ids.unshift((await submit(voice, { call_name })).body.id);
    const page = (query: string) => voice.call("GET", `${BASE}/workspace?${query}`);

    const first = await page("limit=2");
    const second = await page(`limit=2&last_doc=${first.body.next_doc}`);
    const foreign = await voice.call("GET", `${BASE}/workspace`, { key: OTHER_API_KEY });

    const listed = [...first.body.batch_calls, ...second.body.batch_calls].map(({ id }) => id);
    assert.deepEqual(listed, ids);
    assert.deepEqual([first.body.has_more, second.body.has_more, second.body.next_doc], [true, false, null]);
    assert.deepEqual(foreign.body.batch_calls, []);
  }));

const REFUSALS: [what: string, body: JsonObject, status: number, code: string | undefined][] = [
  ["an unknown agent", { agent_id: "nobody" }, 404, "agent_not_found"],
  ["nobody to call", { recipients: [] }, 422, undefined],
  ["a number without +", { recipients: [{ phone_number: "573001112235" }] }, 400, "invalid_parameters"],
  ["no name", { call_name: undefined }, 422, undefined],
];

for (const [what, body, status, code] of REFUSALS) {
  Deno.test(`POST batch-calling/submit refuses ${what} and makes no call`, () =>
    withVoice(async (voice) => {
      const answer = await submit(voice, body);

      assert.deepEqual([answer.status, answer.body.detail.code], [status, code]);
      assert.deepEqual(await voice.calls(), []);
    }));
}

Deno.test("GET batch-calling/{id} returns a batch to its own account only", () =>
  withVoice(async (voice) => {
    const { body: { id } } = await submit(voice);

    const answers = [
      await voice.call("GET", `${BASE}/${id}`, { key: OTHER_API_KEY }),
      await voice.call("POST", `${BASE}/${id}/cancel`, { key: OTHER_API_KEY }),
      await voice.call("GET", `${BASE}/btcal_none`),
    ];

    assert.deepEqual(answers.map(({ status }) => status), [404, 404, 404]);
  }));

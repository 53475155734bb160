import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { type TestVoice, withVoice } from "./with_voice.ts";

const MANUAL = { settings: { manual: true } };

async function ended({ calls }: TestVoice): Promise<JsonObject> {
  let call: JsonObject = {};
  await eventually(async () => {
    call = (await calls())[0]!;
    assert.equal(call.webhooks.length, 1);
  });
  return call;
}

Deno.test("settings: manual lets a phone ring until it is answered", () =>
  withVoice(async (voice) => {
    const { body } = await voice.dial({ to_number: "+573001110101" });
    assert.equal((await voice.calls())[0]!.status, "ringing");

    const answer = await voice.control("POST", `calls/${body.conversation_id}/answer`);

    assert.equal(answer.status, 200);
    assert.equal((await ended(voice)).outcome, "answered");
    assert.equal(voice.hooks.received[0]!.body.type, "post_call_transcription");
  }, MANUAL));

Deno.test("a ringing call that is rejected is busy", () =>
  withVoice(async (voice) => {
    const { body } = await voice.dial();

    await voice.control("POST", `calls/${body.conversation_id}/reject`);

    assert.equal((await ended(voice)).outcome, "busy");
    assert.equal(voice.hooks.received[0]!.body.data.failure_reason, "busy");
  }, MANUAL));

Deno.test("settings: manual ends with no answer when the call's ring timeout is over", () =>
  withVoice(async (voice) => {
    await voice.dial({ telephony_call_config: { ringing_timeout_secs: 1 } });

    const { outcome, accepted_at, ended_at } = await ended(voice);

    assert.equal(outcome, "no_answer");
    assert.ok(Date.parse(ended_at) - Date.parse(accepted_at) >= 990);
  }, MANUAL));

Deno.test("a conversation that is hung up on ends with what was said so far", () =>
  withVoice(async (voice) => {
    const { body } = await voice.dial();
    await eventually(async () => assert.equal((await voice.calls())[0]!.transcript.length, 1));

    await voice.control("POST", `calls/${body.conversation_id}/hangup`);

    const call = await ended(voice);
    assert.deepEqual([call.status, call.outcome, call.transcript.length], ["ended", "answered", 1]);
    assert.equal(voice.hooks.received[0]!.body.data.transcript.length, 1);
  }, { settings: { talk_ms: 60_000 } }));

Deno.test("a call can be changed manually only in the state for it", () =>
  withVoice(async ({ dial, control }) => {
    const { body } = await dial();
    const act = async (action: string, id = body.conversation_id) =>
      (await control("POST", `calls/${id}/${action}`)).status;

    assert.equal(await act("hangup"), 409);
    assert.equal(await act("answer"), 200);
    await eventually(async () => assert.equal(await act("hangup"), 200));
    assert.equal(await act("reject"), 409);
    assert.equal(await act("answer", "conv_none"), 404);
  }, { settings: { manual: true, talk_ms: 60_000 } }));

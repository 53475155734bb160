import assert from "node:assert/strict";
import { signVoiceWebhook } from "../../local/sandbox/voice/voice_webhook_sender.ts";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { claim, finish, messageId, statesOf, statusesOf } from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { VOICE_WEBHOOK_SECRET } from "../setup/stack/sandbox.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import { foreignEvents } from "./foreign_events.ts";
import { refuseEvents } from "./refuse_events.ts";

const PATH = "/webhooks/voice";
const HALF_AN_HOUR_S = 30 * 60;

function transcription(
  conversationId: string,
  reference: string | null,
  overrides: JsonObject = {},
): JsonObject {
  return {
    type: "post_call_transcription",
    event_timestamp: Math.floor(Date.now() / 1000),
    data: {
      agent_id: "agent_demo1",
      conversation_id: conversationId,
      status: "done",
      user_id: reference,
      transcript: [{ role: "agent", message: "Hello Ana", time_in_call_secs: 0 }],
      metadata: {
        start_time_unix_secs: Math.floor(Date.now() / 1000) - 42,
        call_duration_secs: 42,
        phone_call: { type: "twilio", direction: "outbound", call_result: "answered" },
      },
      analysis: { call_successful: "success", transcript_summary: "Reminder delivered." },
      ...overrides,
    },
  };
}

function failure(conversationId: string, reason: string): JsonObject {
  return {
    type: "call_initiation_failure",
    event_timestamp: Math.floor(Date.now() / 1000),
    data: { agent_id: "agent_demo1", conversation_id: conversationId, failure_reason: reason },
  };
}

async function post(
  { http }: TestServices,
  body: JsonObject | string,
  { secret = VOICE_WEBHOOK_SECRET, ageS = 0, signature }: {
    secret?: string;
    ageS?: number;
    signature?: string;
  } = {},
): Promise<TestAnswer<JsonObject>> {
  const rawBody = typeof body === "string" ? body : JSON.stringify(body);
  const at = Math.floor(Date.now() / 1000) - ageS;
  const signed = signature ?? signVoiceWebhook(secret, new TextEncoder().encode(rawBody), at);
  return await http.post(PATH, undefined, {
    rawBody,
    headers: { "content-type": "application/json", ...(signed && { "elevenlabs-signature": signed }) },
  });
}

/** Calls that were taken and go on, their references, and the platform's ids of them. */
async function callsGoingOn({ sql }: TestServices, count: number) {
  const company = await insertCallingCompany(sql);
  const { ids } = await enqueueCalls(sql, company, { count });
  await finish(sql, await claim(sql), { outcome: "sent" });
  return ids.map((id) => ({
    id,
    conversation: messageId(id),
    reference: writeReference({ companyId: company.id, notificationId: id, fence: 1 }),
  }));
}

async function storedEvents({ sql }: TestServices): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from outbound.platform_events`;
  return row!.count;
}

Deno.test("POST /webhooks/voice stores and applies how calls went", () =>
  withServices(async (t) => {
    const [answered, busy] = await callsGoingOn(t, 2);

    const first = await post(t, transcription("conv_not_written_down", answered!.reference));
    const second = await post(t, failure(busy!.conversation, "busy"));

    assert.deepEqual([first.status, first.body, second.status], [200, { success: true }, 200]);
    const ids = [answered!.id, busy!.id];
    await eventually(async () => assert.deepEqual(await statusesOf(t.sql, ids), ["delivered", "failed"]));
    const [, failed] = await statesOf(t.sql, ids);
    assert.deepEqual([failed?.error_code, failed?.error_reason], ["busy", "The line was busy"]);
    const [call] = await t.sql`select outcome, duration_s, summary, transcript from outbound.calls
      where notification_id = ${answered!.id}`;
    assert.deepEqual(call, {
      outcome: "answered",
      duration_s: 42,
      summary: "Reminder delivered.",
      transcript: [{ role: "agent", message: "Hello Ana", at_s: 0 }],
    });
  }));

Deno.test("POST /webhooks/voice refuses what the platform did not sign, or not lately, and stores nothing", () =>
  withServices(async (t) => {
    const body = transcription("conv_1", null);
    const refused = [
      await post(t, body, { secret: "another secret" }),
      await post(t, body, { signature: "" }),
      await post(t, body, { signature: "t=1,v0=00" }),
      await post(t, body, { ageS: HALF_AN_HOUR_S + 5 }),
      await post(t, body, { ageS: -HALF_AN_HOUR_S - 5 }),
    ];

    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.error]),
      Array(5).fill([401, "unauthorized"]),
    );
    assert.equal(await storedEvents(t), 0);
    assert.equal((await post(t, body, { ageS: HALF_AN_HOUR_S - 5 })).status, 200);
  }));

Deno.test("POST /webhooks/voice is closed while no secret is set", () =>
  withServices(async (t) => {
    t.services.env.ELEVENLABS_WEBHOOK_SECRET = undefined;

    assert.equal((await post(t, transcription("conv_1", null), { secret: "" })).status, 401);
  }));

Deno.test("POST /webhooks/voice stores an event once, however often it comes", () =>
  withServices(async (t) => {
    const [call] = await callsGoingOn(t, 1);
    const body = transcription(call!.conversation, call!.reference);

    await Promise.all([post(t, body), post(t, body), post(t, body)]);
    await post(t, failure(call!.conversation, "no-answer"));

    await eventually(async () => assert.deepEqual(await statusesOf(t.sql, [call!.id]), ["delivered"]));
    assert.equal(await storedEvents(t), 2);
  }));

Deno.test("POST /webhooks/voice takes what it does not understand, and forgets it", () =>
  withServices(async (t) => {
    const bodies = [
      {
        type: "post_call_audio",
        event_timestamp: 1,
        data: { conversation_id: "conv_1", full_audio: "aGk=" },
      },
      { type: "something_new", event_timestamp: 1, data: {} },
      { type: "post_call_transcription", event_timestamp: 1, data: {} },
      {},
      [],
    ];

    const responses = await Promise.all(bodies.map((body) => post(t, JSON.stringify(body))));

    assert.deepEqual(responses.map(({ status }) => status), bodies.map(() => 200));
    assert.equal(await storedEvents(t), 0);
    assert.equal((await post(t, "{")).status, 400);
  }));

Deno.test("POST /webhooks/voice keeps what Postgres cannot: no NUL reaches it", () =>
  withServices(async (t) => {
    const [call] = await callsGoingOn(t, 1);
    const transcript = [{ role: "user", message: "a\u0000b\ud800", time_in_call_secs: 1 }];

    const response = await post(t, transcription(call!.conversation, call!.reference, { transcript }));

    assert.equal(response.status, 200);
    await eventually(async () => assert.deepEqual(await statusesOf(t.sql, [call!.id]), ["delivered"]));
  }));

Deno.test("POST /webhooks/voice knows calls that are not ours, or a stranger's, from ours", () =>
  withServices(async (t) => {
    const [call] = await callsGoingOn(t, 1);
    const stranger = writeReference({ companyId: crypto.randomUUID(), notificationId: call!.id, fence: 1 });

    await post(t, transcription("conv_of_nobody", "lead-77"));
    await post(t, transcription("conv_of_a_stranger", stranger));

    await eventually(async () => {
      assert.deepEqual(await foreignEvents(t), [{ reason: "unknown_message", events: 2 }]);
    });
    assert.equal(await storedEvents(t), 0);
    assert.deepEqual(await statusesOf(t.sql, [call!.id]), ["sent"]);
  }));

Deno.test("POST /webhooks/voice responds with 500 while the database takes nothing, so that the event comes again", () =>
  withServices(async (t) => {
    const [call] = await callsGoingOn(t, 1);
    const stop = await refuseEvents(t.sql, "57014");
    const refused = await post(t, transcription(call!.conversation, call!.reference));
    await stop();
    const again = await post(t, transcription(call!.conversation, call!.reference));

    assert.deepEqual([refused.status, refused.body.error], [500, "internal_error"]);
    assert.equal(again.status, 200);
    await eventually(async () => assert.deepEqual(await statusesOf(t.sql, [call!.id]), ["delivered"]));
  }));

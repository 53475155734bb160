import assert from "node:assert/strict";
import { runDispatcher } from "../../../supabase/functions/_shared/dispatching/dispatcher.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { type VoiceApi, voiceBody, withVoiceApi } from "../with_voice_api.ts";

/** Returns the stored calls of a campaign, in the order of the contacts. */
async function storedCalls({ sql }: VoiceApi, campaignId: string) {
  return await sql<{ id: string; number: string; message: JsonObject; status: string; run_at: Date }[]>`
    select id, number, message, status, run_at from outbound.notifications where campaign_id = ${campaignId} order by id`;
}

/** Posts a call with these changes, and returns the variables that its agent gets. */
async function requestVariables(
  api: VoiceApi,
  changes: JsonObject,
  query: Record<string, string> = {},
): Promise<JsonObject> {
  const { status, body } = await api.voice(changes, { query });
  assert.equal(status, 200, JSON.stringify(body));
  const [call] = await storedCalls(api, body.inquiry_set_id);
  assert.equal(call!.message.agent_id, api.agent.platform_agent_id);
  return call!.message.dynamic_variables;
}

Deno.test("POST /notify/voice returns the ids of the call and its campaign, and when it is due", () =>
  withVoiceApi(async (api) => {
    const before = Date.now();
    const { status, body } = await api.voice();

    assert.equal(status, 200);
    const { notification_id, scheduled_time, inquiry_set_id, ...rest } = body;
    assert.deepEqual(rest, { success: true, message: "Call queued" });
    const due = Date.parse(scheduled_time);
    assert.ok(due >= before - 1000 && due <= Date.now(), scheduled_time);
    const [row] = await api.sql`
      select n.id, g.channel, g.agent_id, g.sender_id, g.template_id, g.notification_type, n.number
      from outbound.notifications as n join outbound.campaigns as g on g.id = n.campaign_id
      where g.id = ${inquiry_set_id}`;
    assert.deepEqual({ ...row }, {
      id: notification_id,
      channel: "voice",
      agent_id: api.agent.id,
      sender_id: api.voiceSender.id,
      template_id: null,
      notification_type: "transactional",
      number: "34600111222",
    });
    const state = await api.status(inquiry_set_id);
    assert.deepEqual([state.channel, state.total, state.pending, state.status], ["voice", 1, 1, "sending"]);
  }));

Deno.test("POST /notify/voice takes the agent and the sender by any of their ids", () =>
  withVoiceApi(async (api) => {
    const { agent, voiceSender: sender } = api;
    for (const agent_id of [agent.id, agent.platform_agent_id]) {
      for (const recipient_id of [sender.id, sender.number, sender.platform_id]) {
        assert.equal(
          (await api.voice({ agent_id, recipient_id })).status,
          200,
          `${agent_id} ${recipient_id}`,
        );
      }
    }
    const senders = await api.sql`select distinct sender_id, agent_id from outbound.campaigns`;
    assert.deepEqual(senders.map((row) => ({ ...row })), [{ sender_id: sender.id, agent_id: agent.id }]);
  }));

Deno.test("POST /notify/voice passes every field of the contact, and the request's own, to the agent", () =>
  withVoiceApi(async (api) => {
    const contact = {
      ...{ number: "34600111222", first_name: "Asha", last_name: "", email: "a@x.test", name: "Asha R" },
      ...{ city: "Pune", age: 41, member: true, "año de alta": "2019", "1er-pago": 5 },
    };
    const variables = await requestVariables(api, {
      contact: { ...contact, phone: null, clinic: null },
      city: "Madrid",
      clinic: "North",
      floor: 0,
      open: false,
      left: null,
    });

    assert.deepEqual(variables, { ...contact, clinic: "North", floor: 0, open: false });
  }));

Deno.test("POST /notify/voice looks references up in the contact, then in the request", () =>
  withVoiceApi(async (api) => {
    const variables = await requestVariables(api, {
      contact: { number: "34600111222", first_name: "Asha", age: 41, "city": "Pune {{x}}", open: null },
      hello: "{{first_name}}",
      years: "{{ age }}",
      place: "{{city}}",
      about: "{{campaign_name}}",
      open: true,
      is_open: "{{open}}",
    });

    const { hello, years, place, about, is_open } = variables;
    assert.deepEqual([hello, years, place, about, is_open], ["Asha", 41, "Pune {{x}}", "Reminders", true]);
  }));

Deno.test("POST /notify/voice takes the flat form", () =>
  withVoiceApi(async (api) => {
    const variables = await requestVariables(api, {
      contact: undefined,
      "contact.number": "34600111222",
      "contact.first_name": "Asha",
      "clinic": "North",
    }, { unflatten: "true" });

    assert.deepEqual(variables, { number: "34600111222", first_name: "Asha", clinic: "North" });
  }));

Deno.test("POST /notify/voice schedules in the given zone, in UTC without one", () =>
  withVoiceApi(async (api) => {
    for (
      const [timezone, due] of [["Asia/Kolkata", "2037-05-06T01:30:00Z"], [undefined, "2037-05-06T07:00:00Z"]]
    ) {
      const { body } = await api.voice({ datetime_sending: "2037-05-06T07:00:00", timezone });

      assert.deepEqual([body.message, body.scheduled_time], ["Call scheduled", due]);
      const [call] = await storedCalls(api, body.inquiry_set_id);
      assert.equal(call!.status, "scheduled");
      assert.equal(call!.run_at.toISOString(), due!.replace("Z", ".000Z"));
    }
  }));

Deno.test("POST /notify/voice takes many contacts, and reports which it could not take", () =>
  withVoiceApi(async (api) => {
    const bad = [
      { number: "+34600111222" },
      { number: "34600111224", "a}": "x", code: 1 },
      { number: "34600111225", list: ["x"] },
      { number: "34600111226", first_name: "No code" },
    ];
    const { status, body } = await api.voice({
      contact: undefined,
      contacts: [
        { number: "34600111222", first_name: "Asha", code: 7 },
        ...bad,
        { number: "34600111227", first_name: "Ben", code: "8" },
      ],
      recipient_id: "any label",
      door: "{{code}}",
    }, { query: { details: "true" } });

    assert.equal(status, 200);
    const { errors, inquiry_set_id, notification_ids, ...rest } = body;
    assert.deepEqual(rest, {
      success: true,
      message: "Processing completed",
      total: 6,
      processed: 2,
      failed: 4,
    });
    assert.deepEqual(errors.map(({ contact }: JsonObject) => contact), bad);
    const reasons = errors.map(({ reason }: JsonObject) => /'([^']+)'/.exec(reason)?.[1]);
    assert.deepEqual(reasons, ["contact.number", "contact.a}", "contact.list", "door"]);
    assert.deepEqual(errors.map(({ index, field }: JsonObject) => [index, field]), [
      [1, "contact.number"],
      [2, "contact.a}"],
      [3, "contact.list"],
      [4, "door"],
    ]);
    const calls = await storedCalls(api, inquiry_set_id);
    const [first, last] = calls.map(({ id }) => id);
    assert.deepEqual(notification_ids, [first, null, null, null, null, last]);
    assert.deepEqual(calls.map(({ number, message }) => [number, message.dynamic_variables.door]), [
      ["34600111222", 7],
      ["34600111227", "8"],
    ]);
    const state = await api.status(inquiry_set_id);
    assert.deepEqual([state.total, state.rejected], [2, 4]);
  }));

Deno.test("POST /notify/voice replays the first response under the same Idempotency-Key, apart from chat's keys", () =>
  withVoiceApi(async (api) => {
    const headers = { "idempotency-key": "k" };
    const first = await api.voice({}, { headers });
    const again = await api.voice({}, { headers });
    const other = await api.voice({ campaign_name: "Other" }, { headers });
    const chat = await api.notify({}, { headers });

    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.deepEqual([other.status, other.body.error], [422, "idempotency_key_reused"]);
    assert.equal(chat.status, 200);
    const [row] = await api.sql`select count(*)::int as calls from outbound.notifications where voice`;
    assert.equal(row!.calls, 1);
  }));

Deno.test("POST /notify/voice lets no agent through that was disabled a moment ago", () =>
  withVoiceApi(async (api) => {
    assert.equal((await api.voice()).status, 200);
    await api.sql`update outbound.voice_agents set status = 'disabled' where id = ${api.agent.id}`;

    const response = await api.voice();

    assert.deepEqual([response.status, response.body.error], [404, "agent_not_found"]);
  }));

Deno.test("a call that waits when its agent is disabled is not made, and says why", () =>
  withVoiceApi(async (api) => {
    await api.addVoiceAccount();
    const { body } = await api.voice({ time: "9" });
    await api.sql`update outbound.voice_agents set status = 'disabled' where id = ${api.agent.id}`;
    await api.dispatch();

    await api.untilCounted(body.inquiry_set_id, { status: "completed", failed: 1 });
    const [recipient] = await api.recipients(body.inquiry_set_id);
    assert.deepEqual([recipient!.status, recipient!.code], ["failed", "agent_disabled"]);
    assert.deepEqual(await api.sandbox.calls(), []);
  }));

/** How the sandbox ends a call to a number, and what its campaign and its recipient say afterwards. */
const OUTCOMES: Record<string, [outcome: string, counters: JsonObject]> = {
  "34600110001": ["answered", { delivered: 1, failed: 0 }],
  "34600110101": ["busy", { delivered: 0, failed: 1 }],
  "34600110102": ["no_answer", { delivered: 0, failed: 1 }],
  "34600110103": ["voicemail", { delivered: 1, failed: 0 }],
  "34600110104": ["failed", { delivered: 0, failed: 1 }],
};

Deno.test("calls are made with all variables of the agent, and the outcome of each is seen from outside", () =>
  withVoiceApi(async (api) => {
    await api.addVoiceAccount();
    const stop = new AbortController();
    const dispatcher = runDispatcher(api.services, { signal: stop.signal });
    try {
      for (const [number, [outcome, counters]] of Object.entries(OUTCOMES)) {
        const { body } = await api.voice({ contact: { number, first_name: "Asha" }, time: "nine" });

        await api.untilCounted(body.inquiry_set_id, { status: "completed", ...counters });
        const [recipient] = await api.recipients(body.inquiry_set_id);
        const delivered = counters.delivered === 1;
        assert.equal(recipient!.outcome, outcome);
        assert.equal(recipient!.status, delivered ? "delivered" : "failed", outcome);
        assert.equal(typeof recipient!.duration_s, delivered ? "number" : "object", outcome);
        if (!delivered) assert.ok(recipient!.reason.length > 0, outcome);
      }
    } finally {
      stop.abort();
      await dispatcher;
    }
    const calls = await api.sandbox.calls();
    assert.deepEqual(
      calls.map(({ to_number, to }) => to_number ?? to),
      Object.keys(OUTCOMES).map((n) => `+${n}`),
    );
    assert.match(JSON.stringify(calls[0]), /Hello Asha, your table is ready at nine\./);
  }));

Deno.test("a call whose agent lacks a variable has failed, and says which", () =>
  withVoiceApi(async (api) => {
    await api.addVoiceAccount();
    const { body } = await api.voice();
    await api.dispatch();

    await api.untilCounted(body.inquiry_set_id, { status: "completed", failed: 1, delivered: 0 });
    const [recipient] = await api.recipients(body.inquiry_set_id);
    assert.deepEqual([recipient!.outcome, recipient!.duration_s], ["failed", null]);
    assert.match(recipient!.reason, /time/);
  }));

Deno.test("the second call to a number in one request waits for the company's gap, and says so", () =>
  withVoiceApi(async (api) => {
    await api.addVoiceAccount();
    const contact = { number: "34600111222", first_name: "Asha" };
    const { body } = await api.voice({ contact: undefined, contacts: [contact, contact], time: "nine" });
    await api.dispatch();

    await api.untilCounted(body.inquiry_set_id, { delivered: 1, pending: 1 });
    const recipients = await api.recipients(body.inquiry_set_id);
    const waiting = recipients.find(({ status }) => status === "queued")!;
    assert.deepEqual(
      [waiting.code, waiting.reason],
      ["call_gap", "The campaign called this number a moment ago"],
    );
    assert.ok(Date.parse(waiting.until) > Date.now(), JSON.stringify(waiting));
    assert.equal((await api.status(body.inquiry_set_id)).wait.reason, "call_gap");
  }));

Deno.test("a number on a SIP trunk calls on its own path", () =>
  withVoiceApi(async (api) => {
    await api.addVoiceAccount({ provider: "sip_trunk" });
    const { body } = await api.voice({ time: "nine" });
    await api.dispatch();

    await api.untilCounted(body.inquiry_set_id, { status: "completed", delivered: 1 });
    const calls = await api.sandbox.calls();
    assert.deepEqual(calls.map(({ provider }) => provider), ["sip_trunk"]);
  }));

Deno.test("a sender the platform does not let call is stopped, and what waits goes out once it may", () =>
  withVoiceApi(async (api) => {
    await api.addVoiceAccount();
    await api.sandbox.addVoiceFault({ fault: { http: 402, code: "insufficient_credits" }, times: 1 });
    const { body } = await api.voice({ time: "nine" });
    await api.dispatch();
    const [sender] = await api
      .sql`select status, stopped_reason from outbound.senders where channel = 'voice'`;
    const waiting = await api.status(body.inquiry_set_id);

    await api
      .sql`update outbound.senders set status = 'active', stopped_reason = null, stopped_code = null where channel = 'voice'`;
    await api.dispatch();

    assert.deepEqual([sender!.status, waiting.pending], ["stopped", 1]);
    assert.match(sender!.stopped_reason, /^The account has no credits left/);
    await api.untilCounted(body.inquiry_set_id, { status: "completed", delivered: 1 });
  }));

Deno.test("a company's calls use its own agent and sender, never those of another", () =>
  withVoiceApi(async (api) => {
    const other = await api.addCaller();
    const before = await api.sql`select count(*)::int as stored from outbound.notifications`;
    for (const agent_id of [other.agent.id, other.agent.platform_agent_id]) {
      const response = await api.voice({ agent_id });
      assert.deepEqual([response.status, response.body.error], [404, "agent_not_found"]);
    }
    for (
      const recipient_id of [other.voiceSender.id, other.voiceSender.number, other.voiceSender.platform_id]
    ) {
      assert.equal((await api.voice({ recipient_id })).body.details?.field, "recipient_id");
    }
    const stranger = await api.http.post("/notify/voice", voiceBody(api), {
      query: { access_key: other.key.key },
    });
    assert.deepEqual([stranger.status, stranger.body.details?.field], [400, "recipient_id"]);
    assert.deepEqual(await api.sql`select count(*)::int as stored from outbound.notifications`, before);
  }));

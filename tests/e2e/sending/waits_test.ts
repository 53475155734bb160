import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { claim, finish } from "../../setup/fixtures/queue.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const people = (count: number) => ({
  contact: undefined,
  contacts: Array.from({ length: count }, (_, index) => ({ number: `346001112${index + 10}`, name: "Asha" })),
});

/** A time some seconds from now, as Postgres and the API write it. */
function fromNow(seconds: number): { at: Date; text: string } {
  const at = new Date((Math.ceil(Date.now() / 1000) + seconds) * 1000);
  return { at, text: at.toISOString().replace(".000", "") };
}

/** Stores a campaign of so many people; returns its id. */
async function send({ notify }: Api, count: number, changes: JsonObject = {}): Promise<string> {
  const { status, body } = await notify({ ...people(count), ...changes });
  assert.equal(status, 200, JSON.stringify(body));
  return body.inquiry_set_id;
}

async function recipients({ http, key }: Api, campaignId: string): Promise<JsonObject[]> {
  const query = { access_key: key.key };
  const path = `/manage/companies/mine/campaigns/${campaignId}/recipients`;
  return (await http.get(path, { query })).body.recipients;
}

/** Returns code, reason and end of the wait of each recipient. */
async function reasons(api: Api, campaignId: string): Promise<unknown[][]> {
  return (await recipients(api, campaignId)).map(({ code, reason, until }) => [code, reason, until]);
}

async function dispatcherLives({ sql }: Api): Promise<void> {
  await sql`insert into outbound.settings (name, value) values ('last_tick:dispatcher', 'true')
    on conflict (name) do update set updated_at = now()`;
}

/** As if everything had been due for a minute. */
async function aMinuteLater({ sql }: Api): Promise<void> {
  await sql`update outbound.queue set run_at = run_at - interval '1 minute' where held_run_at is null`;
  await sql`update outbound.sender_schedule set ready_at = '-infinity', due_at = due_at - interval '1 minute',
    queue_cursor = array_fill('-infinity'::timestamptz, array[3]), queue_cursor_id = default`;
}

Deno.test("a message that was never tried says that the platform does not respond, and when it is tried next", () =>
  withApi(async (api) => {
    const next = fromNow(60);
    const campaignId = await send(api, 3);
    await api.sql`
      update outbound.sender_rate_state
      set failures = outbound.breaker_threshold(), unreachable_since = '2026-01-01T09:00:00Z', blocked_until = ${next.at}`;

    const reason = "The platform has not responded to the sender since 2026-01-01T09:00:00Z";
    assert.deepEqual(
      await reasons(api, campaignId),
      Array(3).fill(["platform_unreachable", reason, next.text]),
    );
    const query = { access_key: api.key.key, number: "34600111210" };
    const { body } = await api.http.get("/manage/companies/mine/contacts/notifications", { query });
    assert.deepEqual([body.notifications[0].code, body.notifications[0].reason], [
      "platform_unreachable",
      reason,
    ]);
  }));

Deno.test("a message whose sender is stopped or locked says so, with the platform's reason, also one due later", () =>
  withApi(async (api) => {
    const until = fromNow(3600);
    const campaignIds = [await send(api, 1), await send(api, 1, { datetime_sending: "2099-01-31T09:00:00" })];
    const stop = (locked: boolean) =>
      api.sql`
        update outbound.senders set status = 'stopped', stopped_reason = 'Too many complaints', stopped_at = now(),
          locked = ${locked}, stopped_by_account = true, stopped_until = ${locked ? null : until.at}`;

    await stop(false);
    const stopped = ["sender_stopped", "The sender is stopped: Too many complaints"];
    assert.deepEqual(await reasons(api, campaignIds[0]!), [[...stopped, until.text]]);
    assert.deepEqual(await reasons(api, campaignIds[1]!), [[...stopped, "2099-01-31T09:00:00Z"]]);
    await stop(true);
    const locked = [
      "sender_locked",
      "The platform has locked the sender's account: Too many complaints",
      null,
    ];
    for (const campaignId of campaignIds) assert.deepEqual(await reasons(api, campaignId), [locked]);
  }));

Deno.test("what nothing works off says so, until a dispatcher does", () =>
  withApi(async (api) => {
    const campaignId = await send(api, 2);
    await aMinuteLater(api);

    const { wait } = await api.status(campaignId);
    assert.deepEqual([wait.reason, wait.until], ["no_dispatcher", null]);
    for (const [code, reason] of await reasons(api, campaignId)) {
      assert.equal(code, "no_dispatcher");
      assert.match(String(reason), /^No dispatcher of the service has run since 20/);
    }

    await api.sql`insert into outbound.settings (name, value, updated_at)
      values ('last_tick:dispatcher', 'true', now() - interval '2 minutes'), ('last_tick:pg_cron', 'true', now())`;
    assert.equal((await api.status(campaignId)).wait, undefined, "pg_cron starts a dispatcher");
    await dispatcherLives(api);
    await api.sql`update outbound.sender_schedule set due_at = due_at - interval '1 hour'`;
    assert.equal((await api.status(campaignId)).wait, undefined);
  }));

Deno.test("a call for which no line is free says so", () =>
  withVoiceApi(async (api) => {
    await dispatcherLives(api);
    await api.sql`update outbound.senders set concurrency = 1 where id = ${api.voiceSender.id}`;
    const { body } = await api.voice({
      contact: undefined,
      contacts: [{ number: "34600111222" }, { number: "34600111333" }],
    });
    assert.equal((await claim(api.sql)).length, 1);

    const { wait } = await api.status(body.inquiry_set_id);
    assert.deepEqual([wait.reason, wait.until], ["lines_busy", null]);
    assert.ok(Date.parse(wait.since) <= Date.now());
    const shown = await recipients(api, body.inquiry_set_id);
    assert.deepEqual(shown.map(({ code }) => code).toSorted(), ["lines_busy", null]);
  }));

Deno.test("a campaign behind another of its sender says so, with about when that one has left", () =>
  withApi(async (api) => {
    await dispatcherLives(api);
    await api.sql`update outbound.senders set rate_per_second = 1`;
    const first = await send(api, 60);
    const second = await send(api, 2);
    await aMinuteLater(api);

    assert.equal((await api.status(first)).wait, undefined);
    const { wait } = await api.status(second);
    assert.equal(wait.reason, "behind_others");
    const inS = (Date.parse(wait.until) - Date.now()) / 1000;
    assert.ok(inS > 40 && inS < 70, `${inS}`);
    assert.deepEqual(
      await reasons(api, second),
      Array(2).fill(["behind_others", "The sender's messages ahead of it leave first", null]),
    );

    await api.sql`update outbound.sender_rate_state set throttle = 0.25, throttled_at = now()`;
    for (const [code, , until] of await reasons(api, second)) {
      assert.equal(code, "rate_limited");
      assert.ok(Math.abs(Date.parse(String(until)) - Date.now() - 60_000) < 20_000);
    }
  }));

Deno.test("one message of unknown outcome does not hide why all others wait, and says itself what it waits for", () =>
  withApi(async (api) => {
    await dispatcherLives(api);
    await api.sql`update outbound.sender_rate_state set tokens = 100`;
    await api.sql`update outbound.senders set rate_per_second = 10000`;
    const campaignId = await send(api, 5);
    const [first, ...others] = await claim(api.sql);
    assert.equal(others.length, 4);
    await finish(api.sql, [first!], { outcome: "unknown" });
    assert.equal((await api.status(campaignId)).wait, undefined, "four are being sent");
    const facts = {
      error_code: "sending_hours",
      reason: "Outside the company's sending hours",
      retry_in_s: 3600,
    };
    await finish(api.sql, others, { outcome: "postponed", ...facts });

    const { wait, pending, processing } = await api.status(campaignId);
    assert.deepEqual([wait.reason, pending, processing], ["sending_hours", 4, 1]);
    const unconfirmed = (await recipients(api, campaignId)).find(({ status }) => status === "unconfirmed")!;
    assert.ok(Date.parse(unconfirmed.until) > Date.now());

    await api.sql`update outbound.queue set run_at = now() where status = 'queued'`;
    await api.sql`update outbound.sender_rate_state set tokens = 100`;
    await api.sql`select outbound.schedule_senders(array_agg(company_id), array_agg(sender_id), true)
      from outbound.sender_schedule`;
    await finish(api.sql, await claim(api.sql), { outcome: "sent" });
    const last = await api.status(campaignId);
    assert.deepEqual([last.pending, last.processing, last.wait.reason], [0, 1, "unconfirmed"]);
    assert.ok(Date.parse(last.wait.until) > Date.now());
  }));

Deno.test("a campaign all of whose attempts never left says that they failed, also without a code", () =>
  withApi(async (api) => {
    await dispatcherLives(api);
    await api.sql`update outbound.sender_rate_state set tokens = 100`;
    await api.sql`update outbound.senders set rate_per_second = 10000`;
    const campaignId = await send(api, 2);
    await finish(api.sql, await claim(api.sql), {
      outcome: "not_sent",
      reason: "It could not be prepared",
      retry_in_s: 60,
    });

    const { wait } = await api.status(campaignId);
    assert.equal(wait.reason, "platform_refused");
    assert.ok(Date.parse(wait.until) > Date.now());
  }));

Deno.test("a message of a paused campaign says so by a code", () =>
  withApi(async (api) => {
    const campaignId = await send(api, 1);
    const path = `/manage/companies/mine/campaigns/${campaignId}/pause`;
    const query = { access_key: api.key.key };
    assert.equal((await api.http.post(path, undefined, { query })).status, 200);

    assert.deepEqual(await reasons(api, campaignId), [["campaign_paused", "The campaign is paused", null]]);
    await api.sql`update outbound.campaigns set held_reason = 'The template x is disabled, not approved'`;
    assert.deepEqual(await reasons(api, campaignId), [
      ["template_not_approved", "The template x is disabled, not approved", null],
    ]);
  }));

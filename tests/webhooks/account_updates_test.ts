import assert from "node:assert/strict";
import { resumeSender } from "../setup/fixtures/resume_sender.ts";
import { signWebhook } from "../../local/sandbox/webhooks/webhook_sender.ts";
import { adjustSenders } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { applyAccountEvents } from "../../supabase/functions/_shared/db/queue/platform_events.ts";
import { insertCompany, insertSender, type SenderFixture } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { TEST_ENV, type TestServices, withServices } from "../setup/stack/services.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { foreignEvents } from "./foreign_events.ts";

/** Seconds; recent, because what happened before a refusal of ours must count as earlier. */
const START = Math.floor(Date.now() / 1000) - 3600;
const MESSAGING = "RESTRICTED_BIZ_INITIATED_MESSAGING";

interface Update {
  field: string;
  value: JsonObject;
  /** Seconds after START. */
  at?: number;
}

const ban = (waba_ban_state: string, at = 0): Update => ({
  field: "account_update",
  value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state, waba_ban_date: "April 17, 2025" } },
  at,
});
const restriction = (expiration: number | undefined, at = 0): Update => ({
  field: "account_update",
  value: { event: "ACCOUNT_RESTRICTION", restriction_info: [{ restriction_type: MESSAGING, expiration }] },
  at,
});
const limit = (number: string, value: JsonObject, at = 0): Update => ({
  field: "phone_number_quality_update",
  value: { display_phone_number: number, ...value },
  at,
});

/** Posts updates of one account in one request, as the platform signs them. */
async function post({ http }: TestServices, wabaId: string, ...updates: Update[]): Promise<void> {
  const rawBody = JSON.stringify({
    object: "whatsapp_business_account",
    entry: updates.map(({ at = 0, field, value }) => ({
      id: wabaId,
      time: START + at,
      changes: [{ field, value }],
    })),
  });
  const signature = signWebhook(TEST_ENV.WHATSAPP_APP_SECRET, new TextEncoder().encode(rawBody));
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  const response = await http.post("/webhooks/whatsapp", undefined, { rawBody, headers });
  assert.equal(response.status, 200);
}

async function stateOf({ sql }: TestServices, { id }: SenderFixture): Promise<string> {
  const [row] = await sql`
    select status, locked, stopped_reason from outbound.senders where id = ${id}`;
  if (row!.status === "active") return "active";
  return `${row!.locked ? "locked" : "stopped"}: ${row!.stopped_reason}`;
}

async function refuse({ sql }: TestServices, sender: SenderFixture, locked: boolean): Promise<void> {
  const { company_id, id: sender_id } = sender;
  await adjustSenders(sql, [{ company_id, sender_id, change: "stop", reason: "Refused", locked }]);
}

async function withSender(
  work: (t: TestServices, sender: SenderFixture & { waba_id: string }) => Promise<void>,
): Promise<void> {
  await withServices(async (t) => {
    const { id } = await insertCompany(t.sql);
    await insertWebhook(t.sql, id);
    await work(t, await insertSender(t.sql, id) as SenderFixture & { waba_id: string });
  });
}

const DISABLED = "locked: The platform disabled the business account (April 17, 2025)";
const RESTRICTED = "stopped: The platform restricted the business account: it may not begin conversations";

Deno.test("account_update locks every sender of the account, and of no other, until the account is reinstated", () =>
  withSender(async (t, sender) => {
    const second = await insertSender(t.sql, sender.company_id, { waba_id: sender.waba_id });
    const other = await insertSender(t.sql, (await insertCompany(t.sql)).id, { waba_id: sender.waba_id });
    const elsewhere = await insertSender(t.sql, sender.company_id);
    const states = () => Promise.all([sender, second, other, elsewhere].map((each) => stateOf(t, each)));

    await post(t, sender.waba_id, ban("DISABLE"));
    const banned = await states();
    await post(t, sender.waba_id, ban("REINSTATE", 60));

    assert.deepEqual(banned, [DISABLED, DISABLED, DISABLED, "active"]);
    assert.deepEqual(await states(), ["active", "active", "active", "active"]);
  }));

Deno.test("account_update is reported once as sender.status_changed, however often it comes", () =>
  withSender(async (t, sender) => {
    await post(t, sender.waba_id, ban("DISABLE"));
    await post(t, sender.waba_id, ban("DISABLE"), ban("DISABLE"));
    await post(t, sender.waba_id, ban("REINSTATE", 60));
    await post(t, sender.waba_id, ban("DISABLE"));

    const events = await readEvents(t.sql, sender.company_id);
    assert.deepEqual(
      events.map(({ type, payload: { data } }) => [type, data.status, data.locked, data.reason]),
      [
        [
          "sender.status_changed",
          "stopped",
          true,
          "The platform disabled the business account (April 17, 2025)",
        ],
        ["sender.status_changed", "active", undefined, undefined],
      ],
    );
  }));

Deno.test("account_update counts by the platform's time, not in the order of arrival", () =>
  withSender(async (t, sender) => {
    const states: string[] = [];
    for (
      const batch of [[ban("REINSTATE", 60)], [ban("DISABLE")], [ban("REINSTATE", 180), ban("DISABLE", 120)]]
    ) {
      await post(t, sender.waba_id, ...batch);
      states.push(await stateOf(t, sender));
    }
    await post(t, sender.waba_id, ban("DISABLE", 240), restriction(undefined, 300));
    states.push(await stateOf(t, sender));

    assert.deepEqual(states, ["active", "active", "active", DISABLED]);
  }));

Deno.test("account_update stops a restricted sender until the restriction is lifted or its time is over", () =>
  withSender(async (t, sender) => {
    const states: string[] = [];
    const record = async () => states.push(await stateOf(t, sender));
    await post(t, sender.waba_id, restriction(undefined));
    await record();
    await post(t, sender.waba_id, ban("REINSTATE", 60));
    await record();
    const until = Math.floor(Date.now() / 1000) + 3600;
    await post(t, sender.waba_id, restriction(until, 120));
    await applyAccountEvents(t.sql, 10);
    await record();
    await t.sql`update outbound.senders set stopped_until = now() - interval '1 second'`;
    await applyAccountEvents(t.sql, 10);
    await record();
    await post(t, sender.waba_id, restriction(START, 180));
    await record();

    const ends = new Date(until * 1000).toISOString();
    assert.deepEqual(states, [RESTRICTED, "active", `${RESTRICTED} until ${ends}`, "active", "active"]);
  }));

Deno.test("account_update releases a lock that a refused message found, but no sender that was stopped for itself", () =>
  withSender(async (t, locked) => {
    const token = await insertSender(t.sql, locked.company_id, { waba_id: locked.waba_id });
    await refuse(t, locked, true);
    await refuse(t, token, false);
    const states = async () => [await stateOf(t, locked), await stateOf(t, token)];

    await post(t, locked.waba_id, ban("REINSTATE"));
    const late = await states();
    await post(t, locked.waba_id, ban("REINSTATE", 2 * 3600));

    assert.deepEqual(late, ["locked: Refused", "stopped: Refused"], "reinstated before it was refused");
    assert.deepEqual(await states(), ["active", "stopped: Refused"]);
  }));

Deno.test("account_update releases a lock that a message found within the same second: the platform's times have no fractions", () =>
  withSender(async (t, sender) => {
    await refuse(t, sender, true);
    await t
      .sql`update outbound.senders set stopped_at = date_trunc('second', stopped_at) + interval '700 ms'`;
    const [row] = await t
      .sql`select floor(extract(epoch from stopped_at))::int as second from outbound.senders`;

    await post(t, sender.waba_id, ban("REINSTATE", row!.second - 1 - START));
    const late = await stateOf(t, sender);
    await post(t, sender.waba_id, ban("REINSTATE", row!.second - START));

    assert.deepEqual([late, await stateOf(t, sender)], ["locked: Refused", "active"]);
  }));

Deno.test("account_update from before an operator resumed the sender changes nothing", () =>
  withSender(async (t, sender) => {
    await post(t, sender.waba_id, ban("DISABLE"));
    await resumeSender(t.sql, sender);

    await post(t, sender.waba_id, ban("DISABLE", 60));

    assert.equal(await stateOf(t, sender), "active");
  }));

Deno.test("phone_number_quality_update reaches the sender with that number, in the platform's order, as sender.updated", () =>
  withSender(async (t, sender) => {
    const second = await insertSender(t.sql, sender.company_id, { waba_id: sender.waba_id });
    const number = `+${sender.number}`;

    await post(t, sender.waba_id, limit(number, { event: "UPGRADE", current_limit: "TIER_10K" }, 60));
    await post(t, sender.waba_id, limit(number, { event: "ONBOARDING", current_limit: "TIER_250" }));
    await post(
      t,
      sender.waba_id,
      limit(number, { event: "FLAGGED", max_daily_conversations_per_business: "TIER_2K" }, 120),
    );
    await post(t, "999", limit(number, { event: "UNFLAGGED" }, 180));

    const rows = await t.sql`
      select id, messaging_limit, quality from outbound.senders order by id = ${second.id}`;
    assert.deepEqual(rows.map((row) => ({ ...row })), [
      { id: sender.id, messaging_limit: "TIER_2K", quality: "RED" },
      { id: second.id, messaging_limit: null, quality: null },
    ]);
    const data = {
      company_id: sender.company_id,
      sender_id: sender.id,
      number: sender.number,
      channel: "whatsapp",
    };
    const events = await readEvents(t.sql, sender.company_id);
    assert.deepEqual(events.map(({ type, payload }) => [type, payload.data]), [
      ["sender.updated", { ...data, messaging_limit: "TIER_10K" }],
      ["sender.updated", {
        ...data,
        messaging_limit: "TIER_2K",
        previous_messaging_limit: "TIER_10K",
        quality: "RED",
      }],
    ]);
  }));

Deno.test("account_update that only warns is recorded on the sender, which goes on sending", () =>
  withSender(async (t, sender) => {
    await post(t, sender.waba_id, ban("SCHEDULE_FOR_DISABLE"));

    const notice = "The platform is going to disable the business account (April 17, 2025)";
    const [event] = await readEvents(t.sql, sender.company_id);
    assert.equal(await stateOf(t, sender), "active");
    assert.deepEqual([event?.type, event?.payload.data.notice], ["sender.updated", notice]);
  }));

Deno.test("events of accounts that are not ours are counted and not stored", () =>
  withSender(async (t) => {
    const template = {
      field: "message_template_status_update",
      value: { event: "PAUSED", message_template_name: "x", message_template_language: "en" },
    };

    await post(t, "999", ban("DISABLE"), template);

    const [stored] = await t.sql`
      select (select count(*)::int from outbound.account_events) as accounts,
        (select count(*)::int from outbound.template_events) as templates`;
    assert.deepEqual({ ...stored }, { accounts: 0, templates: 0 });
    assert.deepEqual(await foreignEvents(t), [{ reason: "unknown_sender", events: 2 }]);
  }));

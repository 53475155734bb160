import assert from "node:assert/strict";
import { tickWithoutProbe } from "../setup/fixtures/queue.ts";
import fc from "fast-check";
import type postgres from "postgres";
import { EVENT_TYPES } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { acceptCampaign } from "../cli/campaign/accept_campaign.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany, insertSender, insertTemplate } from "../setup/fixtures/fixtures.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";

interface Row {
  id: string;
  status: string;
  fence: number;
}

/** A company's campaign, and what dispatchers, the platform and time do to it. */
interface Campaign {
  companyId: string;
  campaignId: string;
  rows(): Promise<Row[]>;
  claim(): Promise<void>;
  finish(index: number, outcome: string): Promise<void>;
  receive(index: number, status: string, retryable?: boolean): Promise<void>;
  loseLeases(): Promise<void>;
  expire(): Promise<void>;
  cancel(): Promise<void>;
}

async function newCampaign(sql: postgres.Sql, notifications: number): Promise<Campaign> {
  const { companyId, campaignId } = await acceptCampaign(sql, { notifications });
  await sql`update outbound.senders set rate_per_second = 100000 where company_id = ${companyId}`;
  const rows = () =>
    sql<Row[]>`
      select id, status, fence from outbound.notifications where company_id = ${companyId} order by id`;
  const row = async (index: number) => (await rows())[index]!;
  const tick = () => tickWithoutProbe(sql);
  return {
    companyId,
    campaignId,
    rows,
    async claim() {
      await sql`update outbound.queue set run_at = now()
        where company_id = ${companyId} and status = 'queued'`;
      await sql`update outbound.sender_rate_state set tokens = 100, refilled_at = now() where company_id = ${companyId}`;
      await sql`select outbound.claim_notifications('w', 100, '60 seconds')`;
    },
    async finish(index, outcome) {
      const { id, fence } = await row(index);
      const result = {
        company_id: companyId,
        id,
        fence,
        attempt: 1,
        started_at: new Date().toISOString(),
        outcome,
      };
      const facts = outcome === "sent"
        ? { platform_message_id: `wamid.${id}` }
        : { error_code: "131026", reason: "Not reachable", retry_in_s: 0 };
      await sql`select outbound.finish_notifications('w', ${
        sql.json([{ ...result, ...facts }])
      }, '120 seconds')`;
    },
    async receive(index, status, retryable = false) {
      const { id } = await row(index);
      await sql`select outbound.store_platform_events(${
        sql.json([{
          dedupe_key: crypto.randomUUID(),
          channel: "whatsapp",
          platform_message_id: `wamid.${id}`,
          company_id: companyId,
          notification_id: id,
          status,
          occurred_at: new Date().toISOString(),
          error_code: status === "failed" ? "131047" : null,
          retryable,
          reason: status === "failed" ? "Out of window" : null,
        }])
      })`;
      await sql`update outbound.platform_events set apply_at = now() where applied_at is null`;
      await sql`select outbound.apply_platform_events()`;
    },
    async loseLeases() {
      await sql`update outbound.queue set lease_until = now() - interval '1 s'
        where company_id = ${companyId} and lease_until is not null`;
      await tick();
    },
    async expire() {
      await sql`update outbound.queue set expires_at = now() - interval '1 s'
        where company_id = ${companyId} and status = 'queued'`;
      await tick();
    },
    async cancel() {
      await sql`select outbound.cancel_campaign(${companyId}, ${campaignId})`;
    },
  };
}

async function typesOf(sql: postgres.Sql, companyId: string): Promise<string[]> {
  return (await readEvents(sql, companyId)).map(({ type }) => type).sort();
}

const FACTS: Record<string, string[]> = {
  sent: ["sent"],
  delivered: ["sent", "delivered"],
  read: ["sent", "delivered", "read"],
  failed: ["failed"],
};

/** Returns the facts that a notification's states report, each once, however it got there. */
function factsOf(states: string[]): string[] {
  const [first, ...later] = states.map((state) => FACTS[state] ?? []);
  const reported: string[] = [];
  let before = first ?? [];
  for (const facts of later) {
    reported.push(...facts.filter((fact) => !before.includes(fact)));
    before = facts;
  }
  return reported;
}

const NUMBERS = 2;
const index = fc.nat(NUMBERS - 1);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant(["claim"] as const) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant("finish" as const),
      index,
      fc.constantFrom("sent", "failed", "retry", "unknown"),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(
      fc.constant("receive" as const),
      index,
      fc.constantFrom("sent", "delivered", "read", "failed"),
      fc.boolean(),
    ),
  },
  { weight: 2, arbitrary: fc.constant(["loseLeases"] as const) },
  { weight: 1, arbitrary: fc.constantFrom(["expire"] as const, ["cancel"] as const) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function take(campaign: Campaign, [name, ...args]: Step): Promise<void> {
  await (campaign[name] as (...args: readonly unknown[]) => Promise<void>)(...args);
}

Deno.test("each fact is reported exactly once, whatever happens in whatever order", () =>
  withTestDatabase(async ({ sql }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const campaign = await newCampaign(sql, NUMBERS);
        await insertWebhook(sql, campaign.companyId);
        const history: string[][] = [];
        for (const each of [undefined, ...steps]) {
          if (each) await take(campaign, each);
          history.push((await campaign.rows()).map(({ status }) => status));
        }

        const events = await readEvents(sql, campaign.companyId);
        const { 0: row } = await sql`
          select completed_at is not null as done from outbound.campaigns where id = ${campaign.campaignId}`;
        const ids = (await campaign.rows()).map(({ id }) => id);
        for (const [index, id] of ids.entries()) {
          const reported = events.filter(({ payload }) => payload.data.notification_id === id);
          const expected = factsOf(history.map((statuses) => statuses[index]!));
          assert.deepEqual(
            reported.map(({ type }) => type).sort(),
            expected.map((fact) => `notification.${fact}`).sort(),
          );
        }
        const completions = events.filter(({ type }) => type === "campaign.completed");
        assert.equal(completions.length, row?.done ? 1 : 0);
        assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
      }),
      { numRuns: 15 },
    );
  }));

Deno.test("a message that goes from unconfirmed to read at once reports all that this implies", () =>
  withTestDatabase(async ({ sql }) => {
    const campaign = await newCampaign(sql, 1);
    await insertWebhook(sql, campaign.companyId);
    await campaign.claim();
    await campaign.finish(0, "unknown");

    await campaign.receive(0, "read");

    assert.deepEqual(await typesOf(sql, campaign.companyId), [
      "campaign.completed",
      "notification.delivered",
      "notification.read",
      "notification.sent",
    ]);
  }));

Deno.test("an event holds what a company needs to find the message again", () =>
  withTestDatabase(async ({ sql }) => {
    const campaign = await newCampaign(sql, 1);
    const { companyId, campaignId } = campaign;
    await sql`update outbound.campaigns set name_event = 'welcome' where id = ${campaignId}`;
    await insertWebhook(sql, companyId);
    await campaign.claim();
    await campaign.finish(0, "sent");
    await campaign.receive(0, "failed");

    const events = await readEvents(sql, companyId);
    const of = (type: string) => events.filter((event) => event.type === type).map(({ payload }) => payload);

    const { 0: row } = await campaign.rows();
    const [sent] = of("notification.sent");
    const common = {
      company_id: companyId,
      campaign_id: campaignId,
      campaign_name: "Autumn",
      notification_id: row!.id,
      number: "15550001000",
      platform_message_id: `wamid.${row!.id}`,
    };
    const { created_at, sent_at, ...rest } = sent!.data;
    assert.deepEqual(Object.keys(sent!), ["type", "timestamp", "data"]);
    assert.deepEqual([sent!.type, sent!.timestamp], ["notification.sent", sent_at]);
    assert.deepEqual(rest, { ...common, status: "sent" });
    for (const time of [created_at, sent_at]) assert.equal(new Date(time).toISOString(), time);
    const [flow] = of("flow.triggered");
    assert.deepEqual(flow!.data, { ...sent!.data, name_event: "welcome" });
    const [failed] = of("notification.failed");
    const { failed_at, ...failure } = failed!.data;
    assert.equal(failed!.timestamp, failed_at);
    assert.deepEqual(failure, {
      ...sent!.data,
      status: "failed",
      error_code: "131047",
      error_reason: "Out of window",
    });
  }));

Deno.test("campaign.completed holds the counters, and says when all of it was cancelled", () =>
  withTestDatabase(async ({ sql }) => {
    const campaign = await newCampaign(sql, 2);
    await insertWebhook(sql, campaign.companyId);

    await campaign.cancel();
    await campaign.cancel();

    const [event, ...more] = await readEvents(sql, campaign.companyId);
    const { data } = event!.payload;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [data.campaign_id, data.campaign_name, data.status, data.total, data.cancelled, data.sent],
      [campaign.campaignId, "Autumn", "cancelled", 2, 2, 0],
    );
    assert.equal(event!.payload.timestamp, data.completed_at);
  }));

Deno.test("campaign.completed comes once, whatever is received after it", () =>
  withTestDatabase(async ({ sql }) => {
    const campaign = await newCampaign(sql, 1);
    await insertWebhook(sql, campaign.companyId, { event_types: ["campaign.completed"] });
    await campaign.claim();
    await campaign.finish(0, "sent");

    for (const status of ["delivered", "read", "delivered"]) await campaign.receive(0, status);

    assert.deepEqual(await typesOf(sql, campaign.companyId), ["campaign.completed"]);
  }));

Deno.test("a campaign without a recipient left completes, and says so, as it is accepted", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId, campaignId } = await acceptCampaign(sql, { notifications: 1 });
    await insertWebhook(sql, companyId);

    await sql`
      insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id,
        total, rejected, pending, completed_at)
      select company_id, gen_random_uuid(), api_key_id, channel, 'Empty', notification_type, sender_id, 0, 3, 0, now()
      from outbound.campaigns where id = ${campaignId}`;

    const [event] = await readEvents(sql, companyId);
    assert.deepEqual([event?.type, event?.payload.data.rejected], ["campaign.completed", 3]);
  }));

Deno.test("template.status_changed comes with every change of state, and with no other change", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCompany(sql);
    const sender = await insertSender(sql, company.id);
    const template = await insertTemplate(sql, sender, { status: "pending" });
    await insertWebhook(sql, company.id);
    const event = {
      waba_id: template.waba_id,
      platform_template_id: null,
      name: template.name,
      language: template.language,
      reason: "TAG_CONTENT_MISMATCH",
    };
    const receive = async (status: string) => {
      const report = {
        ...{ ...event, status, kind: "status" },
        ...{ dedupe_key: crypto.randomUUID(), occurred_at: new Date().toISOString() },
      };
      await sql`select outbound.store_template_events(${sql.json([report])})`;
      await sql`select outbound.apply_template_events()`;
    };

    await receive("approved");
    await receive("approved");
    await sql`select outbound.stop_template(${company.id}, ${template.id}, 'Paused', now() + interval '1 minute')`;
    await sql`select outbound.sync_templates(${company.id}, ${template.waba_id}, '[]')`;

    const events = await readEvents(sql, company.id);
    const changes = events.map((
      { type, payload: { data } },
    ) => [type, data.previous_status, data.status, data.reason]);
    assert.deepEqual(changes.sort(), [
      ["template.status_changed", "approved", "disabled", "Paused"],
      ["template.status_changed", "pending", "approved", undefined],
    ]);
    assert.equal(events[0]!.payload.data.template_id, template.id);
    assert.equal(events[0]!.payload.data.name, template.name);
  }));

Deno.test("sender.status_changed comes with every change of state, and with no other change", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCompany(sql);
    const sender = await insertSender(sql, company.id);
    await insertWebhook(sql, company.id);
    const stop = { company_id: company.id, sender_id: sender.id, change: "stop", reason: "Token" };

    await sql`select outbound.adjust_senders(${sql.json([stop])})`;
    await sql`select outbound.adjust_senders(${sql.json([{ ...stop, locked: true }])})`;
    await sql`update outbound.senders set rate_per_second = 7`;
    await sql`update outbound.senders set status = 'active', stopped_reason = null, locked = false`;

    const changes = (await readEvents(sql, company.id)).map((
      { type, payload: { data } },
    ) => [type, data.sender_id, data.previous_status, data.status, data.reason, data.locked]);
    assert.deepEqual(changes, [
      ["sender.status_changed", sender.id, "active", "stopped", "Token", undefined],
      ["sender.status_changed", sender.id, "stopped", "stopped", "Token", true],
      ["sender.status_changed", sender.id, "stopped", "active", undefined, undefined],
    ]);
  }));

Deno.test("nothing is written without a webhook, for one that is off, or for types it does not want", () =>
  withTestDatabase(async ({ sql }) => {
    const [none, off, some] = [
      await newCampaign(sql, 2),
      await newCampaign(sql, 2),
      await newCampaign(sql, 2),
    ];
    await insertWebhook(sql, off.companyId, { is_active: false });
    await insertWebhook(sql, some.companyId, { event_types: ["notification.read", "campaign.completed"] });

    for (const campaign of [none, off, some]) {
      await campaign.claim();
      await campaign.finish(0, "sent");
      await campaign.finish(1, "failed");
      await campaign.receive(0, "read");
    }

    assert.deepEqual(await typesOf(sql, none.companyId), []);
    assert.deepEqual(await typesOf(sql, off.companyId), []);
    assert.deepEqual(await typesOf(sql, some.companyId), ["campaign.completed", "notification.read"]);
  }));

Deno.test("an event exists only if what it reports was committed", () =>
  withTestDatabase(async ({ sql }) => {
    const campaign = await newCampaign(sql, 1);
    await insertWebhook(sql, campaign.companyId);

    const undone = sql.begin(async (transaction) => {
      await transaction`select outbound.cancel_campaign(${campaign.companyId}, ${campaign.campaignId})`;
      throw new Error("undone");
    });

    await assert.rejects(undone, /undone/);
    assert.deepEqual(await typesOf(sql, campaign.companyId), []);
  }));

Deno.test("one statement over companies with and without a webhook writes each company its own events", () =>
  withTestDatabase(async ({ sql }) => {
    const campaigns = [await newCampaign(sql, 2), await newCampaign(sql, 1), await newCampaign(sql, 3)];
    await insertWebhook(sql, campaigns[0]!.companyId);
    await insertWebhook(sql, campaigns[2]!.companyId);

    await sql`update outbound.queue set expires_at = now() - interval '1 s'`;
    await tickWithoutProbe(sql);

    const counts = await Promise.all(
      campaigns.map(async ({ companyId }) => (await typesOf(sql, companyId)).length),
    );
    assert.deepEqual(counts, [3, 0, 4]);
  }));

Deno.test("a webhook, the company's own or a further one, takes exactly the event types the code knows", () =>
  withTestDatabase(async ({ sql }) => {
    const [row] = await sql<{ source: string }[]>`
      select prosrc as source from pg_proc where oid = 'outbound.are_event_types(text[])'::regprocedure`;
    const checks = await sql<{ definition: string }[]>`
      select pg_get_constraintdef(oid) as definition from pg_constraint
      where conname in ('webhooks_types_check', 'webhook_endpoints_types_check')`;

    const types = [...row!.source.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, type]) => type!);
    assert.deepEqual(types, [...EVENT_TYPES]);
    const check = { definition: "CHECK (outbound.are_event_types(event_types))" };
    assert.deepEqual([...checks], [check, check]);
    const [taken] = await sql<{ all: boolean; none: boolean; other: boolean; any: boolean | null }[]>`
      select outbound.are_event_types(${[
      ...EVENT_TYPES,
    ]}::text[]) as all, outbound.are_event_types('{}') as none,
        outbound.are_event_types(array['key.expiring', 'key.expired']) as other, outbound.are_event_types(null) as any`;
    assert.deepEqual(taken, { all: true, none: false, other: false, any: null });
  }));

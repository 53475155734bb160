/**
 * Provokes every alert once. A Prometheus reads the shipped rules with their times divided by `SCALE`, and scrapes the API
 * and two dispatchers. Conditions are brought about from outside, with two exceptions:
 *
 * - Without a dispatcher, the test leaves in the queue what dispatchers would have left, by the queue's own functions, and
 *   moves its times back by two hours (`leaveWork`).
 * - `OutboundOldSnapshot` fires about a figure that is replaced before the exporter writes it.
 *
 * @module
 */
import assert from "node:assert/strict";
import { POOL_CONNECTIONS } from "../../supabase/functions/_shared/db/driver/connect.ts";
import type { OperatingFigures } from "../../supabase/functions/_shared/db/queue/operating_figures.ts";
import { storePlatformEvents } from "../../supabase/functions/_shared/db/queue/platform_events.ts";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { type Intake, startIntake } from "../faults/intake.ts";
import { withOwnCluster } from "../faults/database/own_cluster.ts";
import { readRules } from "../prometheus/with_prometheus.ts";
import { enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { eventually } from "../setup/eventually.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
} from "../setup/fixtures/queue.ts";
import { insertEvents, insertWebhook } from "../setup/fixtures/webhooks.ts";
import { stopCluster } from "../setup/database/postgres_cluster.ts";
import { postChange } from "../webhooks/inbound.ts";
import { scaleRules } from "./scale_rules.ts";
import { type WatchedService, withWatchedService } from "./watched_service.ts";

/** A minute of the rules takes as long as four scrapes. */
const SCALE = 15;
/** Scrapes in seven minutes of the rules: the longest that a failure of a moment counts. */
const AFTERMATH = 28;
const NO_LISTENER = "http://127.0.0.1:9";

const takeRequests = (t: WatchedService): Intake =>
  startIntake(t, { contacts: 1, everyMs: 200, mayBeLost: true });

/** Posts an event about a notification of ours with a signature that is not the platform's. */
async function postForged({ http, sql }: WatchedService): Promise<void> {
  const [row] = await sql`select company_id, id from outbound.notifications limit 1`;
  const reference = writeReference({ companyId: row!.company_id, notificationId: row!.id, fence: 1 });
  const statuses = [{ id: "wamid.A", status: "sent", biz_opaque_callback_data: reference }];
  const changes = [{ field: "messages", value: { statuses } }];
  const rawBody = JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1", changes }] });
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
  const { status } = await http.post("/webhooks/whatsapp", undefined, { rawBody, headers });
  assert.equal(status, 401);
}

/** The platform rates a sender low, and pauses the template of a campaign that is not due yet. */
async function postWarnings(t: WatchedService): Promise<void> {
  const { sender, template, ...company } = await insertSendingCompany(t.sql);
  await enqueue(t.sql, { sender, template, ...company }, { dueInS: 3600 });
  const rating = { display_phone_number: sender.number, event: "FLAGGED", current_limit: "TIER_1K" };
  await postChange(t, sender, rating, "phone_number_quality_update");
  const paused = { message_template_id: 1, message_template_name: template.name, event: "PAUSED" };
  const change = { ...paused, message_template_language: "en" };
  await postChange(t, sender, change, "message_template_status_update");
}

/** Twelve hundred events of a number that is not ours. */
async function postForeign(t: WatchedService): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  for (const batch of [0, 1, 2]) {
    const statuses = Array.from({ length: 400 }, (_, index) => ({
      ...{ id: `wamid.${batch}.${index}`, status: "sent", timestamp, recipient_id: "34600000001" },
    }));
    await postChange(t, { platform_id: "4711", waba_id: "4711" }, { statuses });
  }
}

/** Ends the first dispatcher while it sends, and makes our webhook unreachable. */
async function killOne({ sql, platform, breakApi, dispatchers: [first] }: WatchedService): Promise<void> {
  await platform.configure({ latency_ms: 2500 });
  await eventually(async () => {
    const [row] = await sql`
      select count(distinct worker)::int as workers from outbound.notifications where status = 'sending'`;
    assert.equal(row!.workers, 2);
  }, 60_000);
  await first!.kill();
  breakApi(true);
  await platform.configure({ latency_ms: 0 });
}

/** Leaves calls and messages whose outcome is unknown, and what waits for a dispatcher; all of it is two hours old. */
async function leaveWork(t: WatchedService): Promise<void> {
  const { sql, http, key } = t;
  const calling = await insertCallingCompany(sql, { concurrency: 20 });
  await enqueueCalls(sql, calling, { count: 11 });
  await finish(sql, await claim(sql), { outcome: "sent" });
  const company = await insertSendingCompany(sql);
  const { ids } = await enqueue(sql, company, { count: 150 });
  await finish(sql, await claim(sql, { limit: 1000 }), { outcome: "unknown" }, { windowS: 10_000 });
  await storePlatformEvents(sql, [eventOf(company.id, ids[0]!, "delivered")]);
  await insertWebhook(sql, company.id, { url: NO_LISTENER });
  await insertEvents(sql, company.id, 1);
  const { status } = await http.post("/notify", notifyBody(t), { query: { access_key: key.key } });
  assert.equal(status, 200);
  await sql.begin((transaction) => letTimePass(transaction, 7200));
  await sql`update outbound.webhook_deliveries set run_at = run_at - interval '2 hours'`;
}

/** Keeps queries waiting for a connection for half a minute. */
async function fillPool({ sql }: WatchedService): Promise<void> {
  await Promise.all(Array.from({ length: 5 * POOL_CONNECTIONS }, () => sql`select pg_sleep(8)`));
}

Deno.test("every alert fires about what it is for, and none about a restart of the database", (t) =>
  withOwnCluster(async ({ url: databaseUrl, folder, crash, restart }) => {
    const rules = scaleRules(await readRules(), SCALE);
    const replaced: Partial<OperatingFigures> = {};
    await withWatchedService(t.name, { databaseUrl, rules, replaced }, async (service) => {
      const { platform, prometheus, provoke, dispatchers } = service;
      const requests = takeRequests(service);

      await t.step("the database restarts under load: silence", async () => {
        await crash();
        await prometheus.scrapes(AFTERMATH);
        assert.deepEqual(await prometheus.alerts("ever"), []);
      });
      await t.step(
        "reports of the platform, forged ones, and a sender that it refuses",
        async () => {
          await provoke(["OutboundEventsRefused", "OutboundErrorsLogged"], () => postForged(service));
          await provoke(["OutboundForeignEvents"], () => postForeign(service));
          await provoke(["OutboundSendersStopped"], async () => {
            await enqueue(service.sql, await insertSendingCompany(service.sql));
          });
          await provoke(["OutboundSendersWarned", "OutboundCampaignsHeld"], () => postWarnings(service));
        },
      );
      await t.step("the platform takes messages and reports nothing, and then is away", async () => {
        await provoke(
          ["OutboundEventsSilent"],
          () => platform.configure({ webhooks: false, webhook_url: NO_LISTENER }),
        );
        await provoke(["OutboundPlatformUnreachable"], () => platform.goDown());
        await platform.comeBack();
      });
      await t.step("a dispatcher is killed, and our webhook is out of reach", () =>
        provoke(
          ["OutboundProcessDown", "OutboundLeasesLost", "OutboundWebhookUnreachable"],
          () => killOne(service),
        ));
      await requests.stop();
      await t.step("no dispatcher is left; times move back two hours", () =>
        provoke([
          ...["OutboundDispatcherGone", "OutboundNothingIsSent", "OutboundQueueDelayed"],
          ...["OutboundCallsOverdue", "OutboundOutcomesUnknown"],
          ...["OutboundEventsUnapplied", "OutboundWebhookBacklog"],
        ], async () => {
          await dispatchers[1]!.kill();
          await leaveWork(service);
        }));
      await t.step(
        "a figure says that a snapshot is old",
        () => provoke(["OutboundOldSnapshot"], () => replaced.snapshot_s = 901),
      );
      await t.step("the database becomes a standby", async () => {
        await provoke(
          ["OutboundCellInactive"],
          () => service.sql`update outbound.cell set state = 'standby'`,
        );
        await service.sql`select outbound.activate_cell()`;
      });
      await t.step(
        "queries wait for a connection",
        () => provoke(["OutboundPoolExhausted"], () => fillPool(service)),
      );
      await t.step("the database is away", async () => {
        const refused = takeRequests(service);
        try {
          await provoke(
            ["OutboundDatabaseFiguresMissing", "OutboundErrorResponses"],
            () => stopCluster(folder),
          );
        } finally {
          await refused.stop();
          await restart();
        }
      });
      await t.step("every alert was provoked", async () => {
        const shipped = [...rules.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name!);
        assert.deepEqual(await prometheus.alerts("ever"), shipped.sort());
      });
    });
  }));

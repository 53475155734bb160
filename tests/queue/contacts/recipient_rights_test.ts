import assert from "node:assert/strict";
import type postgres from "postgres";
import { consent, setConsentPolicy, suppress } from "../../setup/fixtures/contacts.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import {
  acceptAll,
  addMarketingTemplate,
  assertConserved,
  claim,
  countersOf,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  messageId,
  report,
  requestOf,
  type RequestOverrides,
  type SendingCompany,
  statesOf,
  statusesOf,
} from "../../setup/fixtures/queue.ts";

const NUMBER = "59171000100";
const USER_ID = "BO.1349aBc";

/** The codes that accepting names for the recipients of a request; the outcome when it names none. */
async function accepted(sql: postgres.Sql, company: SendingCompany, overrides: RequestOverrides = {}) {
  if (overrides.type === "marketing") await addMarketingTemplate(sql, company);
  const [verdict] = await acceptAll(sql, [requestOf(company, overrides)]);
  return verdict!.recipients?.map(({ code }) => code) ?? verdict!.outcome;
}

const MARKETING = { type: "marketing" } as const;
const UTILITY = { type: "utility" } as const;
const SUPPRESSIONS: [
  suppression: Parameters<typeof suppress>[2],
  request: RequestOverrides,
  refused: boolean,
][] = [
  [{ category: "marketing" }, MARKETING, true],
  [{ category: "marketing" }, UTILITY, false],
  [{ category: "all" }, UTILITY, true],
  [{ channel: "whatsapp" }, MARKETING, true],
  [{ channel: "voice" }, MARKETING, false],
  [{ source: "platform" }, MARKETING, true],
  [{ number: "59171000101" }, MARKETING, false],
];

Deno.test("a suppression counts when accepting and when claiming, by channel and category", async (t) => {
  for (const [suppression, request, refused] of SUPPRESSIONS) {
    await t.step(
      `${JSON.stringify(suppression)}, ${request.type}`,
      () =>
        withPostgresDatabase(async ({ sql }) => {
          const company = await insertSendingCompany(sql);
          const early = await enqueue(sql, company, request);
          await suppress(sql, company.id, { number: NUMBER, ...suppression });

          const claimed = await claim(sql);

          assert.deepEqual(await statusesOf(sql, early.ids), [refused ? "skipped" : "sending"]);
          assert.equal(claimed.length, refused ? 0 : 1);
          assert.deepEqual(await accepted(sql, company, request), refused ? ["opted_out"] : "accepted");
          await assertConserved(sql);
        }),
    );
  }
});

Deno.test("a template of the category MARKETING is marketing, whatever the request calls it", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const early = await enqueue(sql, company, UTILITY);
    await sql`update outbound.templates set category = 'MARKETING' where id = ${company.template.id}`;
    await suppress(sql, company.id, { number: NUMBER });

    assert.deepEqual(await accepted(sql, company, UTILITY), ["opted_out"]);
    await claim(sql);

    const [state] = await statesOf(sql, early.ids);
    assert.deepEqual([state!.status, state!.error_code], ["skipped", "opted_out"]);
  }));

Deno.test("skipping counts in the campaign, and completes it", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { ...MARKETING, count: 3 });
    await suppress(sql, company.id, { number: NUMBER });
    await suppress(sql, company.id, { number: "59171000102" });

    const claimed = await claim(sql);
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 1, skipped: 2 });
    await finish(sql, claimed, { outcome: "sent" });

    assert.deepEqual(await countersOf(sql, campaignId), { sent: 1, skipped: 2 });
    assert.deepEqual(await statusesOf(sql, ids), ["skipped", "sent", "skipped"]);
    const [campaign] = await sql`select completed_at is not null as done from outbound.campaigns`;
    assert.equal(campaign!.done, true);
    await assertConserved(sql);
  }));

Deno.test("a campaign of which everything is skipped is complete", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await sql`insert into outbound.webhooks (company_id, url, secret_sealed) values (${company.id}, 'https://x.example', 's')`;
    const { campaignId } = await enqueue(sql, company, MARKETING);
    await suppress(sql, company.id, { number: NUMBER });

    assert.deepEqual(await claim(sql), []);

    assert.deepEqual(await countersOf(sql, campaignId), { skipped: 1 });
    const events = await sql<{ type: string; data: Record<string, unknown> }[]>`
      select type, payload -> 'data' as data from outbound.outgoing_events order by type`;
    assert.deepEqual(events.map(({ type }) => type), [
      "campaign.completed",
      "contact.opted_out",
      "notification.skipped",
    ]);
    assert.deepEqual([events[2]!.data.number, events[2]!.data.error_code], [NUMBER, "opted_out"]);
    assert.equal(events[0]!.data.skipped, 1);
    await assertConserved(sql);
  }));

Deno.test("an opt-out under a user id counts for the number that it is linked to, whichever came first", () =>
  withPostgresDatabase(async ({ sql }) => {
    const [before, after] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    const link = (id: string) => sql`select outbound.link_user_id(${id}, ${USER_ID}, ${NUMBER}, null, now())`;

    await link(before.id);
    await suppress(sql, before.id, { user_id: USER_ID });
    await suppress(sql, after.id, { user_id: USER_ID });
    assert.equal(await accepted(sql, after, MARKETING), "accepted");
    await link(after.id);

    for (const company of [before, after]) {
      assert.deepEqual(await accepted(sql, company, MARKETING), ["opted_out"]);
      const byUserId = requestOf(company, MARKETING);
      byUserId.notifications = [{ id: crypto.randomUUID(), number: null, user_id: USER_ID, message: [] }];
      const [verdict] = await acceptAll(sql, [byUserId]);
      assert.equal(verdict!.outcome, "recipients");
    }
    assert.equal((await claim(sql)).length, 0);
    await assertConserved(sql);
  }));

Deno.test("consent: a policy of require refuses marketing without it; the latest by time counts", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const at = (day: number) => `2026-05-0${day}T00:00:00Z`;
    const status = () => accepted(sql, company, MARKETING);
    const say = (status: "granted" | "withdrawn", day: number) =>
      consent(sql, company.id, { number: NUMBER, status, consented_at: at(day) });

    const early = await enqueue(sql, company, MARKETING);
    await setConsentPolicy(sql, company.id, "require");
    assert.deepEqual(await status(), ["no_consent"]);
    assert.equal(await accepted(sql, company, UTILITY), "accepted");
    await say("granted", 2);
    assert.equal(await status(), "accepted");
    await say("withdrawn", 3);
    assert.deepEqual(await status(), ["opted_out"]);
    await say("granted", 1);
    assert.deepEqual(await status(), ["opted_out"], "a grant of an earlier time lifts nothing");
    await say("granted", 4);
    assert.equal(await status(), "accepted");
    await say("withdrawn", 4);
    assert.deepEqual(await status(), ["opted_out"], "of two at the same time the withdrawal counts");

    await claim(sql);
    assert.deepEqual(await statusesOf(sql, early.ids), ["skipped"]);
    await assertConserved(sql);
  }));

Deno.test("consent: a policy of warn names those without it once, and accepts them when they are known", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await setConsentPolicy(sql, company.id, "warn");
    await addMarketingTemplate(sql, company);
    const request = requestOf(company, MARKETING);

    const [first] = await acceptAll(sql, [request]);
    const [second] = await acceptAll(sql, [{ ...request, warned: true }]);

    assert.deepEqual(first!.recipients, [{ id: request.notifications[0]!.id, code: "warn_no_consent" }]);
    assert.equal(second!.outcome, "accepted");
    assert.equal((await claim(sql)).length, 1);
  }));

Deno.test("marketing to a person whom the platform spares leaves at once, unless the company has it wait", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await sql`insert into outbound.marketing_cooldowns values (${company.id}, ${NUMBER}, now() + interval '24 hours')`;
    const { ids } = await enqueue(sql, company, MARKETING);

    assert.deepEqual((await claim(sql)).map(({ id }) => id), ids);
  }));

Deno.test("marketing that waits for a person whom the platform spares says so, and lives as long as before", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const marketing = await enqueue(sql, company, { ...MARKETING, ttlS: 3600 });
    const utility = await enqueue(sql, company, UTILITY);
    await sql`insert into outbound.contact_rules (company_id, marketing_cooldown) values (${company.id}, true)`;
    await sql`insert into outbound.marketing_cooldowns values (${company.id}, ${NUMBER}, now() + interval '24 hours')`;

    const claimed = await claim(sql);

    assert.deepEqual(claimed.map(({ id }) => id), utility.ids);
    const [row] = await sql`
      select error_code, error_reason from outbound.notifications where id = ${marketing.ids[0]!}`;
    assert.equal(row!.error_code, "marketing_cooldown");
    assert.equal(row!.error_reason, "The platform spares the recipient more marketing until then");
    const [state] = await statesOf(sql, marketing.ids);
    assert.deepEqual([state!.status, state!.attempt], ["queued", 0]);
    assert.ok(Math.abs(state!.waits_s - 86_400) < 10);
    await assertConserved(sql);
    await letTimePass(sql, 86_401);
    await sql`update outbound.marketing_cooldowns set until = until - interval '86401 s'`;
    assert.deepEqual((await claim(sql)).map(({ id }) => id), marketing.ids);
  }));

Deno.test("a receipt of an earlier attempt counts although the next was skipped", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, MARKETING);
    await finish(sql, await claim(sql), { outcome: "retry", retry_in_s: 0 });
    await suppress(sql, company.id, { number: NUMBER });
    await claim(sql);
    assert.deepEqual(await countersOf(sql, campaignId), { skipped: 1 });

    await report(sql, [
      eventOf(company.id, ids[0]!, "delivered", { platform_message_id: messageId(ids[0]!) }),
    ]);

    assert.deepEqual(await countersOf(sql, campaignId), { sent: 1, delivered: 1 });
    await assertConserved(sql);
  }));

Deno.test("the late result of an earlier attempt beats a skip, and a skip by the dispatcher is no attempt", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { ...MARKETING, count: 2 });
    const [late, capped] = await claim(sql);

    await finish(sql, [capped!], { outcome: "skipped", error_code: "frequency_cap", reason: null });

    const [, state] = await statesOf(sql, ids[0] === late!.id ? ids : ids.toReversed());
    assert.deepEqual(
      [state!.status, state!.attempt, state!.error_code, state!.error_reason],
      [
        "skipped",
        0,
        "frequency_cap",
        "The recipient was sent as many marketing messages as the company allows",
      ],
    );
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 1, skipped: 1 });
    assert.equal((await sql`select from outbound.delivery_attempts`).length, 0);
    await finish(sql, [late!], { outcome: "skipped", error_code: "frequency_cap" });
    await finish(sql, [late!], { outcome: "sent" });
    assert.deepEqual(await countersOf(sql, campaignId), { sent: 1, skipped: 1 });
    await assertConserved(sql);
  }));

for (const code of ["131050", "131049"]) {
  Deno.test(`a refusal of marketing in the platform's response counts for the person: ${code}`, () =>
    withPostgresDatabase(async ({ sql }) => {
      const company = await insertSendingCompany(sql);
      await enqueue(sql, company, MARKETING);
      await finish(sql, await claim(sql), { outcome: "failed", error_code: code, reason: "No marketing" });

      const suppressions = await sql`select source from outbound.suppressions`;
      const cooldowns =
        await sql`select address from outbound.marketing_cooldowns where until > now() + interval '23 hours'`;

      const expected = code === "131050" ? [[{ source: "platform" }], []] : [[], [{ address: NUMBER }]];
      assert.deepEqual([[...suppressions], [...cooldowns]], expected);
      await assertConserved(sql);
    }));
}

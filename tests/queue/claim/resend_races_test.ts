import assert from "node:assert/strict";
import type postgres from "postgres";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import { beginResend, finishResend } from "../../../supabase/functions/_shared/db/campaigns/resends.ts";
import { untilBlocked, withOpenTransaction } from "../../control/open_transaction.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  report,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";

const PEOPLE = 2_500;
const CODES = ["131049", "expired"];

/**
 * A finished campaign in which every notification failed: half of them expired, so they may turn out to have arrived.
 */
async function insertFailures(sql: postgres.Sql, company: SendingCompany) {
  const { campaignId, ids } = await enqueue(sql, company, { count: PEOPLE });
  await sql`
    update outbound.notification_facts set status = 'failed', failed_at = now(), error_reason = 'A reason', attempt = 1,
      fence = 1, error_code = case when right(number, 1)::int % 2 = 0 then '131049' else 'expired' end
    where campaign_id = ${campaignId}`;
  await sql`delete from outbound.queue where campaign_id = ${campaignId}`;
  await sql`
    update outbound.campaigns set pending = 0, failed = total, completed_at = now() where id = ${campaignId}`;
  return { campaignId, ids };
}

async function resend(
  sql: postgres.Sql,
  company: SendingCompany,
  campaignId: string,
): Promise<string | null> {
  const begun = await beginResend(sql, {
    companyId: company.id,
    campaignId,
    id: crypto.randomUUID(),
    codes: CODES,
    name: null,
    due: null,
    timezone: null,
    apiKeyId: company.key.id,
    idempotency: null,
  }, CLI);
  assert.ok(["accepted", "nothing", "running"].includes(begun.outcome), begun.outcome);
  if (begun.outcome !== "accepted") return null;
  await finishResend(sql, { companyId: company.id, campaignId: begun.result!.campaign_id! }, { ttlS: 3600 });
  return begun.result!.campaign_id;
}

Deno.test("resends, claims, receipts, pauses, cancellations and erasures at once neither deadlock nor send twice", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await insertFailures(sql, company);
    const erased = ids.slice(0, 20);
    const arrived = ids.slice(20, 120);
    const other = await insertFailures(sql, company);
    let isOver = false;

    async function whileOthers(work: () => Promise<unknown>): Promise<void> {
      while (!isOver) await work();
    }

    async function erase(id: string): Promise<void> {
      const [row] = await sql`select number from outbound.notifications where id = ${id}`;
      for (;;) {
        const [did] = await sql`
          select outcome from outbound.erase_contact(${company.id}, ${row!.number}, null, array[${
          row!.number
        }::text],
            array[encode(sha256(${row!.number}::text::bytea), 'hex')], '{}', now(), 'test', null)`;
        if (did!.outcome === "erased") return;
      }
    }

    async function control(): Promise<void> {
      const [campaign] = await sql`
        select id from outbound.campaigns where completed_at is null order by random() limit 1`;
      if (!campaign) return;
      await sql`select outbound.pause_campaign(${company.id}, ${campaign.id})`;
      await sql`select outbound.resume_campaign(${company.id}, ${campaign.id})`;
    }

    async function cancelHalfWay(): Promise<void> {
      const resent = resend(sql, company, other.campaignId);
      const [running] = await sql`
        select campaign_id from outbound.resends where resend_of = ${other.campaignId}`;
      if (running) await sql`select outbound.cancel_campaign(${company.id}, ${running.campaign_id})`;
      await resent;
    }

    const numbers = await sql`select number from outbound.notifications where id = any (${erased})`;
    const made: (string | null)[] = [];
    const busy = [
      whileOthers(async () => await finish(sql, await claim(sql, { limit: 200 }), { outcome: "sent" })),
      whileOthers(control),
    ];
    try {
      await Promise.all([
        ...[1, 2, 3].map(async () => made.push(await resend(sql, company, campaignId))),
        (async () => {
          for (const id of erased) await erase(id);
        })(),
        (async () => {
          for (const id of arrived) await report(sql, [eventOf(company.id, id, "sent")]);
        })(),
        cancelHalfWay(),
      ]);
      await resend(sql, company, campaignId);
    } finally {
      isOver = true;
      await Promise.allSettled(busy);
    }
    await Promise.all(busy);

    assert.ok(made.some((id) => id !== null));
    const [counts] = await sql`
      select count(resent_as)::int as resent, count(distinct resent_as)::int as made,
        (
          select count(*)::int from outbound.notifications as n
          where n.campaign_id not in (${campaignId}, ${other.campaignId})
        ) as rows,
        count(*) filter (where number = any (${
      numbers.map(({ number }) => number)
    }::text[]))::int as of_erased,
        count(*) filter (
          where campaign_id = ${campaignId} and status = 'failed' and resent_as is null and number is not null
        )::int as left_out
      from outbound.notifications`;
    assert.deepEqual({ ...counts }, {
      resent: counts!.rows,
      made: counts!.rows,
      rows: counts!.rows,
      of_erased: 0,
      left_out: 0,
    });
    assert.equal((await sql`select 1 from outbound.resends`).length, 0);
    await assertConserved(sql);
  }));

Deno.test("an erasure sees what a resend makes of the person's failed message at the same moment", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "failed", error_code: "131049" });
    const [row] = await sql`select number from outbound.notifications where id = ${ids[0]!}`;
    const id = crypto.randomUUID();
    await sql`
      select outbound.begin_resend(${company.id}, ${campaignId}, ${id}, ${CODES}::text[], null, null, null,
        ${company.key.id}, true, null)`;
    const erase = () =>
      sql`
      select outcome from outbound.erase_contact(${company.id}, ${row!.number}, null, array[${
        row!.number
      }::text],
        array[encode(sha256(${row!.number}::text::bytea), 'hex')], '{}', now(), 'test', null)`;

    await withOpenTransaction(sql, async (open, commit) => {
      await open`
        select outbound.continue_resend(${company.id}, ${id}, array[gen_random_uuid()], 3600)`;
      const erasing = erase().execute();
      await untilBlocked(sql);
      await commit();
      assert.equal((await erasing)[0]!.outcome, "changed");
    });
    assert.equal((await erase())[0]!.outcome, "erased");

    const left = await sql`select 1 from outbound.notifications where number is not null`;
    assert.equal(left.length, 0);
  }));

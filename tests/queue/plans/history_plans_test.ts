import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  type HistoryQuery,
  readHistory,
  readSenderChanges,
} from "../../../supabase/functions/_shared/db/campaigns/history.ts";
import { withMeasuredDatabase } from "../../setup/database/postgres_database.ts";
import { enqueue, insertSendingCompany, type SendingCompany } from "../../setup/fixtures/queue.ts";
import { faultsOf, plansOf, rowsReadOf } from "./read_plans.ts";

const ROWS = 40_000;
const OURS = 200;
const TABLES = [
  "history",
  "history_changes",
  "sender_history",
  "campaigns",
  "companies",
  "senders",
  "budgets",
];

/** History of a company, an hour apart, the newest now. */
async function fill(
  sql: postgres.Sql,
  { id, sender, template }: SendingCompany,
  rows: number,
): Promise<void> {
  await sql`
    insert into outbound.history (company_id, hour, campaign_id, template_id, sender_id, channel, area, reason,
      accepted, priced)
    select ${id}, date_trunc('hour', now(), 'UTC') - make_interval(hours => n % 800), gen_random_uuid(), ${template.id},
      ${sender.id}, 'whatsapp', 'ES', case when n % 2 = 0 then 'marketing' else '' end, 1, (n % 2 = 0)::int
    from generate_series(1, ${rows}) as n`;
  await sql`
    insert into outbound.sender_history (company_id, sender_id, at, quality)
    select ${id}, ${sender.id}, now() - make_interval(mins => n), 'RED' from generate_series(1, ${rows}) as n`;
}

Deno.test("reading the history costs what its range holds, with and without statistics, beside a larger company", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const [large, company] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    await fill(sql, large, ROWS);
    await fill(sql, company, OURS);
    const now = Date.now();
    const query: HistoryQuery = {
      companyId: company.id,
      by: "campaign",
      from: new Date(now - 100 * 3_600_000),
      to: new Date(now + 3_600_000),
      step: "hour",
      timezone: "Europe/Madrid",
      campaignId: undefined,
      templateId: undefined,
      senderId: undefined,
    };
    for (const statistics of [false, true]) {
      if (statistics) await sql`analyze`;
      const plans = await plansOf(url, async (one) => {
        for (
          const by of ["company", "campaign", "template", "sender", "country", "reason", "channel"] as const
        ) {
          await readHistory(one, { ...query, by }, 10_000);
        }
        await readHistory(one, { ...query, campaignId: crypto.randomUUID() }, 10_000);
        const page = { companyId: company.id, senderId: company.sender.id, limit: 50 };
        await readSenderChanges(one, page);
        await one`select outbound.cost_since(${company.id}, now() - interval '30 days', 'EUR')`;
      });
      assert.ok(plans.length > 8);
      assert.deepEqual(faultsOf(plans, 3 * OURS, TABLES), [], `statistics: ${statistics}`);
    }
  }));

Deno.test("a fold reads what it folds, and looking for one reads nothing, whatever the history holds", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const [large, company] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    await fill(sql, large, ROWS);
    await enqueue(sql, company, { count: 20 });
    await sql`
      insert into outbound.history_changes (written_at, company_id, at, area, metric, campaign_ids)
      select now() + make_interval(secs => n), ${large.id}, now(), '+34', 'sent', array[gen_random_uuid()]
      from generate_series(1, ${ROWS}) as n`;
    const plans = await plansOf(url, async (one) => {
      await one`select outbound.fold_history(50)`;
      await one`select outbound.clean_up_history(50)`;
      await one`select outbound.open_chores()`;
      await one`select outbound.history_until()`;
      await one`select outbound.check_budgets()`;
    });

    assert.deepEqual(faultsOf(plans, 400, TABLES), []);
    const { history_changes: changes = 0, history = 0 } = rowsReadOf(plans);
    assert.ok(changes < 400 && history < 400, `${changes} ${history}`);
  }));

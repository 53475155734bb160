import assert from "node:assert/strict";
import type postgres from "postgres";
import { readAgentPage } from "../../supabase/functions/_shared/db/agents.ts";
import { readCall, readCallPage } from "../../supabase/functions/_shared/db/call_list.ts";
import { readCampaignDetails, readCampaigns } from "../../supabase/functions/_shared/db/campaigns.ts";
import { readOverview } from "../../supabase/functions/_shared/db/overview.ts";
import { readRecipientPage } from "../../supabase/functions/_shared/db/recipients.ts";
import { readSender, readSenderPage } from "../../supabase/functions/_shared/db/senders.ts";
import { readTemplatePage } from "../../supabase/functions/_shared/db/templates.ts";
import { faultsOf, plansOf } from "../queue/read_plans.ts";
import {
  calledNumber,
  type CallingCompany,
  enqueueCalls,
  insertCallingCompany,
} from "../setup/calling_company.ts";
import { insertSender, insertTemplate } from "../setup/fixtures.ts";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { claim, enqueue, insertSendingCompany, type SendingCompany } from "../setup/queue.ts";

const HISTORY = 20_000;
const LARGE = ["notifications", "calls", "campaigns"];
const LIMIT = 50;
const MAX_ROWS = 6 * LIMIT;

/** Finished campaigns of one call each, which nobody answered but one. */
async function fillCalls(sql: postgres.ISql, { id, key, sender, agent }: CallingCompany): Promise<void> {
  await sql`
    insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, agent_id,
      total, pending, sent, delivered, completed_at)
    select ${id}, gen_random_uuid(), ${key.id}, 'voice', 'Old', 'utility', ${sender.id}, ${agent.id}, 1, 0, 1, 1, now()
    from generate_series(1, ${HISTORY})`;
  await sql`
    insert into outbound.notifications (company_id, id, campaign_id, sender_id, voice, priority, number, message, status,
      run_at, expires_at, attempt, fence, claimed_at, provider_message_id, sent_at, delivered_at)
    select g.company_id, gen_random_uuid(), g.id, g.sender_id, true, 0,
      '346' || row_number() over (), '{}', 'delivered', now(), now() + interval '1 day', 1, 1, now(), g.id::text, now(),
      now()
    from outbound.campaigns as g where g.company_id = ${id} and g.name = 'Old'`;
  await sql`
    insert into outbound.calls (company_id, notification_id, outcome, started_at, ended_at)
    select company_id, id, case when number = '34610000' then 'answered' else 'busy' end, now(), now()
    from outbound.notifications where company_id = ${id} and status = 'delivered'`;
}

type Read = (one: postgres.Sql) => Promise<unknown>;

function readsOfCalls({ id: companyId }: CallingCompany, campaignId: string): Record<string, Read> {
  const page = { companyId, limit: LIMIT };
  const after = "80000000-0000-4000-8000-000000000000";
  return {
    calls: (one) => readCallPage(one, page),
    "calls, later": (one) => readCallPage(one, { ...page, after }),
    "calls by a rare outcome": (one) => readCallPage(one, { ...page, outcome: "answered" }),
    "ongoing calls": (one) => readCallPage(one, { ...page, ongoing: true }),
    "calls to a number": (one) => readCallPage(one, { ...page, number: calledNumber(0) }),
    "calls of a campaign": (one) => readCallPage(one, { ...page, campaignId }),
    call: (one) => readCall(one, { companyId, callId: after }),
    agents: (one) => readAgentPage(one, page),
    "campaigns of calls": (one) => readCampaigns(one, page),
    "open campaigns": (one) => readCampaigns(one, { ...page, isOpen: true }),
    "overview of calls": (one) => readOverview(one, companyId),
  };
}

function readsOfMessages(
  { id: companyId, sender }: SendingCompany,
  { campaignId, ids }: { campaignId: string; ids: string[] },
): Record<string, Read> {
  const page = { companyId, limit: LIMIT };
  const recipients = { ...page, campaignId };
  return {
    campaign: (one) => readCampaignDetails(one, recipients),
    recipients: (one) => readRecipientPage(one, recipients),
    "recipients, later": (one) => readRecipientPage(one, { ...recipients, after: ids[1000]! }),
    "recipient by number": (one) => readRecipientPage(one, { ...recipients, number: "59171000200" }),
    senders: (one) => readSenderPage(one, page),
    sender: (one) => readSender(one, { companyId, senderId: sender.id }),
    templates: (one) => readTemplatePage(one, page),
    overview: (one) => readOverview(one, companyId),
  };
}

Deno.test("no list of a company reads its history", () =>
  withPostgresDatabase(async ({ sql, url }) => {
    const calling = await insertCallingCompany(sql, { concurrency: 10 });
    const sending = await insertSendingCompany(sql);
    for (let index = 0; index < 5; index++) {
      await insertTemplate(sql, await insertSender(sql, sending.id));
    }
    // Without the foreign keys' checks of every row.
    await sql.begin(async (one) => {
      await one`set local session_replication_role = replica`;
      await fillCalls(one, calling);
    });
    const queued = await enqueue(sql, sending, { count: 5000 });
    const { campaignId } = await enqueueCalls(sql, calling, { count: 20 });
    await claim(sql, { limit: 1000 });
    await sql`analyze`;

    const reads = { ...readsOfCalls(calling, campaignId), ...readsOfMessages(sending, queued) };
    const faults: Record<string, string[]> = {};
    for (const [name, read] of Object.entries(reads)) {
      const plans = await plansOf(url, async (one) => void await read(one));
      assert.ok(plans.length > 0, name);
      faults[name] = faultsOf(plans, MAX_ROWS, LARGE);
    }

    assert.deepEqual(faults, Object.fromEntries(Object.keys(reads).map((name) => [name, []])));
  }));

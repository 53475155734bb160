import assert from "node:assert/strict";
import type postgres from "postgres";
import { readAgentPage } from "../../supabase/functions/_shared/db/calls/agents.ts";
import { readCall, readCallPage } from "../../supabase/functions/_shared/db/calls/call_list.ts";
import {
  readCampaignDetails,
  readCampaigns,
} from "../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import { readCompanyChanges } from "../../supabase/functions/_shared/db/access/company_changes.ts";
import {
  readInbox,
  readInboxContacts,
  searchMessages,
} from "../../supabase/functions/_shared/db/contacts/inbox.ts";
import { readOverview } from "../../supabase/functions/_shared/db/access/overview.ts";
import {
  readRecipient,
  readRecipientPage,
} from "../../supabase/functions/_shared/db/campaigns/recipients.ts";
import { readSender, readSenderPage } from "../../supabase/functions/_shared/db/queue/senders.ts";
import { readTemplatePage } from "../../supabase/functions/_shared/db/templates/templates.ts";
import { readEventPage } from "../../supabase/functions/_shared/db/webhooks/webhook_events.ts";
import { readUpload, readUploads } from "../../supabase/functions/_shared/db/campaigns/uploads.ts";
import { faultsOf, plansOf, rowsReadOf } from "../queue/plans/read_plans.ts";
import {
  calledNumber,
  type CallingCompany,
  enqueueCalls,
  insertCallingCompany,
} from "../setup/fixtures/calling_company.ts";
import { insertSender, insertTemplate } from "../setup/fixtures/fixtures.ts";
import { withMeasuredDatabase } from "../setup/database/postgres_database.ts";
import { claim, enqueue, insertSendingCompany, type SendingCompany } from "../setup/fixtures/queue.ts";

const HISTORY = 20_000;
/** A transaction before all of a new server's. */
const LONG_AGO = -1_000_000;
const LARGE = [
  ...["notification_facts", "queue", "calls", "campaigns"],
  ...["contact_threads", "contact_messages", "campaign_uploads"],
];
const LIMIT = 50;
const MAX_ROWS = 6 * LIMIT;

/** Finished campaigns of one call each, of which one was taken. */
async function fillCalls(sql: postgres.ISql, { id, key, sender, agent }: CallingCompany): Promise<void> {
  await sql`
    insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, agent_id,
      total, pending, sent, delivered, completed_at, changed_xid)
    select ${id}, gen_random_uuid(), ${key.id}, 'voice', 'Old', 'utility', ${sender.id}, ${agent.id}, 1, 0, 1, 1, now(),
      ${LONG_AGO}
    from generate_series(1, ${HISTORY})`;
  await sql`
    insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, voice, number, message, status,
      attempt, fence, claimed_at, platform_message_id, sent_at, delivered_at)
    select g.company_id, gen_random_uuid(), g.id, g.sender_id, true,
      '346' || row_number() over (), '{}', 'delivered', 1, 1, now(), g.id::text, now(),
      now()
    from outbound.campaigns as g where g.company_id = ${id} and g.name = 'Old'`;
  await sql`
    insert into outbound.calls (company_id, notification_id, outcome, started_at, ended_at, changed_xid)
    select company_id, id, case when number = '34610000' then 'answered' else 'busy' end, now(), now(), ${LONG_AGO}
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
    campaigns: (one) => readCampaigns(one, page),
    "campaigns of calls": (one) => readCampaigns(one, { ...page, channel: "voice" }),
    "campaigns of chats": (one) => readCampaigns(one, { ...page, channel: "whatsapp" }),
    "campaigns of calls that are over": (one) =>
      readCampaigns(one, { ...page, channel: "voice", isOpen: false }),
    "campaigns of a time": (one) =>
      readCampaigns(one, { ...page, from: "2020-01-01T00:00:00Z", to: "2030-01-01T00:00:00Z" }),
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
    recipients: (one) => readRecipientPage(one, { ...recipients, withNames: true }),
    recipient: (one) => readRecipient(one, { ...recipients, notificationId: ids[0]!, withNames: true }),
    "recipients, later": (one) => readRecipientPage(one, { ...recipients, after: ids[1000]! }),
    "recipients that failed": (one) => readRecipientPage(one, { ...recipients, status: "failed" }),
    "recipient by number": (one) => readRecipientPage(one, { ...recipients, number: "59171000200" }),
    senders: (one) => readSenderPage(one, page),
    sender: (one) => readSender(one, { companyId, senderId: sender.id }),
    templates: (one) => readTemplatePage(one, page),
    overview: (one) => readOverview(one, companyId),
  };
}

/** Threads, messages, conversations and uploads of a year ago, and a few of a moment ago. */
async function fillPeople(sql: postgres.ISql, { id, sender }: SendingCompany): Promise<void> {
  await sql`
    insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at,
      changed_xid)
    select ${id}, gen_random_uuid(), ${sender.id}, 'in', '346' || n, 'text', 'Hello', 'received', at, ${LONG_AGO}
    from generate_series(1, ${HISTORY}) as n cross join lateral (select now() - make_interval(hours => n) as at) as t`;
  await sql`
    insert into outbound.contact_threads (company_id, sender_id, address, last_message_id, last_message_at,
      last_direction, last_inbound_at, changed_xid)
    select m.company_id, m.sender_id, m.number, m.id, m.at, 'in', m.at, ${LONG_AGO} from outbound.contact_messages as m
    where m.company_id = ${id}`;
  await sql`update outbound.contact_threads set labels = '{order}' where address in ('3467', '34677')`;
  await sql`update outbound.contact_messages set text = 'A refund, please' where number in ('3467', '34677')`;
  await sql`
    insert into outbound.campaign_uploads (company_id, id, created_by, plan, created_at, changed_xid)
    select ${id}, gen_random_uuid(), 'cli', '{}', at, ${LONG_AGO}
    from generate_series(1, ${HISTORY}) as n cross join lateral (select now() - make_interval(hours => n) as at) as t`;
}

function readsOfPeople({ id: companyId }: SendingCompany): Record<string, Read> {
  const page = { companyId, limit: LIMIT };
  const after = "80000000-0000-4000-8000-000000000000";
  const since = async (one: postgres.Sql) => {
    const [row] = await one<{ xid: string }[]>`select pg_snapshot_xmin(pg_current_snapshot())::text as xid`;
    return BigInt(row!.xid) - 3n;
  };
  return {
    inbox: (one) => readInbox(one, page),
    "inbox, unanswered": (one) => readInbox(one, { ...page, state: "unanswered" }),
    "inbox, of a label": (one) => readInbox(one, { ...page, label: "order" }),
    "inbox, of a contact": (one) => readInbox(one, { ...page, contactId: after }),
    "contacts of the inbox": async (one) =>
      void await readInboxContacts(one, companyId, [{
        ...{ conversation_id: after, contact_id: null, number: "3467", user_id: "ES.1" },
      }]),
    "messages that contain a text": (one) => searchMessages(one, { companyId, text: "refund", limit: LIMIT }),
    uploads: (one) => readUploads(one, page),
    "uploads, later": (one) => readUploads(one, { ...page, after }),
    upload: (one) => readUpload(one, { companyId, uploadId: after }),
    changes: async (one) => await readCompanyChanges(one, [{ companyId, since: await since(one) }]),
  };
}

for (const analyzed of [true, false]) {
  Deno.test(`no list and no stream of a company reads its history, ${analyzed ? "with" : "without"} statistics`, () =>
    withMeasuredDatabase(async ({ sql, url }) => {
      const calling = await insertCallingCompany(sql, { concurrency: 10 });
      const sending = await insertSendingCompany(sql);
      for (let index = 0; index < 5; index++) {
        await insertTemplate(sql, await insertSender(sql, sending.id));
      }
      // Without the foreign keys' checks of every row.
      await sql.begin(async (one) => {
        await one`set local session_replication_role = replica`;
        await fillCalls(one, calling);
        await fillPeople(one, sending);
      });
      const queued = await enqueue(sql, sending, { count: 5000 });
      const { campaignId } = await enqueueCalls(sql, calling, { count: 20 });
      await claim(sql, { limit: 1000 });
      if (analyzed) await sql`analyze`;

      const reads = {
        ...readsOfCalls(calling, campaignId),
        ...readsOfMessages(sending, queued),
        ...readsOfPeople(sending),
      };
      const faults: Record<string, string[]> = {};
      for (const [name, read] of Object.entries(reads)) {
        const plans = await plansOf(url, async (one) => void await read(one));
        assert.ok(plans.length > 0, name);
        faults[name] = faultsOf(plans, MAX_ROWS, LARGE);
      }

      assert.deepEqual(faults, Object.fromEntries(Object.keys(reads).map((name) => [name, []])));
    }));
}

Deno.test("a page of events by type reads the attempts of its own events alone", () =>
  withMeasuredDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertSendingCompany(sql);
    await sql`
      insert into outbound.outgoing_events (company_id, id, type, payload, created_at)
      select ${companyId}, gen_random_uuid(), case when n % 2 = 0 then 'notification.sent' else 'notification.read' end,
        '{}', now() - make_interval(secs => n)
      from generate_series(1, 5000) as n`;
    await sql`
      insert into outbound.webhook_deliveries (company_id, event_id, status, finished_at)
      select e.company_id, e.id, 'succeeded', now() from outbound.outgoing_events as e`;
    await sql`analyze`;

    const plans = await plansOf(url, async (one) => {
      const { events } = await readEventPage(one, { companyId, type: "notification.sent", limit: LIMIT });
      assert.equal(events.length, LIMIT);
    });

    assert.ok(rowsReadOf(plans).webhook_deliveries! <= 2 * LIMIT, JSON.stringify(rowsReadOf(plans)));
  }));

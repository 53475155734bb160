/**
 * A version of the service as its database sees it: the calls of its API, dispatchers and webhooks, each by its own
 * code. `record_release.ts` bundles this module, so that a later upgrade runs beside calls as they were.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import {
  readCampaignDetails,
  readCampaigns,
} from "../../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import { readInbox } from "../../../supabase/functions/_shared/db/contacts/inbox.ts";
import { lookAhead, tick } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { readSenderPage } from "../../../supabase/functions/_shared/db/queue/senders.ts";
import { readEventPage } from "../../../supabase/functions/_shared/db/webhooks/webhook_events.ts";
import { readWebhook } from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { postMessage } from "../../../supabase/functions/_shared/db/widgets/conversations.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  messageId,
  report,
} from "../../setup/fixtures/queue.ts";
import { deliverAllEvents, deliverEvents, fillCompany, type FilledCompany, reply } from "./fill.ts";

export { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
export { fillCompany };

/** The work of a version, as the world outside saw it. */
export interface Ledger {
  /** Ids of messages whose acceptance was confirmed. */
  accepted: string[];
  /** Messages that the platform took, each time. */
  taken: string[];
  /** Events that the company's endpoint took, each time. */
  events: string[];
  /** Messages of a visitor that were stored. */
  chat: number;
}

export function emptyLedger(): Ledger {
  return { accepted: [], taken: [], events: [], chat: 0 };
}

type Call = (sql: Sql, filled: FilledCompany, ledger: Ledger) => Promise<void>;

/** The calls, each of which can be repeated for as long as the version runs. */
export const CALLS: Readonly<Record<string, Call>> = {
  "accept messages": async (sql, { company }, ledger) => {
    ledger.accepted.push(...(await enqueue(sql, company, { count: 5 })).ids);
  },
  "claim and finish messages": async (sql, _, ledger) => {
    const claimed = await claim(sql, { limit: 20 });
    ledger.taken.push(...claimed.map(({ id }) => id));
    // A receipt may settle a message before its result is recorded.
    await finish(sql, claimed, { outcome: "sent" });
  },
  "take receipts": async (sql, { company }, { taken }) => {
    const ids = taken.slice(-20);
    await report(sql, ids.map((id) => eventOf(company.id, id, "delivered")));
    await report(
      sql,
      ids.slice(0, 10).map((id) => eventOf(company.id, id, "read", { platform_message_id: messageId(id) })),
    );
  },
  "deliver events": async (sql, _, { events }) => {
    events.push(...await deliverEvents(sql));
  },
  "steer a campaign": async (sql, { company }) => {
    const { campaignId } = await enqueue(sql, company, { count: 2, dueInS: 3600 });
    const ids = { companyId: company.id, campaignId };
    for (const steer of [pauseCampaign, resumeCampaign, cancelCampaign]) await steer(sql, ids, CLI);
  },
  "take a visitor's message": async (sql, { company, conversationId }, ledger) => {
    const message = { text: "Are you there?", clientMessageId: crypto.randomUUID() };
    const posted = await postMessage(sql, { companyId: company.id, conversationId, ...message });
    assert.equal(posted?.outcome, "posted");
    ledger.chat++;
  },
  "reply to a person": async (sql, { company, writer }) => {
    await reply(sql, company, writer);
  },
  "do what time brings about": async (sql) => {
    await tick(sql, { windowS: 120 });
    await lookAhead(sql, { withChores: true });
  },
  "show lists": async (sql, { company }) => {
    const page = { companyId: company.id, limit: 20 };
    const [campaign] = await readCampaigns(sql, page);
    await readCampaignDetails(sql, { companyId: company.id, campaignId: campaign!.campaign_id });
    await readInbox(sql, page);
    await readEventPage(sql, page);
    await readSenderPage(sql, page);
    assert.notEqual(await readWebhook(sql, company.id), undefined);
  },
};

/**
 * Sends what waits and delivers what is reported, and fails unless every message that was accepted was sent, every message
 * and event once, and every counter is right.
 */
export async function settle(sql: Sql, filled: FilledCompany, ledger: Ledger): Promise<void> {
  let taken: number;
  do {
    taken = ledger.taken.length;
    await CALLS["claim and finish messages"]!(sql, filled, ledger);
  } while (ledger.taken.length > taken);
  ledger.events.push(...await deliverAllEvents(sql));
  const companyId = filled.company.id;
  const [left] = await sql<{ unsent: number; events: number; chat: number }[]>`
    select
      (select count(*)::int from unnest(${ledger.accepted}::uuid[]) as given(id) where not exists (
        select from outbound.notifications as n where n.company_id = ${companyId} and n.id = given.id
          and n.status in ('sent', 'delivered', 'read'))) as unsent,
      (select count(*)::int from outbound.outgoing_events where company_id = ${companyId}) as events,
      (select count(*)::int from outbound.conversation_messages
        where company_id = ${companyId} and conversation_id = ${filled.conversationId}) as chat`;
  assert.equal(left!.unsent, 0, "messages were accepted, and not sent");
  assert.deepEqual(repeated(ledger.taken), [], "messages were sent twice");
  assert.deepEqual(repeated(ledger.events), [], "events were delivered twice");
  assert.equal(ledger.events.length + filled.events.length, left!.events, "events were not delivered");
  assert.equal(left!.chat, ledger.chat + 1, "messages of the visitor are missing");
  await assertConserved(sql);
}

function repeated(ids: string[]): string[] {
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

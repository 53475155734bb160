import assert from "node:assert/strict";
import { hashAccessKey } from "../../../supabase/functions/_shared/access/new_keys.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { createSealer, webhookSecretOf } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import {
  cancelCampaign,
  pauseCampaign,
} from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { insertUpload } from "../../../supabase/functions/_shared/db/campaigns/uploads.ts";
import {
  type InboundMessageRow,
  storeInboundMessages,
} from "../../../supabase/functions/_shared/db/contacts/inbound.ts";
import {
  claimReplies,
  finishReplies,
  queueReply,
} from "../../../supabase/functions/_shared/db/contacts/replies.ts";
import {
  claimDeliveries,
  finishDeliveries,
  saveWebhook,
} from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import {
  openConversation,
  postMessage,
} from "../../../supabase/functions/_shared/db/widgets/conversations.ts";
import { insertDocument } from "../../../supabase/functions/_shared/db/widgets/knowledge.ts";
import { callEventOf, enqueueCalls } from "../../setup/fixtures/calling_company.ts";
import { consent, setConsentPolicy, suppress } from "../../setup/fixtures/contacts.ts";
import {
  insertAgent,
  insertMember,
  insertVoiceSender,
  TEST_SECRETS_KEY,
} from "../../setup/fixtures/fixtures.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  report,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";
import { insertPublishableKey, insertWidget } from "../../setup/fixtures/widgets.ts";

/** A company with rows in every table that a user relies on. */
export interface FilledCompany {
  company: SendingCompany;
  conversationId: string;
  /** The number of a person who wrote to its sender. */
  writer: string;
  /** Its events so far, all of them delivered. */
  events: string[];
}

const WRITER = "59171000999";

/** Makes such a company. Nothing of it is due when this returns. */
export async function fillCompany(sql: Sql): Promise<FilledCompany> {
  const company = await insertSendingCompany(sql, { key: { rate_limit: 1_000_000, daily_quota: 1_000_000 } });
  await insertMember(sql, company.id);
  await setWebhook(sql, company);
  await sendMessages(sql, company);
  await makeCalls(sql, company);
  await suppress(sql, company.id, { number: "59171000998" });
  await consent(sql, company.id, { number: "59171000997" });
  await setConsentPolicy(sql, company.id, "warn");
  const uploadId = crypto.randomUUID();
  await insertUpload(sql, { companyId: company.id, uploadId, plan: { name: "Autumn" } }, CLI);
  const conversationId = await converse(sql, company);
  await reply(sql, company, WRITER);
  return { company, conversationId, writer: WRITER, events: await deliverAllEvents(sql) };
}

async function setWebhook(sql: Sql, { id: companyId }: SendingCompany): Promise<void> {
  const secretSealed = await createSealer(TEST_SECRETS_KEY).seal("whsec_secret", webhookSecretOf(companyId));
  const filters = { event_types: null, channels: null, sender_ids: null };
  await saveWebhook(sql, { companyId, url: "http://127.0.0.1:9/", filters, secretSealed }, CLI);
}

/** Messages in every state: sent, delivered, read, failed, scheduled, paused, cancelled. */
async function sendMessages(sql: Sql, company: SendingCompany): Promise<void> {
  const idempotency = { endpoint: "notify", key: crypto.randomUUID(), request_hash: "", answer: {} };
  const { ids } = await enqueue(sql, company, { count: 6, idempotency });
  await enqueue(sql, company, { count: 2, type: "marketing" });
  await finish(sql, await claim(sql), { outcome: "sent" });
  const statuses = ["delivered", "delivered", "read", "failed"] as const;
  await report(sql, statuses.map((status, index) => eventOf(company.id, ids[index]!, status)));
  await enqueue(sql, company, { count: 3, dueInS: 3600 });
  const paused = await enqueue(sql, company, { count: 2 });
  await pauseCampaign(sql, { companyId: company.id, campaignId: paused.campaignId }, CLI);
  const cancelled = await enqueue(sql, company, { count: 2 });
  await cancelCampaign(sql, { companyId: company.id, campaignId: cancelled.campaignId }, CLI);
}

/** A message that the platform refused, a call that a person took, and calls for later. */
async function makeCalls(sql: Sql, company: SendingCompany): Promise<void> {
  await enqueue(sql, company);
  await finish(sql, await claim(sql), { outcome: "failed" });
  const { id, key } = company;
  const caller = { id, key, sender: await insertVoiceSender(sql, id), agent: await insertAgent(sql, id) };
  const { ids } = await enqueueCalls(sql, caller);
  await finish(sql, await claim(sql), { outcome: "sent" });
  await report(sql, [callEventOf(id, ids[0]!, "answered")]);
  await enqueueCalls(sql, caller, { count: 2, dueInS: 3600 });
}

async function converse(sql: Sql, { id: companyId }: SendingCompany): Promise<string> {
  await insertPublishableKey(sql, companyId);
  const { id: widgetId } = await insertWidget(sql, companyId);
  const document = { title: "Hours", content: "We open at nine.", url: null, language: "english" };
  await insertDocument(sql, { companyId, ...document }, CLI);
  const opened = await openConversation(sql, {
    ...{ companyId, widgetId, userId: crypto.randomUUID(), tokenHash: hashAccessKey(crypto.randomUUID()) },
    ...{ language: "en", pageUrl: null, pageTitle: null },
  });
  const conversationId = opened.id!;
  await postMessage(sql, { companyId, conversationId, text: "Hello", clientMessageId: null });
  return conversationId;
}

/** A person writes, and the company replies. Returns how many replies were sent. */
export async function reply(sql: Sql, company: SendingCompany, number: string): Promise<number> {
  await storeInboundMessages(sql, [messageOf(company, number)]);
  const person = { number, user_id: null, recipient_id: null, content: null, reply_to: null };
  await queueReply(
    sql,
    company.id,
    { id: crypto.randomUUID(), kind: "text", text: "Hi", ...person },
    null,
    CLI,
  );
  const claimed = await claimReplies(sql, { worker: "replies", limit: 20, leaseS: 60 });
  const results = claimed.map(({ company_id, id, fence }) => ({
    ...{ company_id, id, fence, outcome: "sent" as const, platform_message_id: `wamid.${id}` },
    ...{ error_code: null, reason: null, retry_in_s: null },
  }));
  return await finishReplies(sql, results, { windowS: 120 });
}

function messageOf({ sender }: SendingCompany, number: string): InboundMessageRow {
  return {
    ...{ id: crypto.randomUUID(), waba_id: sender.waba_id!, phone_number_id: sender.platform_id, number },
    ...{ user_id: null, profile_name: null, username: null, platform_message_id: crypto.randomUUID() },
    ...{ context_message_id: null, at: new Date().toISOString(), kind: "text", text: "Hi", content: null },
    ...{ holds_file: false, folded: null, word_says: null, button_says: null, confirmations: [] },
  };
}

/** Delivers events that are due, and returns their ids; fails unless each result was recorded. */
export async function deliverEvents(sql: Sql): Promise<string[]> {
  const claim = { worker: "deliveries", limit: 100, maxFailing: 100, leaseS: 60 };
  const claimed = await claimDeliveries(sql, claim);
  const results = claimed.map(({ company_id, event_id, attempt }) => ({
    ...{ company_id, event_id, attempt, outcome: "succeeded" as const, response_status: 200 },
    ...{
      request_headers: null,
      response_body: "",
      error: null,
      duration_ms: 1,
      retry_in_s: null,
      gone: false,
    },
  }));
  const recorded = await finishDeliveries(sql, { worker: claim.worker, results });
  assert.equal(recorded, claimed.length, "results of events were not recorded");
  return claimed.map(({ event_id }) => event_id);
}

/** Delivers every event that is due, and returns their ids. */
export async function deliverAllEvents(sql: Sql): Promise<string[]> {
  const events: string[] = [];
  for (let some = await deliverEvents(sql); some.length > 0; some = await deliverEvents(sql)) {
    events.push(...some);
  }
  return events;
}

import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashAccessKey } from "../../../supabase/functions/_shared/access/new_keys.ts";
import { readFirstResponse } from "../../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import { readCampaignAccess } from "../../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { readCampaign } from "../../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import {
  markRead,
  markReadByMember,
  rateConversation,
  readHistory,
  setVisitorEmail,
  showsNames,
} from "../../../supabase/functions/_shared/db/widgets/chat_people.ts";
import {
  findOpenConversation,
  findVisitorsConversation,
  openConversation,
  postMessage,
  postReply,
  readChatSettings,
  readConversationUpdates,
  readMessages,
  requestPerson,
  setTyping,
} from "../../../supabase/functions/_shared/db/widgets/conversations.ts";
import {
  countLoginAttempt,
  refundLoginAttempt,
} from "../../../supabase/functions/_shared/db/access/login_attempts.ts";
import { readRecipients } from "../../../supabase/functions/_shared/db/campaigns/recipients.ts";
import { readKeyState, readSendContext } from "../../../supabase/functions/_shared/db/queue/send_context.ts";
import {
  readTemplatesNamed,
  readTemplatesOfNumber,
} from "../../../supabase/functions/_shared/db/templates/templates.ts";
import { countVisitorRequest } from "../../../supabase/functions/_shared/db/widgets/visitor_limits.ts";
import {
  claimDeliveries,
  finishDeliveries,
} from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { findWidget } from "../../../supabase/functions/_shared/db/widgets/widgets.ts";
import { acceptAll, additionTo, requestOf, type SendingCompany } from "../../setup/fixtures/queue.ts";

type Call = (one: postgres.Sql) => Promise<unknown>;

/** Returns the queries of requests and of event deliveries, by name, on the rows of `fillRequests`. */
export function requestCalls(
  company: SendingCompany,
  { campaignId, widgetId }: { campaignId: string; widgetId: string },
): Record<string, Call> {
  return {
    ...notifyCalls(company, campaignId),
    ...chatCalls(company, widgetId),
    deliveries: async (one) => {
      const claimed = await claimDeliveries(one, {
        worker: "worker",
        limit: 100,
        maxFailing: 10,
        leaseS: 60,
      });
      assert.ok(claimed.length > 0);
      const results = claimed.map(({ company_id, event_id, attempt }) => ({
        ...{ company_id, event_id, attempt, outcome: "succeeded" as const, response_status: 200 },
        ...{
          request_headers: null,
          response_body: null,
          error: null,
          duration_ms: 1,
          retry_in_s: null,
          gone: false,
        },
      }));
      await finishDeliveries(one, { worker: "worker", results });
    },
    login: async (one) => {
      const subjects = { address: "subject-7", account: "subject-8", pair: "new" };
      await countLoginAttempt(one, subjects);
      await refundLoginAttempt(one, subjects, { succeeded: true });
    },
  };
}

function notifyCalls(company: SendingCompany, campaignId: string): Record<string, Call> {
  const keyHash = hashAccessKey(company.key.key);
  const { sender, template } = company;
  return {
    key: (one) => readKeyState(one, keyHash, 1),
    send_context: (one) =>
      readSendContext(one, {
        ...{ keyHash, channel: "whatsapp", recipientId: sender.number, agentId: null, bulk: false },
        templateName: template.name,
      }),
    accept: (one) => {
      const idempotent = (key: string) => ({ endpoint: "notify", key, request_hash: "hash", answer: {} });
      return acceptAll(one, [
        ...Array.from({ length: 20 }, () => requestOf(company)),
        requestOf(company, { idempotency: idempotent("new") }),
        requestOf(company, { idempotency: idempotent("key-7") }),
      ]);
    },
    add: async (one) => {
      const first = requestOf(company);
      await acceptAll(one, [first, ...Array.from({ length: 20 }, () => requestOf(company))]);
      await acceptAll(
        one,
        Array.from({ length: 20 }, () => additionTo(first, company, { count: 5, more: true })),
      );
    },
    read_idempotent_response: (one) => readFirstResponse(one, { keyHash, endpoint: "notify", key: "key-7" }),
    status: (one) => readCampaign(one, { keyHash, campaignId }),
    campaign: (one) => readCampaignAccess(one, { companyId: company.id, campaignId }),
    pause: (one) => one`select outbound.pause_campaign(${company.id}, ${campaignId})`,
    resume: (one) => one`select outbound.resume_campaign(${company.id}, ${campaignId})`,
    templates: (one) => readTemplatesOfNumber(one, { keyHash, phoneNumber: sender.number }),
    template: (one) => readTemplatesNamed(one, { keyHash, template: template.name }),
  };
}

/** Returns the queries of campaigns' recipients, by name: two pages of all, and one of those in a state. */
export function recipientCalls(
  { id: companyId }: SendingCompany,
  campaignIds: Record<string, string>,
): Record<string, Call> {
  return Object.fromEntries(
    Object.entries(campaignIds).flatMap(([position, campaignId]): [string, Call][] => [
      [`recipients, ${position} campaign`, async (one) => {
        const pages = readRecipients(one, { companyId, campaignId });
        await pages.next();
        await pages.next();
      }],
      [
        `recipients in a state, ${position} campaign`,
        (one) => readRecipients(one, { companyId, campaignId, status: "scheduled" }).next(),
      ],
    ]),
  );
}

function chatCalls({ id: companyId, key }: SendingCompany, widgetId: string): Record<string, Call> {
  const [tokenHash, userId] = ["f".repeat(64), crypto.randomUUID()];
  const open: Call = (one) =>
    openConversation(one, {
      companyId,
      widgetId,
      userId,
      tokenHash,
      language: null,
      pageUrl: null,
      pageTitle: null,
    });
  const known = async (one: postgres.Sql) => {
    const found = await findOpenConversation(one, { companyId, widgetId, userId, tokenHash });
    return { companyId, conversationId: found!.id };
  };
  return {
    widget: (one) => findWidget(one, { key: key.key, keyHash: hashAccessKey(key.key), widgetId }),
    visitor: (one) =>
      countVisitorRequest(one, { subjects: [{ subject: "subject-7", limit: 10 }], windowS: 60 }),
    begin_conversation: open,
    conversation: async (one) =>
      findVisitorsConversation(one, {
        conversationId: (await known(one)).conversationId,
        tokenHash,
        withAssistant: true,
      }),
    post_message: async (one) =>
      postMessage(one, {
        ...{ ...await known(one), author: "visitor", text: "Hello", clientMessageId: crypto.randomUUID() },
      }),
    post_message_with_reply: async (one) =>
      postMessage(one, {
        ...{ ...await known(one), text: "Hello", clientMessageId: crypto.randomUUID() },
      }, { text: "Hi", content: { sender: { name: "Assistant", is_machine: true } }, fits: true }),
    chat_settings: async (one) => readChatSettings(one, await known(one)),
    request_person: async (one) => requestPerson(one, { ...await known(one), text: "A person, please" }),
    messages: async (one) => readMessages(one, await known(one), { after: 0, limit: 100, last: true }),
    news: async (one) => readConversationUpdates(one, [{ ...await known(one), after: 0 }]),
    typing: async (one) => setTyping(one, await known(one), { author: "visitor", isTyping: true }),
    "names of members": async (one) => showsNames(one, await known(one)),
    "reply in a chat": async (one) => {
      await postReply(one, { ...await known(one), text: "Hello", clientMessageId: null }, { actor: "cli" });
    },
    read: async (one) => markRead(one, await known(one), { reader: "visitor", sequence: 1 }),
    "read by a member": async (one) => markReadByMember(one, await known(one), null),
    "email of a visitor": async (one) => setVisitorEmail(one, await known(one), "ana@example.com"),
    rating: async (one) => rateConversation(one, await known(one), { rating: 5, comment: null }),
    "state of a chat": async (one) =>
      readHistory(one, await known(one), { after: 0, limit: 100, last: true }),
    "follow-ups": async (one) => {
      await one`update outbound.conversations set follow_up_at = now() where id = ${
        (await known(one)).conversationId
      }`;
      await one`select outbound.follow_up_conversations(100)`;
    },
  };
}

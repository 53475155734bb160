import type { SpanContext } from "@opentelemetry/api";
import { openToken } from "../crypto/sender_token.ts";
import { type ClaimedReply, claimReplies, finishReplies, releaseReplies } from "../db/contacts/replies.ts";
import {
  type FreeMessage,
  MEDIA_KINDS,
  type MediaKind,
  sendMessage,
} from "../gateways/whatsapp/send_message.ts";
import { oncePer } from "../log.ts";
import type { PlatformMedia } from "../media/platform_media.ts";
import type { Queue } from "../sending/queue.ts";
import { createSender, type Sender } from "../sending/sender.ts";
import type { Services } from "../services.ts";
import { judgeReply, releasedReply, type ReplyJudgement } from "./judge_reply.ts";
import { NO_ACCESS_TOKEN, NOT_SENDABLE } from "./own_refusals.ts";
import { createSenderUpdates } from "./record_results.ts";
import { writeReplyReference } from "./reference.ts";
import { outcomeOfMedia, type SendServices } from "./send.ts";

const MAX_IN_FLIGHT = 256;
/** While so many of one sender wait for the platform, no more of that sender are claimed. */
const MAX_IN_FLIGHT_PER_SENDER = 64;
const LOG_EVERY_MS = 60_000;

/**
 * Makes the sender of replies, with an identity of its own: leases are in its name. A reply whose outcome is unknown waits
 * for the platform's receipt and is never sent again.
 *
 * @param options `connections`: undefined where `fetch` must be used
 */
export function createReplySender(
  services: Services,
  { signal, connections }: { signal: AbortSignal; connections: SendServices["connections"] },
): Sender {
  const { env, metrics, sql } = services;
  const worker = crypto.randomUUID();
  const leaseS = env.OUTBOUND_DISPATCH_LEASE_S;
  const adjustSenders = createSenderUpdates(services);
  const queue: Queue<ClaimedReply, ReplyJudgement> = {
    name: "replies",
    span: "send reply",
    leaseS,
    claim: ({ limit, claimed }) => claimReplies(sql, { worker, limit, leaseS, except: busySenders(claimed) }),
    deliver: createDeliverReply(services, connections),
    released: releasedReply,
    async finish(judgements) {
      // Before the results, so that no dispatcher tries a stopped sender once more.
      await adjustSenders(judgements);
      const results = judgements.map(({ result }) => result);
      await finishReplies(sql, results, { windowS: env.OUTBOUND_UNCONFIRMED_WINDOW_S });
    },
    release: (known) => releaseReplies(sql, { worker, known }),
    recorded: (batch) => batch.forEach(({ judgement }) => metrics.replies.add([judgement.result.outcome])),
    facts: ({ company_id, attempt }) => ({ "outbound.company_id": company_id, "outbound.attempt": attempt }),
    describe: ({ result: { company_id, id, outcome, platform_message_id } }) => ({
      company_id,
      message_id: id,
      outcome,
      platform_message_id,
    }),
  };
  return createSender(services, queue, { signal, maxInFlight: MAX_IN_FLIGHT });
}

function busySenders(claimed: ReadonlySet<ClaimedReply>): string[] {
  const counts = new Map<string, number>();
  for (const { sender_id } of claimed) counts.set(sender_id, (counts.get(sender_id) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= MAX_IN_FLIGHT_PER_SENDER).map(([sender]) => sender);
}

function createDeliverReply(
  services: Services,
  connections: SendServices["connections"],
): Queue<ClaimedReply, ReplyJudgement>["deliver"] {
  const { env, log, platformMedia, random, tracing } = services;
  const logUnreadable = oncePer(LOG_EVERY_MS, log.error);

  return async function deliver(reply, isLate) {
    const { company_id, sender_id } = reply;
    const opened = await openToken(services.sealer, reply);
    if (opened.kind === "unreadable") {
      const reason = `The sender's token cannot be opened: ${opened.reason}`;
      logUnreadable("a sender's token cannot be read", { company_id, sender_id, reason });
      return judgeReply(reply, { kind: "not_sent", reason }, random());
    }
    if (opened.kind === "missing") return judgeReply(reply, NO_ACCESS_TOKEN, random());
    const { media_id: mediaId, ...rest } = reply.content ?? {};
    const media = typeof mediaId === "string"
      ? await platformMedia.get({ companyId: company_id, senderId: sender_id, mediaId }).catch(outcomeOfMedia)
      : undefined;
    if (media !== undefined && "kind" in media) return judgeReply(reply, media, random());
    const content = media === undefined ? reply.content : contentWith(reply, rest, media);
    const message = messageOf({ ...reply, content }, opened.token, tracing.current());
    if (message === null) return judgeReply(reply, NOT_SENDABLE, random());
    // The last moment to release it: the process may have been suspended since the claim.
    if (isLate()) return releasedReply(reply);
    const config = { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION, connections };
    const outcome = await sendMessage(config, message, {
      timeoutMs: env.OUTBOUND_SEND_TIMEOUT_S * 1000,
      isLate,
    });
    return judgeReply(reply, outcome, random());
  };
}

function messageOf(
  reply: ClaimedReply,
  token: string,
  span: SpanContext | undefined,
): FreeMessage | null {
  const content = contentOf(reply);
  return content && {
    phoneNumberId: reply.platform_id,
    token,
    to: { number: reply.number, user_id: reply.user_id },
    reference: writeReplyReference({
      companyId: reply.company_id,
      messageId: reply.id,
      fence: reply.fence,
      span,
    }),
    contextId: reply.context_message_id,
    content,
  };
}

function contentOf({ kind, text, content }: ClaimedReply): FreeMessage["content"] | null {
  if (kind === "text") return text === null ? null : { kind, text };
  if (content === null || !isMediaKind(kind)) return null;
  return { kind, media: { ...content, ...(text !== null && { caption: text }) } };
}

/** A document is shown with the name of its file, unless the reply names it otherwise. */
function contentWith(
  { kind }: ClaimedReply,
  content: Record<string, unknown>,
  { id, file_name }: PlatformMedia,
): Record<string, unknown> {
  return { ...(kind === "document" && file_name && { filename: file_name }), ...content, id };
}

function isMediaKind(kind: string): kind is MediaKind {
  return (MEDIA_KINDS as readonly string[]).includes(kind);
}

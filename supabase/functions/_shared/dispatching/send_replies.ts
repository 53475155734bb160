import type { SpanContext } from "@opentelemetry/api";
import { openToken } from "../crypto/sender_token.ts";
import { adjustSenders } from "../db/queue/dispatch_queue.ts";
import {
  type ClaimedReply,
  claimReplies,
  finishReplies,
  releaseReplies,
  settleReplies,
} from "../db/contacts/replies.ts";
import {
  type FreeMessage,
  MEDIA_KINDS,
  type MediaKind,
  sendMessage,
} from "../gateways/whatsapp/send_message.ts";
import { describeError, oncePer } from "../log.ts";
import type { Services } from "../services.ts";
import { judgeReply, releasedReply, type ReplyJudgement } from "./judge_reply.ts";
import { createLostClaims, startLease } from "./leases.ts";
import { NO_ACCESS_TOKEN, NOT_SENDABLE } from "./own_refusals.ts";
import { writeReplyReference } from "./reference.ts";
import { readTraceparent } from "../telemetry/trace_context.ts";
import { retryRecording } from "./retry_recording.ts";
import type { SendServices } from "./send.ts";

const REPLIES_PER_CLAIM = 64;
/** While so many wait for the platform, no more are claimed. */
const MAX_IN_FLIGHT = 256;
/** While so many of one sender wait for the platform, no more of that sender are claimed. */
const MAX_IN_FLIGHT_PER_SENDER = 64;
const LOG_EVERY_MS = 60_000;

/** Sends replies, with an identity of its own: leases are in its name. */
export interface ReplySender {
  /**
   * Settles the replies of dead dispatchers, then claims what is due and begins to send it. Does not wait for the platform,
   * so that a slow one delays no other sender's replies. Claims nothing once the signal aborts.
   */
  send(stopping: AbortSignal): Promise<void>;
  /** Resolves when everything that was claimed is recorded. */
  idle(): Promise<void>;
}

/**
 * Makes the sender of replies. A reply whose outcome is unknown waits for the platform's receipt and is never sent again.
 *
 * @param connections undefined where `fetch` must be used
 */
export function createReplySender(
  services: Services,
  connections: SendServices["connections"],
): ReplySender {
  const { env, log, metrics, random, sql, tracing } = services;
  const worker = crypto.randomUUID();
  const windowS = env.UNCONFIRMED_WINDOW_S;
  const inFlight = new Map<ClaimedReply, Promise<void>>();
  /** Claimed knowingly, and the result not recorded: possibly sent. */
  const known = new Set<ClaimedReply>();
  const logUnreadable = oncePer(LOG_EVERY_MS, log.error);
  const lostClaims = createLostClaims(
    services,
    (mayBeSent) => releaseReplies(sql, { worker, known: mayBeSent }),
  );

  async function deliver(reply: ClaimedReply, isLate: () => boolean): Promise<ReplyJudgement> {
    const { company_id, sender_id } = reply;
    const opened = await openToken(services.sealer, reply);
    if (opened.kind === "unreadable") {
      const reason = `The sender's token cannot be opened: ${opened.reason}`;
      logUnreadable("a sender's token cannot be read", { company_id, sender_id, reason });
      return judgeReply(reply, { kind: "not_sent", reason }, random());
    }
    if (opened.kind === "missing") return judgeReply(reply, NO_ACCESS_TOKEN, random());
    const message = messageOf(reply, opened.token, tracing.current());
    if (message === null) return judgeReply(reply, NOT_SENDABLE, random());
    // The last moment to release it: the process may have stood still since the claim.
    if (isLate()) return releasedReply(reply);
    const config = { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION, connections };
    const outcome = await sendMessage(config, message, { timeoutMs: env.SEND_TIMEOUT_S * 1000 });
    return judgeReply(reply, outcome, random());
  }

  /** Before the result, so that no dispatcher tries a stopped sender once more. Its failure keeps no result back. */
  async function adjustSender({ sender }: ReplyJudgement): Promise<void> {
    if (sender === null) return;
    const { company_id, sender_id, change, reason } = sender;
    await adjustSenders(sql, [sender]).then(() => {
      if (change === "stop") log.error("sender stopped", { company_id, sender_id, reason });
    }, (error) => log.warn("a sender could not be updated", describeError(error)));
  }

  async function record({ result }: ReplyJudgement): Promise<void> {
    await retryRecording(
      () => finishReplies(sql, [result], { windowS }),
      (error) => log.warn("the result of a reply waits for the database", describeError(error)),
    );
  }

  async function sendAndRecord(reply: ClaimedReply, isLate: () => boolean): Promise<void> {
    try {
      const facts = { "outbound.company_id": reply.company_id };
      const request = readTraceparent(reply.trace);
      const judgement = await tracing.span(
        "send reply",
        { kind: "client", facts, links: request ? [request] : [] },
        () => deliver(reply, isLate),
      );
      await adjustSender(judgement);
      await record(judgement);
      metrics.replies.add([judgement.result.outcome]);
      known.delete(reply);
    } catch (error) {
      const { company_id, id } = reply;
      log.error("the result of a reply was dropped", { company_id, message_id: id, ...describeError(error) });
    }
  }

  function busySenders(): string[] {
    const counts = new Map<string, number>();
    for (const { sender_id } of inFlight.keys()) counts.set(sender_id, (counts.get(sender_id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_IN_FLIGHT_PER_SENDER).map(([sender]) => sender);
  }

  async function claim(limit: number): Promise<number> {
    const isLate = startLease(services);
    const replies = await claimReplies(sql, {
      worker,
      limit,
      leaseS: env.DISPATCH_LEASE_S,
      except: busySenders(),
    }).catch(
      (error) => {
        lostClaims.claimFailed();
        throw error;
      },
    );
    for (const reply of replies) {
      known.add(reply);
      const sending = sendAndRecord(reply, isLate).finally(() => inFlight.delete(reply));
      inFlight.set(reply, sending);
    }
    return replies.length;
  }

  const releaseLostClaims = () => lostClaims.release(() => [...known]);

  async function sendDue(stopping: AbortSignal): Promise<void> {
    await settleReplies(sql, { windowS });
    for (let claimed = 1; claimed > 0 && !stopping.aborted;) {
      const limit = Math.min(REPLIES_PER_CLAIM, MAX_IN_FLIGHT - inFlight.size);
      if (limit === 0) return;
      await releaseLostClaims();
      claimed = await claim(limit);
    }
  }

  /** One at a time: what another claim has just leased would be taken for lost. */
  let last: Promise<unknown> = Promise.resolve();
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    send: (stopping) => inTurn(() => sendDue(stopping)),
    async idle() {
      await inTurn(releaseLostClaims).catch((error) =>
        log.warn("a lost claim of replies waits for its lease to run out", describeError(error))
      );
      while (inFlight.size > 0) await Promise.all(inFlight.values());
    },
  };
}

function messageOf(
  reply: ClaimedReply,
  token: string,
  span: SpanContext | undefined,
): FreeMessage | null {
  const content = contentOf(reply);
  return content && {
    phoneNumberId: reply.provider_id,
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

function isMediaKind(kind: string): kind is MediaKind {
  return (MEDIA_KINDS as readonly string[]).includes(kind);
}

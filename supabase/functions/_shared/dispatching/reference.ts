import type { SpanContext } from "@opentelemetry/api";
import type { ClaimedNotification } from "../db/queue/dispatch_queue.ts";
import { readTraceparent, writeTraceparent } from "../telemetry/trace_context.ts";
import { UUID } from "../values/uuid.ts";

/** Names one attempt of a notification; the platform returns it with every event about the message. */
export interface Reference {
  companyId: string;
  notificationId: string;
  /** The fence of the claim that sent it; null in a reference without one. */
  fence: number | null;
  /** The span that sent it, where it is traced: the platform's events are linked to it. */
  span?: SpanContext | undefined;
}

/** Nine digits at most: one more and the number might not fit the column it is stored in. */
const FORM = new RegExp(`^(${UUID}):(${UUID})(?::([1-9][0-9]{0,8}))?(?:;(00-[0-9a-f-]{52}))?$`);

/** Adds the span to the text of a reference, where it is exported. */
function withSpan(reference: string, span: SpanContext | undefined): string {
  const isTraced = span !== undefined && (span.traceFlags & 1) === 1;
  return isTraced ? `${reference};${writeTraceparent(span)}` : reference;
}

/** Writes a reference as text: at most 139 characters of the 512 that the platform allows. */
export function writeReference({ companyId, notificationId, fence, span }: Reference): string {
  const notification = `${companyId}:${notificationId}`;
  const reference = fence === null ? notification : `${notification}:${fence}`;
  return withSpan(reference, span);
}

/** Reads the text of a reference; null for one that is not ours. */
export function readReference(text: string | null): Reference | null {
  const [, companyId, notificationId, fence, traceparent] = FORM.exec(text ?? "") ?? [];
  if (!companyId || !notificationId) return null;
  const span = readTraceparent(traceparent);
  return {
    companyId,
    notificationId,
    fence: fence === undefined ? null : Number(fence),
    ...span && { span },
  };
}

/** Returns the reference with which a claimed notification is sent. */
export function referenceOf({ company_id, id, fence }: ClaimedNotification): Reference {
  return { companyId: company_id, notificationId: id, fence };
}

/** Names one attempt of a reply, in a form that no notification's reference has. */
export interface ReplyReference {
  companyId: string;
  messageId: string;
  fence: number;
  /** The span that sent it, where it is traced. */
  span?: SpanContext | undefined;
}

const REPLY_FORM = new RegExp(`^reply:(${UUID}):(${UUID}):([1-9][0-9]{0,8})(?:;(00-[0-9a-f-]{52}))?$`);

/** Writes the reference of a reply as text. */
export function writeReplyReference({ companyId, messageId, fence, span }: ReplyReference): string {
  return withSpan(`reply:${companyId}:${messageId}:${fence}`, span);
}

/** Reads the reference of a reply; null for any other text. */
export function readReplyReference(text: string | null): ReplyReference | null {
  const [, companyId, messageId, fence, traceparent] = REPLY_FORM.exec(text ?? "") ?? [];
  if (!companyId || !messageId) return null;
  const span = readTraceparent(traceparent);
  return { companyId, messageId, fence: Number(fence), ...span && { span } };
}

import { afterRow } from "../driver/after_row.ts";
import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { NoCap, ReachedCap } from "./visitor_limits.ts";

interface Session {
  companyId: string;
  widgetId: string;
}

interface SessionKey {
  companyId: string;
  sessionId: string;
}

/** The longest a session may last, and the daily cap that prevented it. */
export type StartedSession = (NoCap | ReachedCap) & { max_session_s: number };

/** Starts a session of a widget: counts it and reserves its longest time. Undefined when there is no such widget. */
export async function startVoiceSession(
  sql: Sql,
  { companyId, sessionId, widgetId, agentId }: Session & SessionKey & { agentId: string },
): Promise<StartedSession | undefined> {
  const [row] = await sql<StartedSession[]>`
    select * from outbound.start_voice_session(${companyId}, ${sessionId}, ${widgetId}, ${agentId})`;
  return row;
}

/** Cancels a session that never began. */
export async function cancelVoiceSession(sql: Sql, { companyId, sessionId }: SessionKey): Promise<void> {
  await sql`select outbound.cancel_voice_session(${companyId}, ${sessionId})`;
}

/** A session as stored. */
export interface SessionState {
  conversation_id: string | null;
  started_at: Date;
}

/** Returns a session; undefined when it is not stored, or no longer. */
export async function readVoiceSession(
  sql: Sql,
  { companyId, sessionId }: SessionKey,
): Promise<SessionState | undefined> {
  const [row] = await sql<SessionState[]>`
    select conversation_id, created_at as started_at from outbound.voice_sessions
    where company_id = ${companyId} and id = ${sessionId}`;
  return row;
}

/** Binds a session to its conversation. `other`: it has another one; `taken`: another session has this one. */
export async function bindConversation(
  sql: Sql,
  { companyId, sessionId, conversationId }: SessionKey & { conversationId: string },
): Promise<"bound" | "other" | "taken" | null> {
  const [row] = await sql<{ outcome: "bound" | "other" | "taken" | null }[]>`
    select outbound.bind_conversation(${companyId}, ${sessionId}, ${conversationId}) as outcome`;
  return row!.outcome;
}

/** A session whose length is to be read from the platform. */
export interface UnsettledSession {
  company_id: string;
  session_id: string;
  conversation_id: string;
  started_at: Date;
  /** Its longest time, in seconds. */
  reserved_s: number;
}

/** Takes up to `limit` sessions whose length is to be read from the platform; each goes to one caller only. */
export async function takeSessionsToSettle(sql: Sql, limit: number): Promise<UnsettledSession[]> {
  return await sql<UnsettledSession[]>`
    select company_id, id as session_id, conversation_id, created_at as started_at, reserved_s
    from outbound.take_sessions_to_settle(${limit})`;
}

/** Replaces a session's reserved time by its real length. */
export async function settleVoiceSession(
  sql: Sql,
  { companyId, sessionId, durationS }: SessionKey & { durationS: number },
): Promise<void> {
  await sql`select outbound.settle_voice_session(${companyId}, ${sessionId}, ${durationS})`;
}

/** Returns the configuration of a session's widget; undefined once it is off, or its company may not use the API. */
export async function readWidgetConfig(sql: Sql, { companyId, widgetId }: Session): Promise<unknown> {
  const [row] = await sql<{ config: unknown }[]>`
    select w.config from outbound.widgets as w join outbound.companies as c on c.id = w.company_id
    where w.company_id = ${companyId} and w.id = ${widgetId} and w.kind = 'voice' and w.is_active
      and c.api_access`;
  return row?.config;
}

export interface Feedback extends Session {
  conversationId: string;
  rating: number;
  comment: string | null;
}

/** Stores a visitor's feedback on a conversation; later feedback replaces it. */
export async function saveFeedback(sql: Sql, feedback: Feedback): Promise<void> {
  await sql`
    insert into outbound.voice_feedback (company_id, widget_id, conversation_id, rating, comment)
    values (${feedback.companyId}, ${feedback.widgetId}, ${feedback.conversationId}, ${feedback.rating},
      ${feedback.comment})
    on conflict (company_id, widget_id, conversation_id)
    do update set rating = excluded.rating, comment = excluded.comment`;
}

export interface NewHandoff extends Session, SessionKey {
  id: string;
  conversationId: string;
  reason: string | null;
  contact: Record<string, string> | null;
  room: string;
}

/** Stores a request to talk to a person and notifies the company's webhook. */
export async function requestHandoff(sql: Sql, handoff: NewHandoff): Promise<void> {
  await sql`
    select outbound.request_handoff(${handoff.companyId}, ${handoff.id}, ${handoff.widgetId},
      ${handoff.sessionId}, ${handoff.conversationId}, ${handoff.reason},
      ${handoff.contact === null ? null : jsonParameter(sql, handoff.contact)}, ${handoff.room})`;
}

/** Ends a handoff that a session asked for. Returns its room, null when the session has no such handoff. */
export async function endHandoff(
  sql: Sql,
  { companyId, sessionId, handoffId }: SessionKey & { handoffId: string },
): Promise<string | null> {
  const [row] = await sql<{ room: string | null }[]>`
    select outbound.end_handoff(${companyId}, ${sessionId}, ${handoffId}) as room`;
  return row!.room;
}

interface HandoffKey {
  companyId: string;
  handoffId: string;
}

/** Returns the room of a handoff that is still open, or null. */
export async function openHandoffRoom(
  sql: Sql,
  { companyId, handoffId }: HandoffKey,
): Promise<string | null> {
  const [row] = await sql<{ room: string | null }[]>`
    select outbound.open_handoff_room(${companyId}, ${handoffId}) as room`;
  return row!.room;
}

/** Ends a handoff whose room is gone. */
export async function endHandoffWithoutRoom(sql: Sql, { companyId, handoffId }: HandoffKey): Promise<void> {
  await sql`select outbound.end_open_handoff(${companyId}, ${handoffId}, 'room_closed')`;
}

/** Records that a person of the company takes over. Returns the room; null when there is no such handoff or it has ended. */
export async function joinHandoff(
  sql: Sql,
  { companyId, handoffId }: HandoffKey,
  by?: Actor,
): Promise<string | null> {
  if (by === undefined) {
    const [row] = await sql<{ room: string | null }[]>`
      select outbound.join_handoff(${companyId}, ${handoffId}) as room`;
    return row!.room;
  }
  const [row] = await sql<{ room: string | null }[]>`
    with joined as materialized (select outbound.join_handoff(${companyId}, ${handoffId}) as room),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${by.actor}, 'handoff.joined', ${handoffId}::text, null, null,
        ${by.requestId ?? null})
      from joined where joined.room is not null
    )
    select joined.room from joined cross join (select count(*) from audited) as written`;
  return row!.room;
}

/** A visitor's request to talk to a person. */
export interface HandoffRow {
  handoff_id: string;
  status: "waiting" | "joined" | "ended";
  widget_id: string;
  reason: string | null;
  contact: Record<string, unknown> | null;
  created_at: Date;
  expires_at: Date;
  ended_at: Date | null;
}

/** Returns a page of a company's handoffs, newest first. */
export async function readHandoffs(
  sql: Sql,
  { companyId, isOpen, after, limit }: {
    companyId: string;
    isOpen: boolean;
    after?: string | undefined;
    limit: number;
  },
): Promise<HandoffRow[]> {
  return await sql<HandoffRow[]>`
    select h.id as handoff_id, h.status, h.widget_id, h.reason, h.contact, h.created_at,
      h.expires_at, h.ended_at
    from outbound.handoffs as h
    where h.company_id = ${companyId}
      -- None is open for longer.
      ${isOpen ? sql`and h.status <> 'ended' and h.created_at > now() - interval '255 minutes'` : sql``}
      ${afterRow(sql, "h", { table: "outbound.handoffs", companyId, after })}
    order by h.created_at desc, h.id desc limit ${limit}`;
}

import { jsonParameter, type Sql } from "./connect.ts";

export interface KnowledgeHit {
  title: string;
  /** The passages that answer best. */
  text: string;
  url: string | null;
}

/** Looks a question up in a company's documents; `language` is the name of a text search configuration. */
export async function searchKnowledge(
  sql: Sql,
  query: { companyId: string; question: string; language: string; limit: number },
): Promise<KnowledgeHit[]> {
  return await sql<KnowledgeHit[]>`
    select * from outbound.search_knowledge(
      ${query.companyId}, ${query.question}, ${query.language}::regconfig, ${query.limit})`;
}

interface Session {
  companyId: string;
  widgetId: string;
}

/** The configuration of a session's widget; undefined once it is off, or its company may not use the API. */
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

/** Keeps what a visitor thought of a conversation; a second opinion replaces the first. */
export async function saveFeedback(sql: Sql, feedback: Feedback): Promise<void> {
  await sql`
    insert into outbound.voice_feedback (company_id, widget_id, conversation_id, rating, comment)
    values (${feedback.companyId}, ${feedback.widgetId}, ${feedback.conversationId}, ${feedback.rating},
      ${feedback.comment})
    on conflict (company_id, widget_id, conversation_id)
    do update set rating = excluded.rating, comment = excluded.comment`;
}

export interface NewHandoff extends Session {
  id: string;
  conversationId: string;
  reason: string | null;
  contact: Record<string, string> | null;
  room: string;
}

/** Stores a wish to talk to a person and tells the company's webhook. */
export async function requestHandoff(sql: Sql, handoff: NewHandoff): Promise<void> {
  await sql`
    select outbound.request_handoff(${handoff.companyId}, ${handoff.id}, ${handoff.widgetId},
      ${handoff.conversationId}, ${handoff.reason},
      ${handoff.contact === null ? null : jsonParameter(sql, handoff.contact)}, ${handoff.room})`;
}

/** Ends a handoff of a widget. Answers its room, null when there is no such handoff. */
export async function endHandoff(
  sql: Sql,
  { companyId, widgetId, handoffId }: Session & { handoffId: string },
): Promise<string | null> {
  const [row] = await sql<{ room: string | null }[]>`
    select outbound.end_handoff(${companyId}, ${widgetId}, ${handoffId}) as room`;
  return row!.room;
}

/** A person of the company takes over. Answers the room, null when there is no such handoff or it has ended. */
export async function joinHandoff(
  sql: Sql,
  { companyId, handoffId }: { companyId: string; handoffId: string },
): Promise<string | null> {
  const [row] = await sql<{ room: string | null }[]>`
    select outbound.join_handoff(${companyId}, ${handoffId}) as room`;
  return row!.room;
}

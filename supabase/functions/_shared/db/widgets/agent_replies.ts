import type { Leased } from "../../sending/queue.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { MessageAuthor } from "./conversations.ts";

/** A reply that an agent owes, leased to this worker. Field names are those of `outbound.claim_agent_replies`. */
export interface ClaimedAgentReply extends Leased {
  conversation_id: string;
  /** The numbers of the first and the last message that wait. */
  from_sequence: number;
  to_sequence: number;
  /** This claim's number, from 1. */
  attempt: number;
  /** The seconds since the first message. */
  waited_s: number;
}

/** How an attempt went; see `outbound.finish_agent_reply` for the effect of each outcome. */
export interface FinishedAgentReply {
  company_id: string;
  conversation_id: string;
  attempt: number;
  outcome: "replied" | "retry" | "failed";
  to_sequence: number;
  text?: string;
  content?: Record<string, unknown>;
  wants_person?: boolean;
  person_text?: string;
  retry_in_s?: number;
}

/** The effect of `outbound.finish_agent_reply`. */
export type FinishedAs = "replied" | "postponed" | "retry" | "handed_off" | "dropped" | "lost";

/** Leases up to `limit` replies that are due; all dispatchers hold about `limitEach` of a company. */
export async function claimAgentReplies(
  sql: Sql,
  { worker, limit, limitEach, leaseS }: { worker: string; limit: number; limitEach: number; leaseS: number },
): Promise<ClaimedAgentReply[]> {
  return await sql<ClaimedAgentReply[]>`
    select a.*, null::text as trace from outbound.claim_agent_replies(
      ${worker}, ${limit}, ${limitEach}, make_interval(secs => ${leaseS})) as a`;
}

/** A message as an agent gets to know it. */
export interface EarlierMessage {
  sequence: number;
  author: MessageAuthor;
  text: string;
}

/** The chat as an agent needs it to reply. */
export interface ChatToReplyTo {
  /** Of the widget. */
  config: unknown;
  language: string | null;
  /** Whether the widget is on and its company may use the API. */
  is_usable: boolean;
  /** Whether a reply is still wanted: no person takes care of the conversation, and it is open. */
  is_wanted: boolean;
  /** The last `limit` ones up to those that wait, oldest first. */
  messages: EarlierMessage[];
}

/** Reads the conversation of an owed reply; undefined when it is gone. */
export async function readChatToReplyTo(
  sql: Sql,
  { company_id, conversation_id, to_sequence }: ClaimedAgentReply,
  limit: number,
): Promise<ChatToReplyTo | undefined> {
  const [row] = await sql<ChatToReplyTo[]>`
    select w.config, c.language, w.is_active and o.api_access as is_usable,
      c.status = 'open' and c.assistant <> 'silent' and c.assigned_to is null as is_wanted,
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'sequence', m.sequence, 'author', m.author, 'text', m.text) order by m.sequence), '[]')
        from outbound.conversation_messages as m
        where m.company_id = c.company_id and m.conversation_id = c.id and m.sequence <= ${to_sequence}
          and m.sequence > ${to_sequence - limit}
      ) as messages
    from outbound.conversations as c
    join outbound.widgets as w on w.company_id = c.company_id and w.id = c.widget_id
    join outbound.companies as o on o.id = c.company_id
    where c.company_id = ${company_id} and c.id = ${conversation_id}`;
  return row;
}

/** Records how an attempt went, and returns what that did. */
export async function finishAgentReply(
  sql: Sql,
  worker: string,
  { company_id, conversation_id, attempt, ...result }: FinishedAgentReply,
): Promise<FinishedAs> {
  const [row] = await sql<{ done: FinishedAs }[]>`
    select outbound.finish_agent_reply(${company_id}, ${conversation_id}, ${worker}, ${attempt},
      ${jsonParameter(sql, result)}) as done`;
  return row!.done;
}

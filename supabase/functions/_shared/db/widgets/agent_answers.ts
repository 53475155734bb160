import type { Leased } from "../../sending/queue.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { MessageAuthor } from "./conversations.ts";

/** An answer that an agent owes, leased to this worker. Field names are those of `outbound.claim_agent_answers`. */
export interface ClaimedAnswer extends Leased {
  conversation_id: string;
  /** The numbers of the first and the last message that wait. */
  from_sequence: number;
  to_sequence: number;
  /** This claim's number, from 1. */
  attempt: number;
  /** The seconds since the first message. */
  waited_s: number;
}

/** How an attempt went; see `outbound.finish_agent_answer` for the effect of each outcome. */
export interface FinishedAnswer {
  company_id: string;
  conversation_id: string;
  attempt: number;
  outcome: "answered" | "retry" | "failed";
  to_sequence: number;
  text?: string;
  content?: Record<string, unknown>;
  wants_person?: boolean;
  person_text?: string;
  retry_in_s?: number;
}

/** What `outbound.finish_agent_answer` did. */
export type FinishedAs = "answered" | "postponed" | "retry" | "handed_off" | "dropped" | "lost";

/** Leases up to `limit` answers that are due; all dispatchers hold about `limitEach` of a company. */
export async function claimAgentAnswers(
  sql: Sql,
  { worker, limit, limitEach, leaseS }: { worker: string; limit: number; limitEach: number; leaseS: number },
): Promise<ClaimedAnswer[]> {
  return await sql<ClaimedAnswer[]>`
    select a.*, null::text as trace from outbound.claim_agent_answers(
      ${worker}, ${limit}, ${limitEach}, make_interval(secs => ${leaseS})) as a`;
}

/** A message as an agent gets to know it. */
export interface EarlierMessage {
  sequence: number;
  author: MessageAuthor;
  text: string;
}

/** What an agent needs to answer. */
export interface ChatToAnswer {
  /** Of the widget. */
  config: unknown;
  language: string | null;
  /** Whether the widget is on and its company may use the API. */
  is_usable: boolean;
  /** Whether an answer is still wanted: no person takes care of the conversation, and it is open. */
  is_wanted: boolean;
  /** The last `limit` ones up to those that wait, oldest first. */
  messages: EarlierMessage[];
}

/** Reads the conversation of an owed answer; undefined when it is gone. */
export async function readChatToAnswer(
  sql: Sql,
  { company_id, conversation_id, to_sequence }: ClaimedAnswer,
  limit: number,
): Promise<ChatToAnswer | undefined> {
  const [row] = await sql<ChatToAnswer[]>`
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
export async function finishAgentAnswer(
  sql: Sql,
  worker: string,
  { company_id, conversation_id, attempt, ...result }: FinishedAnswer,
): Promise<FinishedAs> {
  const [row] = await sql<{ done: FinishedAs }[]>`
    select outbound.finish_agent_answer(${company_id}, ${conversation_id}, ${worker}, ${attempt},
      ${jsonParameter(sql, result)}) as done`;
  return row!.done;
}

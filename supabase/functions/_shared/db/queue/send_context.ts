import type { Sql } from "../driver/connect.ts";

/** The state of a presented key. */
export interface KeyState {
  outcome: "ok" | "unauthorized" | "rate_limited";
  company_id: string;
  api_key_id: string;
  permissions: string[];
  api_access: boolean;
  rate_limit: number;
  remaining: number;
  /** Seconds until the rate window is new. */
  reset_s: number;
  /** The senders that the key may use; null for all. */
  sender_ids: string[] | null;
}

/** One language of a template, as far as sending needs it. */
export interface TemplateVersion {
  id: string;
  language: string;
  /** MARKETING, UTILITY, AUTHENTICATION or another of the platform's. */
  category: string;
  status: string;
  shape: string;
  parameter_format: "POSITIONAL" | "NAMED";
  components: unknown;
}

/** A voice agent, as far as calling needs it. */
export interface VoiceAgent {
  id: string;
  /** The platform's id of it. */
  platform_agent_id: string;
  status: "active" | "disabled";
}

export interface SendContext extends KeyState {
  sender_id: string | null;
  /** Digits with the country code. */
  sender_number: string | null;
  /** Why the platform has locked the sender's account; null when it has not. */
  sender_locked: string | null;
  /** Why the sender sends nothing at present; null while it does. */
  sender_stopped: string | null;
  /** When the platform's restriction ends, if it said so. */
  sender_stopped_until: Date | null;
  /** Since when the platform has not responded to the sender; null while it responds. */
  outage_since: Date | null;
  /** When the sender is tried next. */
  outage_until: Date | null;
  /** How many people per day the platform lets the sender write to (TIER_2K), and how it rates it (RED). */
  sender_limit: string | null;
  sender_quality: string | null;
  /** The company's rules, as stored; null for none. */
  sending_hours: unknown;
  frequency_caps: unknown;
  /** Whether marketing waits while the platform spares a person. */
  marketing_cooldown: boolean;
  /** Seconds between two calls of a campaign to one number. */
  call_gap_s: number;
  /** The agent that the request names, if the company has it. */
  agent: VoiceAgent | null;
  /** Every language of the template in the sender's account; null when the key is not valid. */
  templates: TemplateVersion[] | null;
  /** The key of the hashes of erased people; null where the company has erased none. */
  erasure_key_sealed: string | null;
  /** A webhook of the company receives `flow.triggered`. */
  has_flow_webhook: boolean;
  /** Whether the people whom a request names become contacts. */
  learns_contacts: boolean;
  /** The hash of the key's present text; another than the presented one while a rotation lets both pass. */
  key_hash: string | null;
  /** When the presented text ends; null for never. */
  key_until: Date | null;
}

export interface SendContextQuery {
  keyHash: string;
  channel: "whatsapp" | "voice";
  recipientId: string;
  templateName: string | null;
  /** Our id of the agent, or the platform's. */
  agentId: string | null;
  bulk: boolean;
}

/** Reads in one round trip everything that a request is checked against. Counts no request. */
export async function readSendContext(sql: Sql, query: SendContextQuery): Promise<SendContext> {
  const [row] = await sql<SendContext[]>`
    select s.*, exists (
      select from outbound.companies as y where y.id = s.company_id and y.learn_contacts
    ) as learns_contacts, k.sender_ids, k.key_hash, k.key_until
    from outbound.send_context(
      ${query.keyHash}, ${query.channel}, ${query.recipientId}, ${query.templateName},
      ${query.agentId}, ${query.bulk}) as s
    left join lateral (
      select k.sender_ids, k.key_hash,
        least(k.expires_at, case when k.key_hash <> ${query.keyHash} then k.old_expires_at end) as key_until
      from outbound.api_keys as k where k.company_id = s.company_id and k.id = s.api_key_id limit 1
    ) as k on true`;
  return row!;
}

/** Selects `sender_ids` of the key that `outbound.use_access_key` returned as `key`. */
export function sendersOfKey(sql: Sql) {
  return sql`(
    select k.sender_ids from outbound.api_keys as k where k.company_id = key.company_id and k.id = key.api_key_id
  ) as sender_ids`;
}

/** Returns the state of a key; `cost` 1 counts the request against the key's rate, 0 does not. */
export async function readKeyState(sql: Sql, keyHash: string, cost: 0 | 1): Promise<KeyState> {
  const [row] = await sql<KeyState[]>`
    select key.*, ${sendersOfKey(sql)} from outbound.use_access_key(${keyHash}, ${cost}) as key`;
  return row!;
}

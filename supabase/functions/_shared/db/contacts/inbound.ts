import type { Sql } from "../driver/connect.ts";

/** One message of a person. Field names are those of `outbound.store_inbound_messages`. */
export interface InboundMessageRow {
  id: string;
  waba_id: string;
  phone_number_id: string;
  number: string | null;
  user_id: string | null;
  profile_name: string | null;
  username: string | null;
  platform_message_id: string;
  context_message_id: string | null;
  /** ISO 8601. */
  at: string;
  kind: string;
  text: string | null;
  content: Record<string, unknown> | null;
  /** A file came with it that can be stored here. */
  holds_file: boolean;
  /** The text as companies' own words are stored; null for one that is no word. */
  folded: string | null;
  word_says: "opt_out" | "opt_in" | null;
  button_says: "opt_out" | "opt_in" | null;
  /** Of an opt-out, the most likely language first. */
  confirmations: { language: string; text: string }[];
}

/** A choice in the platform's own settings. Field names are those of `outbound.apply_preferences`. */
export interface PreferenceRow {
  waba_id: string;
  phone_number_id: string;
  number: string | null;
  user_id: string | null;
  value: "stop" | "resume" | "signup";
  detail: string | null;
  /** ISO 8601. */
  at: string;
}

/** A changed address. Field names are those of `outbound.move_contacts`. */
export interface MoveRow {
  waba_id: string;
  /** Null when the platform names the account only. */
  phone_number_id: string | null;
  from: string;
  to: string;
  /** ISO 8601. */
  at: string;
}

/** A user id and the number that belongs to it, as the receipt of a message shows them. */
export interface UserIdLink {
  company_id: string;
  /** The id of the notification or of the reply. */
  id: string;
  user_id: string;
  number: string;
  /** ISO 8601. */
  at: string;
}

/** Stores messages, each once per company, and does what they mean. Returns how many were new. */
export async function storeInboundMessages(sql: Sql, messages: InboundMessageRow[]): Promise<number> {
  const [row] = await untilNoDeadlock(() =>
    sql<{ stored: number }[]>`
      select outbound.store_inbound_messages(${JSON.stringify(messages)}::text::json) as stored`
  );
  return row!.stored;
}

/** Suppresses or lifts, as people chose at the platform. Doing it twice changes nothing. */
export async function applyPreferences(sql: Sql, preferences: PreferenceRow[]): Promise<void> {
  await untilNoDeadlock(() =>
    sql`select outbound.apply_preferences(${JSON.stringify(preferences)}::text::json)`
  );
}

/** Moves people to their new addresses. Doing it twice changes nothing. */
export async function moveContacts(sql: Sql, moves: MoveRow[]): Promise<void> {
  await untilNoDeadlock(() => sql`select outbound.move_contacts(${JSON.stringify(moves)}::text::json)`);
}

/** Records which user ids belong to which numbers. */
export async function linkUserIds(sql: Sql, links: UserIdLink[]): Promise<void> {
  await sql`select outbound.link_user_ids(${JSON.stringify(links)}::text::json)`;
}

const DEADLOCK = "40P01";
const MAX_ATTEMPTS = 3;

/**
 * Runs a statement that may be repeated, again after a deadlock. People are locked in the order of their addresses, but
 * an address that another transaction is just linking to a person is not known yet.
 */
async function untilNoDeadlock<Rows>(statement: () => PromiseLike<Rows>): Promise<Rows> {
  for (let attempts = 1;; attempts++) {
    try {
      return await statement();
    } catch (error) {
      if ((error as { code?: unknown }).code !== DEADLOCK || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}

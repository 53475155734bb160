import type { Sql } from "../driver/connect.ts";
import type { ContactKey } from "./contacts.ts";

/** The kinds of entries of a timeline. */
export const TIMELINE_KINDS = ["notification", "message", "chat", "opt_out", "consent", "change"] as const;

/** The place of an entry in a timeline. */
export interface TimelineCursor {
  /** With microseconds, as the database writes it. */
  at: string;
  id: string;
}

/** Something that happened with a person. */
export interface TimelineRow extends TimelineCursor {
  kind: typeof TIMELINE_KINDS[number];
  /** By kind; null for what was deleted meanwhile. */
  entry: Record<string, unknown> | null;
}

/** Returns one page of a contact's timeline, newest first; see `outbound.read_timeline`. */
export async function readTimeline(
  sql: Sql,
  { companyId, contactId }: ContactKey,
  { after, limit }: { after: TimelineCursor | null; limit: number },
): Promise<TimelineRow[]> {
  return await sql<TimelineRow[]>`
    select at, id, kind, entry from outbound.read_timeline(
      ${companyId}, ${contactId}, ${after?.at ?? null}::text::timestamptz, ${after?.id ?? null}, ${limit})`;
}

/** Returns the numbers and user ids of a contact, with every alias. */
export async function readContactAddresses(
  sql: Sql,
  { companyId, contactId }: ContactKey,
): Promise<string[]> {
  const [row] = await sql<{ addresses: string[] }[]>`
    select outbound.addresses_of_contact(${companyId}, ${contactId}) as addresses`;
  return [...row!.addresses];
}

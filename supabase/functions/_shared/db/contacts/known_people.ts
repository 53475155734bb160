import type { Sql } from "../driver/connect.ts";

/** Where a stored person lives, and the language the person speaks, as far as the company knows. */
export interface KnownPerson {
  /** As it was asked for. */
  address: string;
  /** An IANA name. */
  timezone: string | null;
  language: string | null;
}

/** Returns what a company has stored of the people with these numbers and user ids; nothing of those it does not know. */
export async function readKnownPeople(
  sql: Sql,
  companyId: string,
  addresses: string[],
): Promise<KnownPerson[]> {
  if (addresses.length === 0) return [];
  return await sql<KnownPerson[]>`
    select address, timezone, language from outbound.known_people(${companyId}, ${addresses}::text[])`;
}

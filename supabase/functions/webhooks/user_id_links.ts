import { linkUserIds, type UserIdLink } from "../_shared/db/contacts/inbound.ts";
import type { Sql } from "../_shared/db/driver/connect.ts";
import type { Services } from "../_shared/services.ts";

/** Of some 150 bytes each. */
const MAX_KNOWN = 20_000;

/**
 * Makes the function that records which user ids belong to which numbers. Nearly every receipt repeats a link that is
 * recorded already, so each process remembers those that it recorded: no query, and no write, for a known one.
 *
 * @returns a function that records the links that this process does not remember, in the background, in their cell
 */
export function createUserIdLinks(): (services: Services, links: UserIdLink[]) => void {
  const known = new Set<string>();
  const idOf = ({ company_id, user_id, number }: UserIdLink) => `${company_id} ${user_id} ${number}`;

  async function record(sql: Sql, links: UserIdLink[]): Promise<void> {
    await linkUserIds(sql, links);
    if (known.size + links.length > MAX_KNOWN) known.clear();
    for (const link of links) known.add(idOf(link));
  }

  return ({ sql, inBackground }, links) => {
    const fresh = new Map(links.filter((link) => !known.has(idOf(link))).map((link) => [idOf(link), link]));
    if (fresh.size > 0) inBackground(record(sql, [...fresh.values()]));
  };
}

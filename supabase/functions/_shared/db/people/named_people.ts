import type { Sql } from "../driver/connect.ts";
import type { NamedPerson } from "../queue/accept_notifications.ts";

/** A person whom a request or the platform has named. */
export interface TakenPerson extends NamedPerson {
  source: "send" | "platform";
}

/** Takes people who are no contacts yet, the first ones first: the caller makes contacts of them in this transaction. */
export async function takeNamedPeople(sql: Sql, limit: number): Promise<TakenPerson[]> {
  return [
    ...await sql<TakenPerson[]>`
      select company_id, number, user_id, person, source from outbound.take_named_people(${limit})`,
  ];
}

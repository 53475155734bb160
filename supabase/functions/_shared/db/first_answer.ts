import type { Sql } from "./connect.ts";

export interface FirstAnswer {
  request_hash: string;
  answer: unknown;
}

/** The first answer given under an idempotency key in the last 24 hours. */
export async function readFirstAnswer(
  sql: Sql,
  query: { keyHash: string; endpoint: string; key: string },
): Promise<FirstAnswer | undefined> {
  const [row] = await sql<FirstAnswer[]>`
    select * from outbound.first_answer(${query.keyHash}, ${query.endpoint}, ${query.key})`;
  return row;
}

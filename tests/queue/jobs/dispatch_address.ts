import type postgres from "postgres";
import { tickNow } from "../../setup/fixtures/queue.ts";

/**
 * Gives the database an address of the dispatch function, which a dispatcher of a moment ago worked for. Returns a function
 * that says whether the database calls it now.
 */
export async function withDispatchAddress(sql: postgres.Sql): Promise<() => Promise<boolean>> {
  await tickNow(sql);
  await sql`create schema net`;
  await sql`create function net.http_post(url text, body jsonb, headers jsonb, timeout_milliseconds int)
    returns bigint language sql as 'select 1'`;
  await sql`insert into outbound.settings (name, value)
    values ('dispatch', ${sql.json({ url: "http://127.0.0.1:9", secret: "secret" })})`;
  return async () => (await sql`select outbound.invoke_dispatch() as calls`)[0]!.calls;
}

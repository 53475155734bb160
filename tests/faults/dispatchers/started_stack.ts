import assert from "node:assert/strict";
import postgres from "postgres";
import { inTheEnd } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import type { StackFile } from "../../start/run_start.ts";

/** Asks the service of a running stack. */
export async function call({ base_url }: StackFile, path: string, init: RequestInit): Promise<JsonObject> {
  const answer = await fetch(`${base_url}${path}`, init);
  return { status: answer.status, ...await answer.json() };
}

/** Logs the demo's member in; returns the headers of requests. */
export async function logIn(stack: StackFile): Promise<Record<string, string>> {
  const { email, password } = stack.demo!;
  const { access_token: token } = await call(stack, "/auth?grant_type=password", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return { authorization: `Bearer ${token}` };
}

/** Calls `fn` with a connection to the stack's database. */
export async function withSql<Value>(
  stack: StackFile,
  fn: (sql: postgres.Sql) => Promise<Value>,
): Promise<Value> {
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {} });
  try {
    return await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Waits until so many people of an upload are stored and recorded. Asks nothing that slows the service down. */
export async function untilStored(stack: StackFile, least: number): Promise<void> {
  await withSql(stack, (sql) =>
    inTheEnd(async () => {
      const [upload] =
        await sql`select coalesce(sum(accepted), 0)::int as accepted from outbound.campaign_uploads`;
      assert.ok(upload!.accepted >= least, `${upload!.accepted} of ${least}`);
    }));
}

/** Counts the people who are stored, and those of the campaigns. */
export async function readStored(sql: postgres.Sql): Promise<JsonObject> {
  const [row] = await sql`
    select (select count(*)::int from outbound.notifications) as people,
      (select count(distinct number)::int from outbound.notifications) as numbers,
      (select coalesce(sum(total), 0)::int from outbound.campaigns) as total,
      (select count(*)::int from outbound.campaigns) as campaigns,
      (select coalesce(sum(notifications), 0)::int from outbound.usage) as used`;
  return { ...row };
}

import assert from "node:assert/strict";
import postgres from "postgres";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { type StackFile, withStart } from "../../start/run_start.ts";

const ROWS = 10_000;
const KILLED_AT = [1000, 4000];

const FILE = `Phone,Name\n${
  Array.from({ length: ROWS }, (_, index) => `${34_600_100_000 + index},Ana`).join("\n")
}\n`;

async function call({ base_url }: StackFile, path: string, init: RequestInit): Promise<JsonObject> {
  const answer = await fetch(`${base_url}${path}`, init);
  return { status: answer.status, ...await answer.json() };
}

async function logIn(stack: StackFile): Promise<Record<string, string>> {
  const { email, password } = stack.demo!;
  const { access_token: token } = await call(stack, "/auth?grant_type=password", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return { authorization: `Bearer ${token}` };
}

const below = ({ demo }: StackFile) => `/manage/companies/${demo!.company_id}/uploads`;

async function createUpload(stack: StackFile): Promise<string> {
  const body = {
    ...{ channel: "whatsapp", name_template: "order_update", language_template: "en_US" },
    ...{ recipient_id: stack.demo!.sender, notification_type: "utility", campaign_name: "Kill" },
    datetime_sending: "2099-01-31T09:00:00",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
    columns: { number: "Phone", name: "Name" },
  };
  const headers = { ...await logIn(stack), "content-type": "application/json" };
  const created = await call(stack, below(stack), { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(created.status, 200, JSON.stringify(created));
  return created.upload_id;
}

async function sendFile(stack: StackFile, uploadId: string): Promise<JsonObject> {
  const headers = { ...await logIn(stack), "content-type": "text/csv" };
  return await call(stack, `${below(stack)}/${uploadId}/contacts`, { method: "PUT", headers, body: FILE });
}

async function withSql<Value>(stack: StackFile, fn: (sql: postgres.Sql) => Promise<Value>): Promise<Value> {
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {} });
  try {
    return await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Counts the people who are stored, and those of the campaigns. */
async function readStored(sql: postgres.Sql): Promise<JsonObject> {
  const [row] = await sql`
    select (select count(*)::int from outbound.notifications) as people,
      (select count(distinct number)::int from outbound.notifications) as numbers,
      (select coalesce(sum(total), 0)::int from outbound.campaigns) as total,
      (select count(*)::int from outbound.campaigns) as campaigns,
      (select coalesce(sum(notifications), 0)::int from outbound.usage) as used`;
  return { ...row };
}

Deno.test(`SIGKILL twice in the middle of an upload of ${ROWS} rows: sent again, every recipient is in its campaign once`, () =>
  withTempFolder(async (folder) => {
    const env = { OUTBOUND_LOG_LEVEL: "error", OUTBOUND_HOME: `${folder}/home` };
    let uploadId: string | undefined;
    for (const least of KILLED_AT) {
      await withStart(env, async ({ stack, stop }) => {
        await withSql(stack, (sql) => sql`update outbound.api_keys set daily_quota = ${ROWS}`);
        uploadId ??= await createUpload(stack);
        const sending = sendFile(stack, uploadId).then(
          () => assert.fail("it came to its end before it was killed"),
          (error) => assert.ok(!(error instanceof assert.AssertionError), error),
        );
        await withSql(
          stack,
          (sql) => eventually(async () => assert.ok((await readStored(sql)).people >= least), 30_000),
        );
        await stop("SIGKILL");
        await sending;
      });
    }
    await withStart(env, async ({ stack }) => {
      const before = await withSql(stack, readStored);
      assert.ok(before.people < ROWS && before.people === before.total, JSON.stringify(before));

      const sent = await sendFile(stack, uploadId!);

      assert.deepEqual([sent.status, sent.state, sent.rows, sent.accepted, sent.refused], [
        ...[200, "completed", ROWS, ROWS, 0],
      ]);
      assert.deepEqual(await withSql(stack, readStored), {
        ...{ people: ROWS, numbers: ROWS, total: ROWS, campaigns: 1, used: ROWS },
      });
    });
  }));

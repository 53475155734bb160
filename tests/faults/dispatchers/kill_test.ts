import assert from "node:assert/strict";
import postgres from "postgres";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { withoutFence } from "../../setup/fixtures/without_fence.ts";
import { type StackFile, withStart } from "../../start/run_start.ts";

const REQUESTS = 10;
const CONTACTS_PER_REQUEST = 100;
/** Short, so that the rows of a killed dispatcher are looked after soon. */
const ENV = {
  OUTBOUND_DISPATCH_LEASE_S: "3",
  OUTBOUND_UNCONFIRMED_WINDOW_S: "5",
  OUTBOUND_LOG_LEVEL: "error",
};

/** No ending to which the simulated platform gives a meaning. */
const numberOf = (index: number) => String(34_600_000_100 + index);

async function callSandbox(
  stack: StackFile,
  method: string,
  path: string,
  body?: unknown,
): Promise<JsonObject> {
  const answer = await fetch(`${stack.sandbox_url}/sandbox/${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  assert.ok(answer.ok);
  return await answer.json();
}

async function withSql(stack: StackFile, fn: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {} });
  try {
    await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Nothing limits the rate, and 20 ms of latency keep some messages in flight at any moment. */
async function speedUp(stack: StackFile): Promise<void> {
  await callSandbox(stack, "PUT", "settings", { rate_per_second: 0, latency_ms: 20 });
  await withSql(stack, async (sql) => {
    await sql`update outbound.senders set rate_per_second = 100000`;
  });
}

/** Posts one bulk request. Returns its numbers if it was accepted, otherwise none. */
async function postBulk({ base_url, demo }: StackFile, first: number): Promise<string[]> {
  const numbers = Array.from({ length: CONTACTS_PER_REQUEST }, (_, index) => numberOf(first + index));
  const body = {
    contacts: numbers.map((number) => ({ number, name: "Asha" })),
    name_template: "order_update",
    language_template: "en_US",
    recipient_id: demo!.sender,
    notification_type: "utility",
    campaign_name: "Kill",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
  };
  try {
    const answer = await fetch(`${base_url}/notify?access_key=${demo!.access_key}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    const { success } = await answer.json();
    assert.equal(answer.status, 200);
    assert.equal(success, true);
    return numbers;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return [];
  }
}

/** Everything the simulated platform ever took, from its journal. */
async function messagesOf(stack: StackFile): Promise<JsonObject[]> {
  const { data, total } = await callSandbox(stack, "GET", "messages?limit=10000");
  assert.equal(data.length, total);
  return data;
}

async function untilTaken(stack: StackFile, count: number): Promise<void> {
  await eventually(
    async () => assert.ok((await callSandbox(stack, "GET", "stats")).messages >= count),
    30_000,
  );
}

/** Fails unless nothing is waiting or under way any more, and every counter is right. */
async function untilSettled(stack: StackFile): Promise<void> {
  await withSql(stack, async (sql) => {
    await eventually(async () => {
      const open = await sql`select status, count(*)::int from outbound.notifications
        where status not in ('read', 'delivered', 'sent') group by status`;
      assert.deepEqual([...open], []);
    }, 120_000);
    const wrong = await sql`select v.* from outbound.campaigns as g
      cross join lateral outbound.verify_campaign(g.company_id, g.id) as v where v.stored <> v.actual`;
    assert.deepEqual([...wrong], []);
  });
}

/** Fails unless the platform took each message that the database has as sent, under the same id. */
async function assertSameStory(stack: StackFile, messages: JsonObject[]): Promise<void> {
  const taken = new Map(
    messages.map(({ id, biz_opaque_callback_data }) => [id, withoutFence(biz_opaque_callback_data)]),
  );
  await withSql(stack, async (sql) => {
    const rows = await sql<{ reference: string; platform_message_id: string }[]>`
      select company_id || ':' || id as reference, platform_message_id from outbound.notifications`;
    for (const { reference, platform_message_id } of rows) {
      assert.equal(taken.get(platform_message_id), reference);
    }
  });
}

Deno.test("SIGKILL in the middle of 1,000 notifications, twice: all are sent, none that was confirmed twice", () =>
  withTempFolder(async (folder) => {
    const env = { ...ENV, OUTBOUND_HOME: `${folder}/home` };
    const accepted: string[] = [];
    await withStart(env, async ({ stack, stop }) => {
      await speedUp(stack);
      const posting = Array.from({ length: REQUESTS }, async (_, index) => {
        const numbers = await postBulk(stack, index * CONTACTS_PER_REQUEST);
        accepted.push(...numbers);
      });
      await untilTaken(stack, 150);
      await stop("SIGKILL");
      await Promise.all(posting);
    });
    await withStart(env, async ({ stack, stop }) => {
      const before = (await messagesOf(stack)).length;
      await speedUp(stack);
      await untilTaken(stack, before + 100);
      await stop("SIGKILL");
    });
    await withStart(env, async ({ stack }) => {
      await speedUp(stack);
      await untilSettled(stack);

      const messages = await messagesOf(stack);

      assert.ok(accepted.length >= 500, `${accepted.length} accepted`);
      const reached = new Set(messages.map(({ to }) => to.slice(1)));
      assert.deepEqual(accepted.filter((number) => !reached.has(number)), []);
      const byReference = Map.groupBy(messages, (message) => withoutFence(message.biz_opaque_callback_data));
      const confirmedTwice = [...byReference.values()].filter((messages) =>
        messages.length > 1 && messages.some(({ answered_at }) => answered_at !== null)
      );
      assert.deepEqual(confirmedTwice, []);
      await assertSameStory(stack, messages);
    });
  }));

import assert from "node:assert/strict";
import { inTheEnd } from "../../setup/eventually.ts";
import { contactOf, insertContacts } from "../../setup/fixtures/people.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { type StackFile, withStart } from "../../start/run_start.ts";
import { call, logIn, readStored, untilStored, withSql } from "./started_stack.ts";

const MEMBERS = 10_000;
const KILLED_AT = [1000, 4000];

async function start(stack: StackFile): Promise<void> {
  const company = `/manage/companies/${stack.demo!.company_id}`;
  const headers = { ...await logIn(stack), "content-type": "application/json" };
  const post = async (path: string, body: unknown = {}) => {
    const answer = await call(stack, company + path, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, JSON.stringify(answer));
    return answer;
  };
  const { list_id } = await post("/lists", {
    name: "Kill",
    condition: { field: "name", op: "is", value: "Kill" },
  });
  const { upload_id } = await post("/uploads", {
    ...{ channel: "whatsapp", name_template: "order_update", language_template: "en_US" },
    ...{ recipient_id: stack.demo!.sender, notification_type: "utility", campaign_name: "Kill" },
    datetime_sending: "2099-01-31T09:00:00",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
    columns: { name: "name" },
    audience: { list_id },
  });
  const started = await post(`/uploads/${upload_id}/start`);
  assert.equal(started.members, MEMBERS);
}

async function prepare(stack: StackFile): Promise<void> {
  const contacts = Array.from(
    { length: MEMBERS },
    (_, index) => contactOf({ number: String(34_600_100_000 + index), name: "Kill" }),
  );
  await withSql(stack, async (sql) => {
    await sql`update outbound.api_keys set daily_quota = ${MEMBERS}`;
    await insertContacts(sql, stack.demo!.company_id, contacts);
  });
}

Deno.test(`SIGKILL twice in the middle of a campaign to a list of ${MEMBERS}: every member is in it once, without being asked for again`, () =>
  withTempFolder(async (folder) => {
    const env = { OUTBOUND_LOG_LEVEL: "error", OUTBOUND_HOME: `${folder}/home` };
    let isStarted = false;
    for (const least of KILLED_AT) {
      await withStart(env, async ({ stack, stop }) => {
        if (!isStarted) {
          await prepare(stack);
          await start(stack);
          isStarted = true;
        }
        await untilStored(stack, least);
        await stop("SIGKILL");
      });
    }
    await withStart(env, async ({ stack }) => {
      const before = await withSql(stack, readStored);
      assert.ok(before.people < MEMBERS && before.people === before.total, JSON.stringify(before));

      await withSql(stack, (sql) =>
        inTheEnd(async () => {
          const [upload] = await sql`
            select u.completed_at, u.accepted
            from outbound.upload_audiences as a join outbound.campaign_uploads as u on u.id = a.upload_id`;
          assert.ok(upload!.completed_at !== null && upload!.accepted === MEMBERS, JSON.stringify(upload));
        }));

      assert.deepEqual(await withSql(stack, readStored), {
        ...{ people: MEMBERS, numbers: MEMBERS, total: MEMBERS, campaigns: 1, used: MEMBERS },
      });
      const [left] = await withSql(stack, (sql) => sql`select count(*)::int from outbound.upload_members`);
      assert.equal(left!.count, 0);
    });
  }));

import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  NOTIFICATION_STATUSES,
  type NotificationStatus,
} from "../../supabase/functions/_shared/db/campaigns/recipients.ts";
import type { KeyFixture } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import {
  claim,
  enqueue,
  finish,
  insertSendingCompany,
  report,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";

const HEADER =
  "number,status,queued_at,sent_at,delivered_at,read_at,failed_at,attempts,code,reason,outcome,duration_s,user_id,skipped_at,replied_at,notification_id,metadata,resent_as,held_for_quality,until,name";
const NEVER = { sent_at: null, delivered_at: null, read_at: null, failed_at: null };
const RIGHTS = {
  user_id: null,
  skipped_at: null,
  replied_at: null,
  metadata: null,
  resent_as: null,
  name: null,
};
const QUEUED = "2030-01-01T10:00:00Z";
const SENT = "2030-01-01T10:00:01Z";
const DELIVERED = "2030-01-01T10:00:02Z";
const READ = "2030-01-01T10:00:03Z";

/** The columns of the queue for each status that waits, besides the columns that every row has. */
const WAITING: Partial<Record<NotificationStatus, Record<string, unknown>>> = {
  scheduled: { is_scheduled: true, run_at: READ },
  queued: { attempt: 1, error_code: "131056", error_reason: "Too many messages" },
  sending: { status: "sending", attempt: 1, worker: "w", lease_until: READ },
  unconfirmed: { status: "unconfirmed", attempt: 1, lease_until: READ },
};

/** The facts of every other status. */
const FINISHED: Partial<Record<NotificationStatus, Record<string, unknown>>> = {
  sent: { attempt: 1, sent_at: SENT },
  delivered: { attempt: 1, sent_at: SENT, delivered_at: DELIVERED },
  read: { attempt: 2, sent_at: SENT, delivered_at: DELIVERED, read_at: READ },
  failed: {
    attempt: 1,
    failed_at: SENT,
    error_code: "131026",
    error_reason: "The number is not on WhatsApp",
  },
  cancelled: {},
  skipped: {
    skipped_at: SENT,
    error_code: "opted_out",
    error_reason: "The recipient does not want such messages",
  },
};

/** A campaign with one notification in every status, in this order; returns the campaign and its numbers. */
async function insertOneOfEach(sql: postgres.Sql, company: SendingCompany) {
  const count = NOTIFICATION_STATUSES.length;
  const { campaignId, ids } = await enqueue(sql, company, { count });
  ids.sort();
  for (const [index, status] of NOTIFICATION_STATUSES.entries()) {
    const waiting = WAITING[status];
    if (waiting) await sql`update outbound.queue set ${sql(waiting)} where id = ${ids[index]!}`;
    else await sql`delete from outbound.queue where id = ${ids[index]!}`;
    const facts = {
      status: waiting ? null : status,
      created_at: QUEUED,
      number: `5917100000${index}`,
      ...FINISHED[status],
    };
    await sql`update outbound.notification_facts set ${sql(facts)} where id = ${ids[index]!}`;
  }
  return {
    campaignId,
    numberOf: (status: NotificationStatus) => `5917100000${NOTIFICATION_STATUSES.indexOf(status)}`,
  };
}

function list({ http }: TestServices, company: { key: KeyFixture }, campaignId: string, query = {}) {
  return http.get(`/manage/companies/mine/campaigns/${campaignId}/recipients`, {
    query: { access_key: company.key.key, limit: "1000", ...query },
  });
}

Deno.test("GET …/recipients returns number, status, times, attempts, code and reason of everyone", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, numberOf } = await insertOneOfEach(t.sql, company);

    const { status, body, headers } = await list(t, company, campaignId);

    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/json");
    assert.equal(body.next, null);
    assert.deepEqual(body.recipients.map((row: JsonObject) => row.status), [...NOTIFICATION_STATUSES]);
    const byStatus = Object.fromEntries(body.recipients.map((row: JsonObject) => [row.status, row]));
    const idOf = (status: NotificationStatus) => byStatus[status].notification_id;
    assert.deepEqual(byStatus.read, {
      ...RIGHTS,
      notification_id: idOf("read"),
      number: numberOf("read"),
      status: "read",
      queued_at: QUEUED,
      sent_at: SENT,
      delivered_at: DELIVERED,
      read_at: READ,
      failed_at: null,
      attempts: 2,
      code: null,
      reason: null,
      outcome: null,
      duration_s: null,
      held_for_quality: false,
      until: null,
    });
    const ids = await t
      .sql`select id from outbound.notifications where campaign_id = ${campaignId} order by id`;
    assert.deepEqual(ids.map(({ id }) => id), NOTIFICATION_STATUSES.map(idOf));
    assert.deepEqual(byStatus.failed, {
      ...RIGHTS,
      notification_id: idOf("failed"),
      number: numberOf("failed"),
      status: "failed",
      queued_at: QUEUED,
      ...NEVER,
      failed_at: SENT,
      attempts: 1,
      code: "131026",
      reason: "The number is not on WhatsApp",
      outcome: null,
      duration_s: null,
      held_for_quality: false,
      until: null,
    });
    assert.deepEqual([byStatus.queued.code, byStatus.queued.reason], ["131056", "Too many messages"]);
    assert.equal(byStatus.unconfirmed.reason, "The platform has not said yet whether it took it");
  }));

Deno.test("GET …/recipients returns the outcomes of calls", () =>
  withServices(async (t) => {
    const company = await insertCallingCompany(t.sql);
    const { campaignId } = await enqueueCalls(t.sql, company, { count: 3 });
    const calls = await claim(t.sql);
    await finish(t.sql, calls, { outcome: "sent" });
    await report(t.sql, [
      callEventOf(company.id, calls[0]!.id, "answered"),
      callEventOf(company.id, calls[1]!.id, "busy"),
    ]);

    const json = await list(t, company, campaignId);
    const csv = await list(t, company, campaignId, { format: "csv", status: "delivered" });

    const listed = Object.fromEntries(
      json.body.recipients.map((row: JsonObject) => [row.number, [row.status, row.outcome, row.duration_s]]),
    );
    assert.deepEqual(listed, {
      [calls[0]!.number!]: ["delivered", "answered", 42],
      [calls[1]!.number!]: ["failed", "busy", null],
      [calls[2]!.number!]: ["sent", null, null],
    });
    assert.match(String(csv.body), /,1,,,answered,42,,,,[0-9a-f-]{36},,,false,,\r\n$/);
  }));

Deno.test("GET …/recipients narrows to each status", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, numberOf } = await insertOneOfEach(t.sql, company);

    for (const status of NOTIFICATION_STATUSES) {
      const { body } = await list(t, company, campaignId, { status });
      const found = body.recipients.map((row: JsonObject) => [row.status, row.number]);
      assert.deepEqual(found, [[status, numberOf(status)]]);
    }
  }));

Deno.test("GET …/recipients returns an empty list when no recipient is in that status", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);

    const json = await list(t, company, campaignId, { status: "read" });
    const csv = await list(t, company, campaignId, { status: "read", format: "csv" });

    assert.deepEqual(json.body.recipients, []);
    assert.equal(csv.body, `${HEADER}\r\n`);
  }));

Deno.test("GET …/recipients with format=csv is a file that spreadsheets read and do not run", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, numberOf } = await insertOneOfEach(t.sql, company);
    await t
      .sql`update outbound.notification_facts set error_code = '-1', error_reason = ${'=cmd|"/c calc",\nno'}
      where status = 'failed'`;
    await t.sql`update outbound.notification_facts set metadata = '{"order":"A-1"}' where status = 'read'`;
    const [ids] = await t.sql`
      select max(id::text) filter (where status = 'scheduled') as scheduled,
        max(id::text) filter (where status = 'read') as read from outbound.notifications`;

    const { body, headers } = await list(t, company, campaignId, { format: "csv" });

    assert.equal(headers.get("content-type"), "text/csv; charset=utf-8; header=present");
    assert.equal(headers.get("content-disposition"), `attachment; filename="recipients-${campaignId}.csv"`);
    const text = String(body);
    assert.ok(
      text.startsWith(
        `${HEADER}\r\n${numberOf("scheduled")},scheduled,${QUEUED},,,,,0,,,,,,,,${
          ids!.scheduled
        },,,false,${READ},\r\n`,
      ),
      text,
    );
    assert.ok(
      text.includes(
        `\r\n${numberOf("read")},read,${QUEUED},${SENT},${DELIVERED},${READ},,2,,,,,,,,${
          ids!.read
        },"{""order"":""A-1""}",,false,,\r\n`,
      ),
      text,
    );
    const failed = `${numberOf("failed")},failed,${QUEUED},,,,${SENT},1,'-1,"'=cmd|""/c calc"",\nno",,,,,,`;
    assert.ok(text.includes(failed), text);
  }));

Deno.test("GET …/recipients refuses a status or a format it does not know", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);

    const status = await list(t, company, campaignId, { status: "SENT" });
    const format = await list(t, company, campaignId, { format: "xlsx" });

    assert.deepEqual([status.status, status.body.details.field], [400, "status"]);
    assert.deepEqual([format.status, format.body.details], [400, {
      field: "format",
      provided: "xlsx",
      expected_format: "json or csv",
    }]);
  }));

Deno.test("GET …/recipients returns everyone once, in the order of ids, over several pages", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, ids } = await enqueue(t.sql, company, { count: 1500 });
    await enqueue(t.sql, company, { count: 10 });

    const first = await list(t, company, campaignId);
    const second = await list(t, company, campaignId, { after: first.body.next });

    const listed = [...first.body.recipients, ...second.body.recipients];
    assert.equal(second.body.next, null);
    const numbers = await t.sql<{ number: string }[]>`
      select number from outbound.notifications where id = any (${ids}) order by id`;
    assert.deepEqual(
      listed.map((row: JsonObject) => row.number),
      numbers.map(({ number }) => number),
    );
  }));

Deno.test("GET …/recipients responds 500 when the database fails before the first part", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);
    await t.sql`alter table outbound.notifications rename column error_reason to another`;

    const { status, body } = await list(t, company, campaignId);

    assert.deepEqual([status, body.error], [500, "internal_error"]);
  }));

import assert from "node:assert/strict";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { claim, enqueue, finish, insertSendingCompany } from "../setup/fixtures/queue.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { assertBalanced, readSendLog } from "./send_log.ts";

Deno.test("readSendLog() and assertBalanced() see what was lost, repeated, denied and made up", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { count: 4 });
    await enqueue(sql, company, { dueInS: 3600 });
    const [once, again, denied, lost] = ids as [string, string, string, string];
    const claimed = await claim(sql);
    const of = (...wanted: string[]) => claimed.filter(({ id }) => wanted.includes(id));
    await finish(sql, of(again), { outcome: "unknown" });
    await finish(sql, of(once, again, lost), { outcome: "sent" });
    await finish(sql, of(denied), { outcome: "failed" });
    let attempts = 0;
    const taken = (...references: string[]) =>
      references.map((id) => ({
        biz_opaque_callback_data: writeReference({
          companyId: company.id,
          notificationId: id,
          fence: ++attempts,
        }),
      }));
    const stranger = crypto.randomUUID();

    const wrong = await readSendLog(sql, taken(once, again, again, denied, stranger));
    const right = await readSendLog(sql, taken(once, again, lost));

    assert.deepEqual(wrong.lost.map(({ id }) => id), [lost]);
    assert.deepEqual(wrong.twice.map(({ id }) => id), [again]);
    assert.deepEqual(wrong.denied.map(({ id }) => id), [denied]);
    assert.equal(wrong.unknownReferences.length, 1);
    assert.throws(() => assertBalanced(wrong, { allow: "nothing" }), /does not balance/);
    assertBalanced(right, { allow: "nothing" });
  }));

Deno.test("assertBalanced() allows a repetition only for an attempt of unknown outcome", () =>
  withPostgresDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "sent" });
    const messages = [1, 2].map((fence) => ({
      biz_opaque_callback_data: writeReference({ companyId: company.id, notificationId: ids[0]!, fence }),
    }));

    const sendLog = await readSendLog(sql, messages);
    await sql`
      insert into outbound.delivery_attempts (company_id, notification_id, attempt, fence, worker, started_at, outcome)
      select company_id, id, 1, 1, 'w', now(), 'unknown' from outbound.notifications`;
    const explained = await readSendLog(sql, messages);

    assert.throws(() => assertBalanced(sendLog, { allow: "unknown" }), /sent more often than may be/);
    assertBalanced(explained, { allow: "unknown" });
    assert.throws(() => assertBalanced(explained, { allow: "nothing" }));
  }));

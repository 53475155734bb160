import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../../setup/fixtures/calling_company.ts";
import { claim, finish, report } from "../../setup/fixtures/queue.ts";

Deno.test("outgoing events of calls report how they went and how long they took, once that is known", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCallingCompany(sql);
    await insertWebhook(sql, company.id);
    await enqueueCalls(sql, company, { count: 2 });
    const [answered, busy] = await claim(sql);
    await finish(sql, [answered!, busy!], { outcome: "sent" });

    await report(sql, [
      callEventOf(company.id, answered!.id, "answered"),
      callEventOf(company.id, busy!.id, "busy", { reason: "The line was busy" }),
    ]);

    const events = await readEvents(sql, company.id);
    const reported = events.filter(({ type }) => type.startsWith("notification."))
      .map((
        { type, payload: { data } },
      ) => [type, data.notification_id, data.outcome, data.duration_s, data.error_code]);
    assert.deepEqual(
      new Set(reported.map((each) => each.join(" "))),
      new Set([
        ["notification.sent", answered!.id, undefined, undefined, undefined],
        ["notification.sent", busy!.id, undefined, undefined, undefined],
        ["notification.delivered", answered!.id, "answered", 42, undefined],
        ["notification.failed", busy!.id, "busy", undefined, "busy"],
      ].map((each) => each.join(" "))),
    );
  }));

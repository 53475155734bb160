import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { withServices } from "../setup/stack/services.ts";
import { claim, enqueue, eventOf, finish, insertSendingCompany, report } from "../setup/fixtures/queue.ts";
import { suppress } from "../setup/fixtures/contacts.ts";

Deno.test("GET …/failures explains what failed or was skipped by code, the most frequent first", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, ids } = await enqueue(t.sql, company, { count: 9, type: "marketing" });
    const [row] = await t.sql`select number from outbound.notifications where id = ${ids[8]!}`;
    await suppress(t.sql, company.id, { number: row!.number });
    const codes = ["131026", "131026", "131026", "131049", "131049", "909090", null];
    for (const notification of await claim(t.sql)) {
      const index = ids.indexOf(notification.id);
      await finish(
        t.sql,
        [notification],
        index < codes.length ? { outcome: "failed", error_code: codes[index]! } : { outcome: "sent" },
      );
    }
    await t.sql`update outbound.campaigns set rejected = 4 where id = ${campaignId}`;
    const campaign = `/manage/companies/mine/campaigns/${campaignId}`;
    const query = { access_key: company.key.key };

    const { status, body } = await t.http.get(`${campaign}/failures`, { query });

    assert.equal(status, 200);
    const { failures, ...rest } = body;
    assert.deepEqual(rest, { campaign_id: campaignId, failed: 7, skipped: 1, rejected: 4 });
    assert.deepEqual(
      failures.map((
        { code, status, count, can_pass, resent }: JsonObject,
      ) => [code, status, count, can_pass, resent]),
      [
        ["131026", "failed", 3, false, 0],
        ["131049", "failed", 2, true, 0],
        ["909090", "failed", 1, false, 0],
        ["opted_out", "skipped", 1, false, 0],
        ["unknown", "failed", 1, false, 0],
      ],
    );
    assert.equal(failures[0].meaning, "The number is not on WhatsApp or cannot receive the message");
    assert.match(failures[0].what_to_do, /Check the number/);
    assert.match(failures[2].what_to_do, /name the code/);
    assert.deepEqual(failures[1].examples, [ids[3], ids[4]].sort());
    assert.deepEqual(failures[3].examples, [ids[8]]);

    await t.http.post(`${campaign}/resend`, undefined, { query });
    const after = await t.http.get(`${campaign}/failures`, { query });
    assert.deepEqual(after.body.failures.map(({ resent }: JsonObject) => resent), [0, 2, 0, 0, 0]);
  }));

Deno.test("GET …/failures follows the platform: a message that failed later is in it, one that arrived is not", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, ids } = await enqueue(t.sql, company, { count: 2 });
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    const path = `/manage/companies/mine/campaigns/${campaignId}/failures`;
    const query = { access_key: company.key.key };
    const failures = async () => (await t.http.get(path, { query })).body.failures;
    assert.deepEqual(await failures(), []);

    await report(t.sql, [eventOf(company.id, ids[0]!, "failed"), eventOf(company.id, ids[1]!, "delivered")]);

    assert.deepEqual((await failures()).map(({ code, count }: JsonObject) => [code, count]), [["131026", 1]]);
  }));

import assert from "node:assert/strict";
import { readFailures } from "../../../supabase/functions/_shared/db/campaigns/failures.ts";
import {
  readPersonRecipients,
  readRecipientPage,
} from "../../../supabase/functions/_shared/db/campaigns/recipients.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { enqueue, insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { faultsOf, plansOf } from "./read_plans.ts";

const DELIVERED = 50_000;
const FAILED = 500;

for (const analyzed of [true, false]) {
  Deno.test(
    `what failed of ${DELIVERED} recipients is read, explained and resent without reading the others, ${
      analyzed ? "with" : "without"
    } statistics`,
    () =>
      withPostgresDatabase(async ({ sql, url }) => {
        const company = await insertSendingCompany(sql);
        const { campaignId, ids } = await enqueue(sql, company, { count: 1 });
        await sql`
          insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status,
            sent_at, delivered_at, failed_at, error_code, error_reason)
          select n.company_id, gen_random_uuid(), n.campaign_id, n.sender_id, (34600000000 + i)::text,
            n.message, case when i > ${FAILED} then 'delivered' else 'failed' end, now(),
            case when i > ${FAILED} then now() end, case when i <= ${FAILED} then now() end,
            case when i <= ${FAILED} then case when i % 2 = 0 then '131049' else '131026' end end,
            case when i <= ${FAILED} then 'A reason' end
          from outbound.notifications as n, generate_series(1, ${
          DELIVERED + FAILED
        }) as i where n.id = ${ids[0]!}`;
        if (analyzed) await sql`analyze`;
        const id = crypto.randomUUID();

        const plans = await plansOf(url, async (one) => {
          const failures = await readFailures(one, { companyId: company.id, campaignId });
          assert.deepEqual(failures.map(({ code, count }) => [code, count]), [["131026", 250], [
            "131049",
            250,
          ]]);
          const [begun] = await one`
            select * from outbound.begin_resend(${company.id}, ${campaignId}, ${id}, ${[
            "131049",
            "131026",
            "131000",
          ]}::text[],
              null, null, null, ${company.key.id}, false, null)`;
          assert.equal(begun!.result.processed, FAILED);
          const made = Array.from({ length: 200 }, () => crypto.randomUUID());
          await one`select outbound.continue_resend(${company.id}, ${id}, ${made}::uuid[], 3600)`;
          const person = {
            companyId: company.id,
            number: "34600000001",
            user_id: null,
            limit: 100,
          };
          assert.equal((await readPersonRecipients(one, { ...person, campaignId })).length, 1);
          const list = { companyId: company.id, campaignId, limit: 100 };
          assert.equal((await readRecipientPage(one, { ...list, status: "failed" })).rows.length, 100);
          assert.deepEqual(await readRecipientPage(one, { ...list, status: "skipped" }), {
            rows: [],
            next: null,
          });
        });

        assert.deepEqual(faultsOf(plans, FAILED + 10, ["notification_facts", "queue"]), []);
      }),
  );
}

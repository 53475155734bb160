import assert from "node:assert/strict";
import type postgres from "postgres";
import type { PlatformEvent } from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { readCampaignPricing } from "../../../supabase/functions/_shared/db/campaigns/campaign_pricing.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  claim,
  countersOf,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  report,
  type SendingCompany,
} from "../../setup/fixtures/queue.ts";

const MARKETING = { country: "ES", category: "marketing", type: "regular", billable: true };

type Receipt = [status: "delivered" | "read", pricing?: PlatformEvent["pricing"]];

/** Has one message sent and reports receipts of it, each batch by itself. Returns the campaign's prices. */
async function pricingAfter(sql: postgres.Sql, company: SendingCompany, batches: Receipt[][]) {
  const { ids: [id], campaignId } = await enqueue(sql, company);
  await finish(sql, await claim(sql), { outcome: "sent" });
  for (const batch of batches) {
    await report(
      sql,
      batch.map(([status, pricing]) => eventOf(company.id, id!, status, pricing && { pricing })),
    );
  }
  const pricing = await readCampaignPricing(sql, { companyId: company.id, campaignId });
  return pricing.map(({ messages, ...price }) => [price, messages]);
}

Deno.test("a delivered message is counted by its price once, whichever receipts come, and how often", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const once = [[MARKETING, 1]];
    const orders: [string, Receipt[][]][] = [
      ["delivered", [[["delivered", MARKETING]]]],
      ["delivered, then read", [[["delivered", MARKETING]], [["read", MARKETING]]]],
      ["both in one batch", [[["delivered", MARKETING], ["read", MARKETING]]]],
      ["read first", [[["read", MARKETING]], [["delivered", MARKETING]]]],
      ["repeated", [[["delivered", MARKETING]], [["delivered", MARKETING]], [["read", MARKETING]], [[
        "read",
        MARKETING,
      ]]]],
      ["only the later one has a price", [[["delivered"]], [["read", MARKETING]]]],
      ["only the earlier one, which comes late", [[["read"]], [["delivered", MARKETING]]]],
    ];

    for (const [name, batches] of orders) {
      assert.deepEqual(await pricingAfter(sql, company, batches), once, name);
    }
    assert.deepEqual(await pricingAfter(sql, company, [[["delivered"]], [["read"]]]), []);
  }));

Deno.test("a campaign's messages are counted by country, category, type and whether they are billed", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids, campaignId } = await enqueue(sql, company, { count: 5 });
    await finish(sql, await claim(sql), { outcome: "sent" });
    const free = { country: "", category: "utility", type: "free_entry_point", billable: false };
    const priceOf = (index: number) => ({ pricing: index < 3 ? MARKETING : free });

    await report(sql, ids.map((id, index) => eventOf(company.id, id, "delivered", priceOf(index))));

    const pricing = await readCampaignPricing(sql, { companyId: company.id, campaignId });
    assert.deepEqual(pricing, [{ ...MARKETING, messages: 3 }, { ...free, country: null, messages: 2 }]);
    assert.equal((await countersOf(sql, campaignId)).delivered, 5);
  }));

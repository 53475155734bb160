import assert from "node:assert/strict";
import { storeRates } from "../../../supabase/functions/_shared/db/campaigns/rates.ts";
import { eventually } from "../../setup/eventually.ts";
import { withApi } from "../with_api.ts";

Deno.test("GET …/pricing counts what the platform priced, once per delivered message, with its cost", () =>
  withApi(async ({ notify, http, dispatch, key, sql }) => {
    await storeRates(sql, [
      { market: "ES", category: "utility", currency: "EUR", rate: "0.0166", effective_from: "2026-01-01" },
    ]);
    const contacts = ["34600111222", "34600111333", "5215512345678"].map((number) => ({
      number,
      name: "Ana",
    }));
    const { body } = await notify({ contact: undefined, contacts });
    const path = `/manage/companies/mine/campaigns/${body.inquiry_set_id}/pricing`;
    const pricing = async () => (await http.get(path, { query: { access_key: key.key } })).body;
    const nothing = { amount: "0", currency: "EUR", complete: true };
    assert.deepEqual([(await pricing()).pricing, (await pricing()).estimated_cost], [[], nothing]);

    await dispatch();

    const price = { category: "utility", type: "regular", billable: true };
    await eventually(async () =>
      assert.deepEqual(await pricing(), {
        campaign_id: body.inquiry_set_id,
        pricing: [
          { country: "ES", ...price, messages: 2, estimated_cost: "0.0332" },
          { country: "MX", ...price, messages: 1, estimated_cost: null },
        ],
        estimated_cost: { amount: "0.0332", currency: "EUR", complete: false },
        estimated_cost_code: "incomplete",
        estimated_cost_reason: "The rate card has no rate for 1 of the messages",
      })
    );
  }));

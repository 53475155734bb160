import assert from "node:assert/strict";
import { storeRates } from "../../supabase/functions/_shared/db/campaigns/rates.ts";
import { foldAll } from "../queue/history/recount.ts";
import { insertMember } from "../setup/fixtures/fixtures.ts";
import {
  acceptAll,
  assertConserved,
  claim,
  enqueue,
  eventOf,
  fillBucket,
  finish,
  insertSendingCompany,
  report,
  requestOf,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type Manage, withManage } from "./with_manage.ts";

const PRICING = { country: "ES", category: "marketing", type: "regular", billable: true };

/** A company of the owner that has spent 10 EUR per message. */
async function withSpending(
  use: (
    t: Manage & { sending: SendingCompany; spend(messages: number): Promise<void>; budget: SetBudget },
  ) => Promise<void>,
): Promise<void> {
  await withManage(async (t) => {
    const sending = await insertSendingCompany(t.sql);
    await insertMember(t.sql, sending.id, t.members.owner.userId, "owner");
    await storeRates(t.sql, [
      { market: "ES", category: "marketing", currency: "EUR", rate: "10", effective_from: "2020-01-01" },
    ]);
    const spend = async (count: number) => {
      const { ids } = await enqueue(t.sql, sending, { count });
      await fillBucket(t.sql, sending.sender.id);
      await finish(t.sql, await claim(t.sql), { outcome: "sent" });
      await report(t.sql, ids.map((id) => eventOf(sending.id, id, "delivered", { pricing: PRICING })));
      await foldAll(t.sql);
      await t.sql`update outbound.budgets set checked_at = '-infinity'`;
      await t.sql`select outbound.check_budgets()`;
    };
    const budget: SetBudget = (value) =>
      t.members.owner.ask("PUT", `/companies/${sending.id}/settings/budget`, { budget: value });
    await use({ ...t, sending, spend, budget });
  });
}

type SetBudget = (value: JsonObject | null) => Promise<{ status: number; body: JsonObject }>;

const overviewOf = async (t: Manage, { id }: SendingCompany) =>
  (await t.members.owner.ask("GET", `/companies/${id}/overview`)).body;

Deno.test("a budget warns, then stops what is new and what waits, until its limit is raised", () =>
  withSpending(async (t) => {
    const { sql, sending, spend, budget } = t;
    const set = await budget({ warn: "15", limit: "30", currency: "EUR" });
    assert.deepEqual([set.status, set.body], [200, { budget: { warn: "15", limit: "30", currency: "EUR" } }]);
    await spend(1);
    assert.deepEqual((await overviewOf(t, sending)).budget, {
      spent: "10",
      warn: "15",
      limit: "30",
      currency: "EUR",
      state: "within",
    });
    await spend(1);
    assert.equal((await overviewOf(t, sending)).budget.state, "warned");
    await enqueue(sql, sending, { count: 2, dueInS: -1 });

    await sql`update outbound.history set priced = priced + 1 where company_id = ${sending.id} and priced > 0`;
    await sql`update outbound.budgets set checked_at = '-infinity'`;
    await sql`select outbound.check_budgets()`;

    await fillBucket(sql, sending.sender.id);
    assert.deepEqual(await claim(sql), []);
    await assertConserved(sql);
    const overview = await overviewOf(t, sending);
    assert.deepEqual([overview.budget.state, overview.wait.reason], ["reached", "budget_reached"]);
    const [verdict] = await acceptAll(sql, [requestOf(sending)]);
    assert.equal(verdict!.outcome, "budget_exceeded");
    const refused = await t.http.post(
      "/notify",
      notifyBody({ sender: sending.sender, template: { ...sending.template, language: "en" } } as never),
      {
        headers: { authorization: `Bearer ${sending.key.key}` },
      },
    );
    assert.deepEqual([refused.status, refused.body.error], [429, "quota_exceeded"]);
    const { quota, limit, spent, currency } = refused.body.details;
    assert.deepEqual([quota, limit, spent, currency], ["budget", "30", "30", "EUR"]);
    const actions =
      (await sql`select action from outbound.audit_log where company_id = ${sending.id} order by at`)
        .map(({ action }) => action);
    assert.deepEqual(actions.toSorted(), ["budget.reached", "budget.updated", "budget.warned"]);

    await budget({ warn: "15", limit: "31", currency: "EUR" });

    await fillBucket(sql, sending.sender.id);
    assert.equal((await claim(sql)).length, 2);
    assert.equal((await acceptAll(sql, [requestOf(sending)]))[0]!.outcome, "accepted");
    await assertConserved(sql);
  }));

Deno.test("a budget ends with its month, and with its removal", () =>
  withSpending(async (t) => {
    const { sql, sending, spend, budget } = t;
    await budget({ warn: null, limit: "10", currency: "EUR" });
    await spend(1);
    assert.equal((await acceptAll(sql, [requestOf(sending)]))[0]!.outcome, "budget_exceeded");

    await sql`update outbound.history set hour = hour - interval '1 month' where company_id = ${sending.id}`;
    await sql`update outbound.budgets set month = month - interval '1 month', checked_at = '-infinity'`;
    await sql`select outbound.check_budgets()`;
    assert.equal((await acceptAll(sql, [requestOf(sending)]))[0]!.outcome, "accepted");

    await spend(1);
    assert.equal((await acceptAll(sql, [requestOf(sending)]))[0]!.outcome, "budget_exceeded");
    assert.equal((await budget(null)).status, 200);
    assert.equal((await acceptAll(sql, [requestOf(sending)]))[0]!.outcome, "accepted");
    assert.equal((await overviewOf(t, sending)).budget, null);
  }));

Deno.test("PUT …/settings/budget refuses a currency without rates, and GET …/settings shows the budget", () =>
  withSpending(async (t) => {
    const refusals: [JsonObject, string][] = [
      [{ warn: "1", limit: null, currency: "USD" }, "budget.currency"],
      [{ warn: "-1", limit: null, currency: "EUR" }, "budget.warn"],
      [{ warn: null, limit: "1.234", currency: "EUR" }, "budget.limit"],
    ];
    for (const [value, field] of refusals) {
      const { status, body } = await t.budget(value);
      assert.deepEqual([status, body.details?.field], [400, field]);
    }
    await t.budget({ warn: "1.50", limit: null, currency: "EUR" });

    const { body } = await t.members.owner.ask("GET", `/companies/${t.sending.id}/settings`);

    assert.deepEqual(body.budget, { warn: "1.5", limit: null, currency: "EUR" });
  }));

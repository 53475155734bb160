import assert from "node:assert/strict";
import { enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { insertMember } from "../setup/fixtures/fixtures.ts";
import { claim, enqueue, insertSendingCompany } from "../setup/fixtures/queue.ts";
import { withCountedService } from "./with_counted_service.ts";

/** A role is read once per second, which may fall into any request. */
const ROLE = 1;
const TRIES = 3;

/** Round trips of a member's request, besides the role. */
const TRIPS = {
  "GET /overview": 1,
  "GET /campaigns": 1,
  // The campaign's channel is looked up first: a key may be for the other one.
  "GET /campaigns/{campaign_id}": 2,
  "GET /campaigns/{campaign_id}/recipients": 2,
  "GET /senders": 1,
  "GET /senders/{sender_id}": 1,
  "POST /senders/{sender_id}/resume": 1,
  "PUT /senders/{sender_id}/rate": 2,
  "GET /templates": 1,
  "GET /templates/{template_id}": 1,
  "GET /agents": 1,
  "POST /agents/{agent_id}/disable": 1,
  "GET /calls": 1,
  "GET /calls/{notification_id}": 1,
};

Deno.test("a member's request takes one round trip, however much there is to list", () =>
  withCountedService(async (t) => {
    const sending = await insertSendingCompany(t.direct);
    const calling = await insertCallingCompany(t.direct);
    const user = await t.createUser();
    const headers = { authorization: `Bearer ${await t.logIn(user)}` };
    for (const { id } of [sending, calling]) await insertMember(t.direct, id, user.id);
    const { campaignId } = await enqueue(t.direct, sending, { count: 20 });
    const { ids } = await enqueueCalls(t.direct, calling, { count: 20 });
    await claim(t.direct);
    const idOf: Record<string, string> = {
      campaign_id: campaignId,
      sender_id: sending.sender.id,
      template_id: sending.template.id,
      agent_id: calling.agent.id,
      notification_id: ids[0]!,
    };

    const found: Record<string, number> = {};
    for (const name of Object.keys(TRIPS)) {
      const [method, path] = name.split(" ") as [string, string];
      const { id } = /agents|calls/.test(path) ? calling : sending;
      const url = `/manage/companies/${id}${path.replace(/\{(\w+)\}/, (_, key) => idOf[key]!)}`;
      const body = method === "PUT" ? { rate_per_second: 7 } : undefined;
      const request = async () => {
        const answer = await t.http.request(method, url, body, { headers });
        assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body)}`);
      };
      const costs = [(await t.warmCost(request)).trips];
      while (costs.length < TRIES) costs.push((await t.cost(request)).trips);
      assert.ok(Math.max(...costs) <= Math.min(...costs) + ROLE, `${name}: ${costs}`);
      found[name] = Math.min(...costs);
    }

    assert.deepEqual(found, TRIPS);
  }));

Deno.test("an event that makes 50 consoles read the overview costs two queries", () =>
  withCountedService(async (t) => {
    const company = await insertSendingCompany(t.direct);
    const user = await t.createUser();
    await insertMember(t.direct, company.id, user.id);
    const headers = { authorization: `Bearer ${await t.logIn(user)}` };
    const read = async () => {
      const { status } = await t.http.get(`/manage/companies/${company.id}/overview`, { headers });
      assert.equal(status, 200);
    };
    await t.warmCost(read);

    const { trips } = await t.cost(() => Promise.all(Array.from({ length: 50 }, read)));

    assert.ok(trips <= 2 + ROLE, `${trips} round trips`);
  }));

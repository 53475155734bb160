import assert from "node:assert/strict";
import { Outbound } from "../../sdk/typescript/src/mod.ts";
import { FakeService } from "../../sdk/typescript/src/testing.ts";
import { contacts, withClients } from "./with_clients.ts";

const CONTACT = { number: "34600111222", name: "Ana" };

const NOTIFICATION = {
  name_template: "order_update",
  language_template: "en_US",
  recipient_id: "34911222333",
  notification_type: "utility",
  campaign_name: "Order",
} as const;

/** A fake service and a client of it. */
function fake() {
  const service = new FakeService();
  return { service, outbound: new Outbound(service.options) };
}

/** The fields of an object and of the objects in it, without their values. Warnings come where there is cause. */
function fieldsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fieldsOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => name !== "warnings").map((
      [name, each],
    ) => [name, fieldsOf(each)]).sort(),
  );
}

Deno.test("the fake service responds with the fields of the real one", () =>
  withClients(async ({ keyClient, notification, whileDispatching }) => {
    const body = { ...notification, contacts: [CONTACT, { number: "12" }] };
    const read = async (outbound: Outbound) => {
      const { notifications } = outbound;
      const single = await notifications.send({ ...notification, contact: CONTACT });
      const bulk = await notifications.send(body);
      const detailed = await notifications.send(body, { details: true });
      const refused = await notifications.send({ ...notification, contact: { number: "12" } }).catch((
        error,
      ) => error);
      const unknown = await notifications.getCampaignStatus({ campaign_id: crypto.randomUUID() })
        .catch((error) => error);
      const { status, code, details: { field } } = refused;
      const errors = [status, code, field, unknown.status, unknown.code];
      return { errors, campaign: detailed.inquiry_set_id, responses: fieldsOf([single, bulk, detailed]) };
    };
    const real = await read(keyClient());
    const { outbound } = fake();

    const faked = await read(outbound);

    assert.deepEqual(faked.errors, real.errors);
    assert.deepEqual(faked.responses, real.responses);
    await whileDispatching(async () => {
      const campaign = await keyClient().waitForCampaign(real.campaign, { timeoutMs: 60_000 });
      assert.deepEqual(fieldsOf(await outbound.waitForCampaign(faked.campaign)), fieldsOf(campaign));
    });
  }));

Deno.test("a campaign of the fake service goes in several requests, and is completed at once", async () => {
  const { service, outbound } = fake();
  const people = contacts(250).map((person, index) => index === 120 ? { number: "12" } : person);

  const sent = await outbound.sendCampaign(NOTIFICATION, people);
  const campaign = await outbound.waitForCampaign(sent.campaignId, { timeoutMs: 0 });

  assert.deepEqual([sent.total, sent.processed, sent.failed, sent.errors[0]!.index], [250, 249, 1, 120]);
  assert.deepEqual([campaign.status, campaign.sent, campaign.rejected], ["completed", 249, 1]);
  assert.deepEqual(service.requestsTo("POST /notify").map(({ query }) => query.more), [
    "true",
    "true",
    undefined,
  ]);
});

Deno.test("the fake service accepts a repeated request once", async () => {
  const { outbound: { notifications } } = fake();
  const body = { ...NOTIFICATION, contacts: [CONTACT] };
  const options = { headers: { "Idempotency-Key": "order-17" } };

  const first = await notifications.send(body, options);
  const second = await notifications.send(body, options);

  assert.deepEqual(second, first);
  const { total } = await notifications.getCampaignStatus({ campaign_id: first.inquiry_set_id });
  assert.equal(total, 1);
});

Deno.test("the fake service places calls", async () => {
  const { outbound: { notifications } } = fake();
  const { name_template: _, language_template: __, ...call } = NOTIFICATION;

  const accepted = await notifications.placeCall({
    ...call,
    notification_type: "transactional",
    agent_id: "agent_1",
    contact: CONTACT,
  });

  const { channel, total } = await notifications.getCampaignStatus({ campaign_id: accepted.inquiry_set_id });
  assert.deepEqual([channel, total], ["voice", 1]);
  assert.notEqual(accepted.notification_id, accepted.inquiry_set_id);
});

Deno.test("the fake service refuses the next requests as the test says, and then accepts again", async () => {
  const { service, outbound } = fake();
  const send = () => outbound.notifications.send({ ...NOTIFICATION, contact: CONTACT });
  service.refuse("POST /notify", "rate_limit_exceeded", { retryAfterS: 3600, details: { limit: 600 } });
  service.refuse("POST /notify", "connection_failed");

  await assert.rejects(send(), {
    name: "OutboundError",
    status: 429,
    code: "rate_limit_exceeded",
    retryAfterS: 3600,
    details: { limit: 600 },
  });
  await assert.rejects(send(), { name: "OutboundError", status: 0, code: "connection_failed" });
  assert.equal((await send()).success, true);
  assert.equal(service.requests.length, 3);
});

Deno.test("the fake service responds to any route as the test says, and shows what came", async () => {
  const { service, outbound } = fake();
  service.on("POST /manage/companies/{company_id}/contacts/suppressions", ({ body }) => ({
    added: body.suppressions.length,
    already: 0,
    invalid: 0,
    errors: [],
  }));
  service.on("GET /manage/companies/{company_id}/campaigns/drafts", () => ({ drafts: [], next: null }));
  service.on(
    "GET /manage/companies/{company_id}/campaigns/{campaign_id}/recipients",
    () => "number\n1\n",
  );

  const suppressions = [{ number: CONTACT.number, channel: "any", category: "all" } as const];

  const added = await outbound.contacts.addSuppressions({ suppressions });
  const { drafts } = await outbound.campaigns.listDrafts({ limit: 5 });
  const csv = await outbound.campaigns.listRecipients("a/b", { format: "csv" });

  assert.deepEqual([added, drafts, csv], [
    { added: 1, already: 0, invalid: 0, errors: [] },
    [],
    "number\n1\n",
  ]);
  assert.deepEqual(service.requests.map(({ route, path, query, body }) => ({ route, path, query, body })), [
    {
      route: "POST /manage/companies/{company_id}/contacts/suppressions",
      path: { company_id: "mine" },
      query: {},
      body: { suppressions },
    },
    {
      route: "GET /manage/companies/{company_id}/campaigns/drafts",
      path: { company_id: "mine" },
      query: { limit: "5" },
      body: undefined,
    },
    {
      route: "GET /manage/companies/{company_id}/campaigns/{campaign_id}/recipients",
      path: { company_id: "mine", campaign_id: "a/b" },
      query: { format: "csv" },
      body: undefined,
    },
  ]);
});

Deno.test("the fake service says which response is missing", async () => {
  const { outbound } = fake();

  await assert.rejects(outbound.agents.list(), {
    code: "not_scripted",
    message: /GET \/manage\/companies\/\{company_id\}\/agents/,
  });
});

import assert from "node:assert/strict";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany, insertKey, insertSender, insertTemplate } from "../../setup/fixtures/fixtures.ts";
import { insertTenant } from "../../setup/stack/stack.ts";
import { printFigures } from "../figures.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { plainNumber } from "../plain_number.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

type Tenant = Pick<FaultEnvironment, "company" | "key" | "sender" | "template">;

const BULK = 50_000;
const SINGLES = 8;

/** Company A queues a large campaign; while it is sent, B sends single messages. Fails if one of them takes a second. */
async function sendBesideCampaign(t: FaultEnvironment, name: string, other: Tenant): Promise<void> {
  await t.sql`update outbound.api_keys set rate_limit = 1000000, daily_quota = 10000000`;
  const bulk = await insertCampaign(t, { count: BULK, type: "marketing" });
  const pool = t.startDispatchers(2);
  await pool.ready();
  await untilTaken(t, 200);

  const waits = [];
  for (let single = 0; single < SINGLES; single++) waits.push(await sendOne(t, other, single));
  const messages = await t.platform.allMessages();
  await pool.kill();
  printFigures(name, {
    "waits (ms)": waits.join(" "),
    "of the campaign sent meanwhile": messages.length - SINGLES,
    "still queued": BULK - messages.length + SINGLES,
  });
  assert.ok(Math.max(...waits) < 1000, `a single message waited ${Math.max(...waits)} ms`);
  assert.ok(messages.length - SINGLES < bulk.ids.size, "the campaign was over before");
}

async function untilTaken(t: FaultEnvironment, count: number): Promise<void> {
  await eventually(async () => {
    assert.ok((await t.platform.messages({ limit: String(count) })).length >= count);
  }, 30_000);
}

/** Returns the milliseconds from the response of `POST /notify` until the platform accepted the message. */
async function sendOne(t: FaultEnvironment, tenant: Tenant, index: number): Promise<number> {
  const number = plainNumber(100_000 + index);
  const body = notifyBody(tenant, {
    contact: { number, name: "Asha" },
    notification_type: "transactional",
  });
  const answer = await t.http.post("/notify", body, { query: { access_key: tenant.key.key } });
  assert.equal(answer.status, 200);
  const answeredAt = Date.now();
  let wait = Infinity;
  await eventually(async () => {
    const [message] = await t.platform.messages({ to: number });
    assert.ok(message, `message ${index + 1} never left`);
    wait = Date.parse(message.accepted_at) - answeredAt;
  }, 20_000);
  return Math.max(0, wait);
}

/** A company of its own that sends from the number another company sends from. */
async function insertPartner({ sql, sender, template }: FaultEnvironment): Promise<Tenant> {
  const company = await insertCompany(sql);
  const { number, platform_id, waba_id, token } = sender;
  return {
    company,
    key: await insertKey(sql, company.id),
    sender: await insertSender(sql, company.id, { number, platform_id, waba_id, token }),
    template: await insertTemplate(sql, { company_id: company.id, waba_id }, { name: template.name }),
  };
}

Deno.test("beside another company's 50,000 a single message leaves within a second", () =>
  withFaults(async (t) => {
    await t.platform.configure({ latency_ms: 50 });

    await sendBesideCampaign(t, "50,000 beside a single", await insertTenant(t, t.platform));
  }, { ratePerSecond: 400, events: false }));

Deno.test("a single message leaves within a second though another company's 50,000 leave by the same number", () =>
  withFaults(async (t) => {
    await t.platform.configure({ latency_ms: 50 });

    await sendBesideCampaign(t, "50,000 by the same number", await insertPartner(t));
  }, { ratePerSecond: 80, events: false }));

Deno.test("a single message leaves within a second though the platform is slow with another company's 50,000", () =>
  withFaults(async (t) => {
    const match = { phone_number_id: t.sender.platform_id };
    await t.platform.addFault({ match, fault: { latency_ms: 2500 } });

    await sendBesideCampaign(t, "50,000 at 2.5 s each", await insertTenant(t, t.platform));
  }, { ratePerSecond: 100_000, events: false }));

import assert from "node:assert/strict";
import { BASE_PATH, type JsonObject } from "../setup/http/http.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { printFigures } from "./figures.ts";
import { plainNumber } from "./plain_number.ts";
import { type FaultEnvironment, withFaults } from "./with_faults.ts";

const REQUESTS = 1000;
const CLIENTS = 8;
/** Per request: 10,000 in all. With 100 it is a campaign of 100,000, which takes some minutes on two cores. */
const CONTACTS = Number(Deno.env.get("TEST_ADDITION_CONTACTS") ?? "10");
/** Of the requests whose client loses its connection. */
const KILLED = 0.2;
/** About as long as a request takes under this load: some are killed before they arrive, some after the commit. */
const MAX_KILL_AFTER_MS = 60;
/** No dispatcher fails here, so no outcome needs to be unknown, however busy the machine is. */
const PATIENT = { OUTBOUND_DISPATCH_LEASE_S: "60", OUTBOUND_SEND_TIMEOUT_S: "30" };

/** A client of the service on its socket. Repeats a request under its key until it has the whole response. */
function createClient(t: FaultEnvironment) {
  const origin = new URL(t.webhookUrl).origin;
  const counts = { killed: 0, replayed: 0 };

  async function call(path: string, query: Record<string, string>, init?: RequestInit): Promise<Response> {
    const url = new URL(`${origin}${BASE_PATH}${path}`);
    url.search = new URLSearchParams({ access_key: t.key.key, ...query }).toString();
    return await fetch(url, init);
  }

  async function post(key: string, contacts: JsonObject[], query: Record<string, string>): Promise<string> {
    const request = {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(notifyBody(t, { contact: undefined, contacts })),
    };
    while (Math.random() < KILLED) {
      counts.killed++;
      const signal = AbortSignal.timeout(Math.random() * MAX_KILL_AFTER_MS);
      await call("/notify", query, { ...request, signal }).then((response) => response.json()).catch(
        () => {},
      );
    }
    const response = await call("/notify", query, request);
    const body = await response.json();
    assert.deepEqual([response.status, body.processed], [200, contacts.length], JSON.stringify(body));
    if (response.headers.get("idempotent-replayed") === "true") counts.replayed++;
    return body.inquiry_set_id;
  }

  return {
    counts,
    post,
    async status(campaignId: string): Promise<JsonObject> {
      return await (await call("/notify/status", { campaign_id: campaignId })).json();
    },
  };
}

type Client = ReturnType<typeof createClient>;

/** The contacts of the nth request. */
function contactsOf(request: number): JsonObject[] {
  return Array.from({ length: CONTACTS }, (_, index) => ({
    number: plainNumber(request * CONTACTS + index),
    name: "Asha",
  }));
}

/** Sends all requests but the first and the last, each client its share. */
async function addAll({ post }: Client, campaignId: string): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let request = 1 + client; request < REQUESTS - 1; request += CLIENTS) {
      const id = await post(`request-${request}`, contactsOf(request), {
        campaign_id: campaignId,
        more: "true",
      });
      assert.equal(id, campaignId);
    }
  }));
}

/** Reads the status again and again; fails as soon as the campaign breaks its law or completes. */
function watch({ status }: Client, campaignId: string) {
  let stopped = false;
  let polls = 0;
  const watching = (async () => {
    for (let last = 0; !stopped; polls++) {
      const { total, pending, processing, sent, failed, cancelled, skipped, ...rest } = await status(
        campaignId,
      );
      assert.equal(total, pending + processing + sent + failed + cancelled + skipped);
      assert.ok(total >= last && total <= REQUESTS * CONTACTS, `${last}, then ${total}`);
      assert.deepEqual([rest.status, rest.completed_at, failed], ["sending", null, 0]);
      last = total;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  watching.catch(() => {}); // `stop` throws it
  return {
    async stop(): Promise<number> {
      stopped = true;
      await watching;
      return polls;
    },
  };
}

/** Fails unless everything was sent once, counted once and reported once. */
async function assertComplete(
  t: FaultEnvironment,
  { counts, status }: Client,
  campaignId: string,
): Promise<void> {
  const total = REQUESTS * CONTACTS;
  const campaign = await status(campaignId);
  assert.deepEqual([campaign.status, campaign.total, campaign.sent, campaign.rejected], [
    "completed",
    total,
    total,
    0,
  ]);
  const [stored] = await t.sql`
    select count(*)::int as people, count(distinct number)::int as numbers,
      count(distinct platform_message_id)::int as messages, count(distinct campaign_id)::int as campaigns
    from outbound.notifications`;
  assert.deepEqual({ ...stored }, { people: total, numbers: total, messages: total, campaigns: 1 });
  const [used] = await t.sql`select sum(notifications)::int as notifications from outbound.usage`;
  assert.equal(used!.notifications, total);
  const events = await readEvents(t.sql, t.company.id);
  assert.deepEqual(events.map(({ type, payload }) => [type, payload.data.total]), [[
    "campaign.completed",
    total,
  ]]);
  const { accepted } = await t.platform.stats();
  assert.equal(accepted, total, "messages that the platform took");
  assert.ok(counts.killed > 0 && counts.replayed > 0);
}

Deno.test(`${CLIENTS} clients add to one campaign by ${REQUESTS} requests, some killed and repeated: no recipient twice, completed once`, () =>
  withFaults(async (t) => {
    await insertWebhook(t.sql, t.company.id, { event_types: ["campaign.completed"] });
    const pool = t.startDispatchers(2, () => ({ env: PATIENT }));
    await pool.ready();
    const client = createClient(t);
    const startedAt = performance.now();
    const campaignId = await client.post("request-0", contactsOf(0), { more: "true" });
    const watched = watch(client, campaignId);
    // As autovacuum does, which comes once per minute only: plans for an empty queue are slow for a full one.
    const analysis = setInterval(
      () => t.sql`analyze outbound.notification_facts, outbound.queue`.catch(() => {}),
      2000,
    );
    const secondsSinceStart = () => ((performance.now() - startedAt) / 1000).toFixed(1);
    try {
      await addAll(client, campaignId);
      const added = secondsSinceStart();
      const polls = await watched.stop();
      assert.ok(polls > 10);
      await client.post("last-request", contactsOf(REQUESTS - 1), { campaign_id: campaignId });
      await t.settle();
      const sent = secondsSinceStart();
      printFigures("additions", { ...client.counts, polls, "added in s": added, "sent in s": sent });
    } finally {
      clearInterval(analysis);
    }
    await pool.stop();
    await assertComplete(t, client, campaignId);
  }, { ratePerSecond: 100_000, events: false }));

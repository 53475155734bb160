import assert from "node:assert/strict";
import { rotateKey } from "../../setup/fixtures/keys.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { countStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";

/** `POST /notify` under an idempotency key. */
function notifyOnce(
  { notify }: Api,
  key: string,
  changes: JsonObject = {},
  query: Record<string, string> = {},
) {
  return notify(changes, { headers: { "idempotency-key": key }, query });
}

function wasReplayed({ headers }: { headers: Headers }): boolean {
  return headers.get("idempotent-replayed") === "true";
}

Deno.test("Idempotency-Key: the same request gets the first response again and is stored once", () =>
  withApi(async (api) => {
    const bulk = { contact: undefined, contacts: [{ number: "34600111222", name: "A" }, { number: "+1" }] };
    for (const [key, changes] of [["single", {}], ["bulk", bulk]] as const) {
      const first = await notifyOnce(api, key, changes);
      const stored = await countStored(api.sql);
      const second = await notifyOnce(api, key, changes);

      assert.equal(first.status, 200);
      assert.deepEqual([second.status, second.body], [200, first.body]);
      assert.deepEqual([wasReplayed(first), wasReplayed(second)], [false, true]);
      assert.deepEqual(await countStored(api.sql), stored);
    }
  }));

Deno.test("Idempotency-Key: another request under the same key is refused", () =>
  withApi(async (api) => {
    await notifyOnce(api, "k");
    const stored = await countStored(api.sql);
    const others: [changes: JsonObject, query?: Record<string, string>][] = [
      [{ campaign_name: "Other" }],
      [{ contact: { number: "34600111223", name: "Asha" } }],
      [{ contact: { name: "Asha", number: "34600111222" } }],
      [{ name_template: "no_such_template" }],
      [{}, { unflatten: "false" }],
    ];
    for (const [changes, query] of others) {
      assertRefused(await notifyOnce(api, "k", changes, query), {
        status: 422,
        error: "idempotency_key_reused",
      });
    }
    assert.deepEqual(await countStored(api.sql), stored);
  }));

Deno.test("Idempotency-Key: of requests at once one is stored and all get its response", () =>
  withApi(async (api) => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => notifyOnce(api, "k")));

    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
    assert.equal(new Set(responses.map(({ body }) => body.inquiry_set_id)).size, 1);
    assert.equal(responses.filter((response) => !wasReplayed(response)).length, 1);
    assert.deepEqual(await countStored(api.sql), {
      campaigns: 1,
      notifications: 1,
      idempotency_keys: 1,
      used: 1,
    });
  }));

Deno.test("Idempotency-Key: different requests at once under one key are stored once", () =>
  withApi(async (api) => {
    const names = Array.from({ length: 10 }, (_, index) => `Campaign ${index}`);
    const responses = await Promise.all(
      names.map((campaign_name) => notifyOnce(api, "k", { campaign_name })),
    );

    const refused = responses.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 9);
    for (const response of refused) assertRefused(response, { status: 422, error: "idempotency_key_reused" });
    assert.equal((await countStored(api.sql)).campaigns, 1);
  }));

Deno.test("Idempotency-Key: companies do not share keys", () =>
  withApi(async (api) => {
    const other = await api.addTenant();
    const mine = await notifyOnce(api, "k");
    const theirs = await api.http.post("/notify", notifyBody(other), {
      query: { access_key: other.key.key },
      headers: { "idempotency-key": "k" },
    });

    assert.deepEqual([mine.status, theirs.status, wasReplayed(theirs)], [200, 200, false]);
    assert.notEqual(mine.body.inquiry_set_id, theirs.body.inquiry_set_id);
  }));

Deno.test("Idempotency-Key: a refused request is not remembered", () =>
  withApi(async (api) => {
    const refused = await notifyOnce(api, "k", { name_template: "no_such_template" });
    assert.equal(refused.status, 404);
    await api.sql`update outbound.api_keys set daily_quota = 0`;
    assert.equal((await notifyOnce(api, "k")).status, 429);
    await api.sql`update outbound.api_keys set daily_quota = 10`;
    const accepted = await notifyOnce(api, "k");

    assert.deepEqual([accepted.status, wasReplayed(accepted)], [200, false]);
  }));

Deno.test("Idempotency-Key: what was granted is repeated even when it would be refused by now", async () => {
  let hoursLater = 0;
  const now = () => new Date(Date.now() + hoursLater * 3_600_000);
  await withApi(async (api) => {
    const datetime_sending = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
    const changes = { datetime_sending };
    const first = await notifyOnce(api, "k", changes);
    assert.equal(first.status, 200);
    hoursLater = 2;
    assert.equal((await api.notify(changes)).status, 400);
    assert.deepEqual((await notifyOnce(api, "k", changes)).body, first.body);
    await api.sql`update outbound.templates set status = 'disabled'`;
    assert.deepEqual((await notifyOnce(api, "k", changes)).body, first.body);
    await api
      .sql`update outbound.usage set requests = 600, window_start = date_trunc('minute', now()) + interval '1 minute'`;
    assert.deepEqual((await notifyOnce(api, "k", changes)).body, first.body);
  }, { services: { now } });
});

Deno.test("Idempotency-Key: it outlives the access key, but not a day", () =>
  withApi(async (api) => {
    const first = await notifyOnce(api, "k");
    const { key } = await rotateKey(api.services, { companyId: api.company.id });
    const replayed = await notifyOnce(api, "k", {}, { access_key: key });
    assert.deepEqual([replayed.body, wasReplayed(replayed)], [first.body, true]);
    assert.equal((await notifyOnce(api, "k")).status, 401);

    await api.sql`update outbound.idempotency_keys set created_at = now() - interval '24 hours 1 second'`;
    const anew = await notifyOnce(api, "k", {}, { access_key: key });
    assert.deepEqual([anew.status, wasReplayed(anew)], [200, false]);
    assert.notEqual(anew.body.inquiry_set_id, first.body.inquiry_set_id);
  }));

Deno.test("without an Idempotency-Key the same request is a new campaign each time", () =>
  withApi(async (api) => {
    const [first, second] = [await api.notify(), await api.notify()];

    assert.notEqual(first.body.inquiry_set_id, second.body.inquiry_set_id);
    assert.equal((await countStored(api.sql)).campaigns, 2);
  }));

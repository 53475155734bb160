import { createRefusedKeys } from "../../../supabase/functions/_shared/access/refused_keys.ts";
import assert from "node:assert/strict";
import { hashAccessKey } from "../../../supabase/functions/_shared/access/new_keys.ts";
import { assertRefused } from "../assert_refused.ts";
import { createTemplate } from "../templates/create_template.ts";
import { eventually } from "../../setup/eventually.ts";
import { moveRateWindow } from "../../setup/fixtures/fixtures.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { countStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";

/** Sets the limits of the company's key. */
async function limit(
  { sql, key }: Api,
  limits: { rate_limit?: number; daily_quota?: number },
): Promise<void> {
  await sql`update outbound.api_keys set ${sql(limits)} where id = ${key.id}`;
}

/** Requests of the limited endpoints, each of which costs one. */
const REQUESTS: Record<
  string,
  (api: Api) => Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>
> = {
  notify: ({ notify }) => notify(),
  templates: ({ http, key, sender }) =>
    http.get("/notify/templates", { query: { access_key: key.key, phone_number: sender.number } }),
  components: ({ http, key, template }) =>
    http.get("/notify/template/components", { query: { access_key: key.key, template: template.name } }),
  create: (api) => {
    const name = `made_${crypto.randomUUID().replaceAll("-", "_")}`;
    return createTemplate(api, {
      name_template: name,
      components_template: { BODY: { text: `All about ${name}` } },
    });
  },
};

function remaining({ headers }: { headers: Headers }): number {
  return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
}

Deno.test("rate limit: every limited endpoint counts down to zero, then responds with 429 until the next minute", () =>
  withApi(async (api) => {
    for (const [name, request] of Object.entries(REQUESTS)) {
      await limit(api, { rate_limit: 3 });
      await moveRateWindow(api.sql, api.key, -1);
      await request(api);
      await moveRateWindow(api.sql, api.key, 1);
      for (const left of [1, 0]) {
        const response = await request(api);
        assert.deepEqual([response.status, remaining(response)], [200, left], name);
        assert.equal(response.headers.get("ratelimit-policy"), '"requests";q=3;w=60');
      }
      const refused = await request(api);
      assert.deepEqual([refused.status, remaining(refused)], [429, 0], name);
      await moveRateWindow(api.sql, api.key, -1);
      // A key over its rate is refused from memory for a second.
      await eventually(async () => assert.equal(remaining(await request(api)), 2, name));
    }
  }));

Deno.test("rate limit: the refusal says how long to wait", () =>
  withApi(async (api) => {
    await limit(api, { rate_limit: 1 });
    await moveRateWindow(api.sql, api.key, 0);
    await moveRateWindow(api.sql, api.key, 1);
    await api.notify();
    const before = Date.now();
    const { body, headers, ...response } = await api.notify();

    assertRefused({ ...response, body, headers }, { status: 429, error: "rate_limit_exceeded" });
    const { reset_time, ...details } = body.details;
    assert.deepEqual(details, { limit: 1, window: "60s" });
    assert.ok(Number.isInteger(body.retry_after) && body.retry_after >= 1, body.retry_after);
    assert.equal(headers.get("retry-after"), String(body.retry_after));
    assert.match(headers.get("ratelimit")!, new RegExp(`t=${body.retry_after}$`));
    const wait = Date.parse(reset_time) - before;
    assert.ok(Math.abs(wait - body.retry_after * 1000) < 5000, `${reset_time}, ${body.retry_after} s`);
  }));

Deno.test("rate limit: of requests at once exactly as many pass as the limit allows, over all endpoints", () =>
  withApi(async (api) => {
    await limit(api, { rate_limit: 10 });
    await moveRateWindow(api.sql, api.key, 1);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => Object.values(REQUESTS).map((request) => request(api))).flat(),
    );

    const passed = responses.filter(({ status }) => status === 200);
    assert.deepEqual([passed.length, responses.length], [10, 40]);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      assert.equal(response.status, 429);
    }
  }));

Deno.test("rate limit: each company has its own", () =>
  withApi(async (api) => {
    const other = await api.addTenant();
    await limit(api, { rate_limit: 1 });
    await moveRateWindow(api.sql, api.key, 1);
    await api.notify();
    const theirs = await api.http.post("/notify", notifyBody(other), {
      query: { access_key: other.key.key },
    });

    assert.deepEqual([(await api.notify()).status, theirs.status], [429, 200]);
  }));

const contacts = (count: number, bad = 0) => ({
  contact: undefined,
  contacts: Array.from(
    { length: count },
    (_, index) => ({ number: index < bad ? "+" : `3460000000${index}`, name: "A" }),
  ),
});

Deno.test("quota: what would cross it is refused whole, what fits it exactly is taken", () =>
  withApi(async (api) => {
    await limit(api, { daily_quota: 5 });
    assert.equal((await api.notify(contacts(4))).status, 200);
    const stored = await countStored(api.sql);
    const refused = await api.notify(contacts(2));
    assertRefused(refused, { status: 429, error: "quota_exceeded" });
    assert.deepEqual(await countStored(api.sql), stored);

    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
    assert.deepEqual(refused.body.details, { quota: 5, used: 4, reset_time: midnight });
    const wait = Date.parse(midnight) - Date.now();
    assert.ok(Math.abs(refused.body.retry_after * 1000 - wait) < 5000);
    assert.equal((await api.notify(contacts(1))).status, 200);
    assertRefused(await api.notify(), { status: 429, error: "quota_exceeded" });
  }));

Deno.test("quota: contacts that are refused do not count", () =>
  withApi(async (api) => {
    await limit(api, { daily_quota: 1 });
    const { status, body } = await api.notify(contacts(5, 4));

    assert.deepEqual([status, body.processed, body.failed], [200, 1, 4]);
    assert.equal((await api.notify(contacts(3, 3))).status, 200);
    assert.equal((await api.notify(contacts(2, 1))).status, 429);
  }));

Deno.test("quota: of requests at once no more is taken than the quota allows", () =>
  withApi(async (api) => {
    await limit(api, { daily_quota: 10 });
    const responses = await Promise.all(Array.from({ length: 8 }, () => api.notify(contacts(3))));

    assert.equal(responses.filter(({ status }) => status === 200).length, 3);
    const { notifications, used } = await countStored(api.sql);
    assert.deepEqual([notifications, used], [9, 9]);
  }));

Deno.test("quota: it is new on the next UTC day, and a replayed request costs nothing", () =>
  withApi(async (api) => {
    await limit(api, { daily_quota: 1 });
    const headers = { "idempotency-key": "k" };
    assert.equal((await api.notify({}, { headers })).status, 200);
    assert.equal((await api.notify({}, { headers })).status, 200);
    assert.equal((await api.notify()).status, 429);

    await api.sql`update outbound.usage set day = day - 1`;
    // A request over the quota is refused from memory for a second.
    await eventually(async () => assert.equal((await api.notify()).status, 200));
  }));

Deno.test("limits that are raised count within a second", () =>
  withApi(async (api) => {
    const clock = { ms: 0 };
    api.services.refusedKeys = createRefusedKeys(() => clock.ms);
    await moveRateWindow(api.sql, api.key, 1);
    for (const limits of [{ rate_limit: 1, daily_quota: 9 }, { rate_limit: 9, daily_quota: 1 }]) {
      await limit(api, limits);
      const statuses = [await api.notify(), await api.notify()].map(({ status }) => status);
      assert.equal(statuses.at(-1), 429);

      await limit(api, { rate_limit: 9, daily_quota: 9 });
      clock.ms += 1000;
      assert.equal((await api.notify()).status, 200);
    }
  }));

Deno.test("a key that was used says so, within a minute", () =>
  withApi(async (api) => {
    for (const request of Object.values(REQUESTS)) {
      await api.sql`update outbound.api_keys set last_used_at = null`;
      await request(api);
      const [row] = await api.sql`
        select last_used_at > now() - interval '1 minute' as fresh from outbound.api_keys
        where key_hash = ${hashAccessKey(api.key.key)}`;
      assert.equal(row!.fresh, true);
    }
  }));

Deno.test("rate limit: refused requests count, and are over it like others", () =>
  withApi(async (api) => {
    await limit(api, { rate_limit: 4 });
    await moveRateWindow(api.sql, api.key, 1);
    const refused = await Promise.all([
      api.notify({ campaign_name: undefined }),
      api.notify({ name_template: "no_such_template" }),
      api.notify({ components_push: { nothing: "x" } }),
      api.notify({ datetime_sending: "2020-01-01T00:00:00" }),
    ]);
    assert.deepEqual(refused.map(({ status }) => status), [400, 404, 422, 400]);

    for (const changes of [{}, { campaign_name: undefined }, { name_template: "no_such_template" }]) {
      assertRefused(await api.notify(changes), { status: 429, error: "rate_limit_exceeded" });
    }
  }));
